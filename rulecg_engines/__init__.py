"""Engines: who applies functions to partitions, on this machine or on a cluster."""
