"""The plan of a campaign: its TOML file, its puzzles, and every run to make with its key.

Must not run anything, or know where results are kept.
"""
