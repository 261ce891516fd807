"""What pricers share: passes over the data, options, chains of nested conditions."""
