"""The asking side of a Dask cluster, with a client that only keeps what it is given."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import Any

import pytest

from crosslit import __version__
from crosslit.base.errors import InputError
from crosslit.runs.dask import Cluster, _Worker, local_workers

from .test_processes import service


class Client:
    """A client of Dask whose futures never end."""

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}

    def submit(self, _function: Any, order: Any, **_options: Any) -> Any:
        self.given[order.id] = order
        return self

    def add_done_callback(self, _call: Any) -> None: ...

    def cancel(self, _futures: Any) -> None: ...


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A cluster with one worker of two threads, which stays there."""
    made = Cluster("there", service)
    made._client = Client()
    made._workers = {"a": _Worker("a", "p", 2)}
    monkeypatch.setattr(made, "_look", lambda: iter(()))
    return made


def test_a_worker_gets_as_many_tasks_as_it_has_threads(cluster: Cluster) -> None:
    waiting = ((number, ()) for number in range(5))
    for _ in range(2):
        cluster._hand_out(waiting)
        assert [order.task for order in cluster._client.given.values()] == [0, 1]


def test_a_lost_task_is_given_to_another_worker_once_and_answers_of_no_task_are_none(cluster: Cluster) -> None:
    assert list(cluster._take("none", b"answer")) == []
    lost: list[Any] = []
    for answer in (CancelledError(), None):
        cluster._hand_out(iter([] if lost or cluster._repeated else [("task", ())]))
        lost += cluster._take(next(iter(cluster._attempts)), answer)
        cluster._workers = {"b": _Worker("b", "q", 1)}
    assert [(result.task, result.value) for result in lost] == [("task", None)]
    assert lost[0].lost == ("the worker a was lost", "the worker b was lost")


def test_a_call_ends_when_no_task_is_left_nor_to_be_repeated(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster._repeated.append(("task", ("lost",)))
    monkeypatch.setattr(cluster, "_hand_out", lambda _: None)
    monkeypatch.setattr(cluster, "_halt", lambda: None)
    monkeypatch.setattr("crosslit.runs.dask.POLL_SECONDS", 0.001)
    cluster.on_idle = cluster._repeated.clear
    idle = len(cluster._repeated)
    assert (list(cluster.results([])), idle, len(cluster._repeated)) == ([], 1, 0)


@pytest.mark.parametrize("address", ["local:", "local:0", "local:-1", "local:x", "local:\u0661"])
def test_a_local_cluster_has_a_number_of_workers(address: str) -> None:
    assert (local_workers("local"), local_workers("local:2"), local_workers("tcp://local:2")) == (0, 2, None)
    with pytest.raises(InputError, match="expected local:N"):
        local_workers(address)


@pytest.mark.parametrize(("address", "workers"), [("local", 3), ("local:2", 2), ("local:5", 5)])
def test_a_local_cluster_has_as_many_workers_as_jobs_if_no_number_is_given(address: str, workers: int) -> None:
    assert Cluster(address, service, jobs=3)._jobs == workers


@pytest.mark.parametrize("version", ["0.0.1", "99.0", __version__])
def test_a_worker_of_another_version_is_refused(cluster: Cluster, version: str) -> None:
    cluster._client.run, cluster._ask = None, lambda *_, **__: {"b": ("q", version)}  # type: ignore[method-assign]
    if version == __version__:
        cluster._meet({"b": 1})
        assert cluster._workers["b"] == _Worker("b", "q", 1)
        return
    with pytest.raises(InputError, match=f"the worker b has crosslit {version}, this process has"):
        cluster._meet({"b": 1})
