"""Supervision of processes: limits of memory and time, and the end of all their descendants.

`supervisor` forks, kills and reaps one process with its whole group; `linux` reads the system's tables and ends
inherited processes; `cgroup` and `cores` reserve memory and processors for a run. This package must not know backends,
runs or solvers.
"""
