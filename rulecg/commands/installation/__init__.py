"""Commands about the installation: plugins, warm-up, completion, a demonstration."""
