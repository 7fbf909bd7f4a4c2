"""Campaigns: many backends on many puzzles under equal conditions, stored in one file and analysed in a report.

A campaign (`spec`) has a `plan` of runs; `run` makes them and `store` keeps them. `results` judges them and puts them
into one table, from which `analysis`, `difference`, `figures` and `report` are made. `campaign` is for use in Python.
Only the command line imports this package, and `crosslit` for `Campaign`.
"""
