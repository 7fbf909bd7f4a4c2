"""Campaigns: many backends on many puzzles, under equal conditions, kept in one file, analysed, and told in a report.

`campaign` is what somebody wants compared (`reading` takes it from a TOML file, `sources` makes its puzzles); `plan` is
all runs that follow, in an order by chance; `carrying` makes them on this machine, `distributed` on those of a Dask
cluster; `store` keeps what they found; `results` judges it; `table` is what the `analysis` is about; `report` tells it.
"""
