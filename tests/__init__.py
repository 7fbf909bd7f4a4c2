"""Tests by purpose.

``contract`` runs over everything that is registered; ``rules`` has tables of runs and puzzles with their judgements.
``solvers`` compares backends and encoders with brute force, ``formats`` reads and writes, ``processes`` has limits,
kills and what is left behind, ``commands`` options and exit statuses, and ``stored`` whole texts. ``verify``,
``bench``, ``pages`` and ``project`` are what they are called.
"""
