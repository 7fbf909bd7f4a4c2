"""The execution of a campaign, on this machine or on the workers of a Dask cluster; each run is kept as it ends.

Must not judge.
"""
