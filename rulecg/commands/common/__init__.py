"""What commands share: parser, tasks, streams, summaries, exit codes."""
