"""Supervision of processes: limits of memory and time, and the end of all their descendants.

`supervisor` forks, kills and reaps one process with its whole group; `linux` reads the system's tables and ends
inherited processes; `guard` and `forked` run a solver under test, and puzzle generation. This package must not know
backends, runs or solvers.
"""
