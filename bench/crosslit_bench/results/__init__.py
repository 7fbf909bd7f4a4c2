"""The results of a campaign: the verdicts on all stored runs, as one pandas frame, and the status without pandas.

Runs are judged when they are read, so a store never holds a verdict that a later run refutes. This package must not
solve or rank.
"""
