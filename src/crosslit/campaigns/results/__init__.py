"""The results of a campaign: the store of all runs, and their verdicts.

Runs are judged when they are read, so a store never holds a verdict that a later run refutes. This package must not
solve or rank.
"""
