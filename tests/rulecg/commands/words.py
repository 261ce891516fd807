"""Words of the command line that several tests use."""

FIT = ["--target", "approved", "--positive", "yes", "--max-complexity", "8", "--time-limit", "1", "--quiet"]
