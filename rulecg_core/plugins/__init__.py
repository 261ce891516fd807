"""How plugins are found, registered, configured and made."""
