"""The plan of a campaign: its TOML file, its puzzles, and every run to make with its key.

A run's key is a hash of everything that can change its result. This package must not run anything or know where results
are stored.
"""
