"""Tests of certificates as files and of the checker that knows nothing of rulecg."""
