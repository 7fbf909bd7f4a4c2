"""Supervision of processes: limits of memory and time, and the end of everything that they start.

Fork servers, the guard of a solver under test, and puzzle generation under a time limit use it. Must not know
backends, runs or solvers.
"""
