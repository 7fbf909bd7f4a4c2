"""The software behind a run: a hash of the files that make it, and the versions to install for its repetition.

This package must not know plans, stores or results.
"""
