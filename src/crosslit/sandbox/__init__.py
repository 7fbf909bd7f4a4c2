"""Processes under watch: limits of memory and time, and the end of all that they start.

Used by the fork servers of `crosslit.runs`, by the guard of a solver under test, and by puzzle generation under a time
limit. Must not know backends, runs or solvers.
"""
