"""Campaigns: many backends on many puzzles under equal conditions, kept in one file and analysed in a report.

`spec` plans the runs, `execution` makes them, `results` keeps and judges them; `analysis`, `figures` and `report` say
what they show, and `campaign` is the interface of Python. Must not be imported by anything but the command line.
"""
