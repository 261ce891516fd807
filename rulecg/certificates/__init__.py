"""Certificates as files: proofs that others check against the raw table, without rulecg."""
