"""What rulecg is put through: tables of attempts, each with a right answer or an error that says what to do."""
