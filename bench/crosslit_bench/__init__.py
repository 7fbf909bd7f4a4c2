"""Campaigns: many backends on many puzzles under equal conditions, stored in one file and analysed in a report.

`plan` plans the runs, `execution` makes them, `results` stores and judges them; `analysis`, `figures` and `report`
evaluate them, and `campaign` is the Python interface.
This package must not be imported by any package but the command line.
"""
