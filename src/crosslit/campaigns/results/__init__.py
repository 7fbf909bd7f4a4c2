"""The results of a campaign: the store of all runs, and what they say once they are judged.

Must not solve or rank.
"""
