"""Workers: tasks carried out by processes on this machine, or on the machines of a Dask cluster.

A service is opened once in each worker process, and then gets task after task. This package must not know any service.
"""
