"""Campaigns: many backends on many puzzles under equal conditions, stored in one file and analysed in a report.

A campaign (`spec`) has a `plan` of runs; `run` makes them and `store` keeps them. `results` judges them and puts them
into one table, from which `analysis`, `difference`, `figures` and `report` are made. `campaign` is for use in Python.
This package must not be imported by any package but the command line.
"""
