"""The results of a campaign: the verdicts on all stored runs, the table of times, and exports.

Runs are judged when they are read, so a store never holds a verdict that a later run refutes. This package must not
solve or rank.
"""
