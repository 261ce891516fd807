"""What was learned, without the learner: rules, scores, certificate, file."""
