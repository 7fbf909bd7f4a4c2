"""The execution of a campaign, on this machine or on the workers of a Dask cluster.

Each run is stored as soon as it ends, so that a kill loses only the running ones. This package must not judge an
answer.
"""
