"""The execution of a campaign, on this machine or on the workers of a Dask cluster.

Each run is stored as soon as it ends, or with others of 0.1 s together, which a kill loses with the running ones. This
package must not judge an answer.
"""
