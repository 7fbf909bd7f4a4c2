"""Supervision of processes: limits of memory and time, and the end of everything that they start.

`supervisor` forks, kills and reaps one process with all its group; `linux` reads the system's tables and ends what is
inherited; `guard` and `forked` run a solver under test, and puzzle generation. Must not know backends, runs or solvers.
"""
