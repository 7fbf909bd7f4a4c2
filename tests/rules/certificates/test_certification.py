"""Comparisons with certificates: the backends asked, the evidence, and the effect of false or broken certificates."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crosslit import Grid, Limits, load
from crosslit.contract import Certificate, Certified, CheckResult
from crosslit.contract.run import Run
from crosslit.judging.solutions import judge
from crosslit.judging.verdict import Finding
from crosslit.questions.compare import jobs, seek
from crosslit.runs.job import Certify, Job
from tests.conftest import Command

UNIQUE = "1,2|2,1"
STOPPED = "a run stopped at 2 solutions; a proof needs all of them (--all)"


def compared(crosslit: Command, environment: dict[str, str], puzzle: str, *specs: str, seconds: str = "20") -> dict:
    arguments = ["compare", puzzle, "--backends", ",".join(specs), "--certify", "--json", "--timeout", seconds]
    done = crosslit(*arguments, env=environment)
    assert "Traceback" not in done.stderr
    comparison = json.loads(done.stdout)
    assert done.returncode == (0 if comparison["consistent"] else 1)
    return dict(comparison)


FALSE = {
    "certifies-a-lie": ("refused-certificate", "rows differs from the clues"),
    "certifies-another": ("refused-certificate", "it is about another puzzle"),
    "certifies-strangely": ("refused-certificate", "it is not a certificate: its count is a whole n"),
    "certifies-rubbish": (
        "error",
        "while it made a certificate: it certified with str where a Certificate is expected",
    ),
    "certifies-endlessly": ("error", "while it made a certificate: ValueError: Circular reference detected"),
    "crashes-certifying": ("error", "while it made a certificate: killed by SIGSEGV"),
    "raises-certifying": ("error", "while it made a certificate: KeyError: 'no evidence'"),
    "floods-certifying": ("error", "while it made a certificate: it wrote "),
}
"""By backend: the problem that is found, and how its detail begins."""


def test_false_evidence_is_a_finding_against_its_maker(crosslit: Command, planted_environment: dict[str, str]) -> None:
    comparison = compared(crosslit, planted_environment, UNIQUE, *FALSE, "line")
    found = {finding["backend"]: (finding["problem"], finding["detail"]) for finding in comparison["findings"]}
    assert len(found) == len(comparison["findings"])
    assert {name: (problem, words[: len(FALSE[name][1])]) for name, (problem, words) in found.items()} == FALSE
    assert (comparison["verdict"]["status"], comparison["verdict"]["evidence"]) == ("unique", "agreed")
    assert "certificate" not in comparison["verdict"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("certifies-no-more", "there is no time for evidence"), ("hangs-certifying", "stopped after 1 s")],
)
def test_no_evidence_is_no_finding(
    crosslit: Command, planted_environment: dict[str, str], name: str, reason: str
) -> None:
    comparison = compared(crosslit, planted_environment, UNIQUE, name, seconds="1")
    assert comparison["consistent"]
    assert comparison["verdict"]["evidence"] == "claimed"
    assert comparison["uncertified"] == {name: reason}


BOARD = load("11/11")  # one solution
CERTIFICATE = Certificate("a format", BOARD.id, "unique", 1, {})
SOUND, WEAK = (json.dumps(CheckResult("unique", 1, "a check", base).json()) for base in ((), ("encoder x",)))
ENDS: dict[str, tuple[tuple[Any, str, str], tuple[Any, str, str]]] = {
    "sound": (("complete", "", CERTIFICATE.text), ("complete", "", SOUND)),
    "weak": (("complete", "", CERTIFICATE.text), ("complete", "", WEAK)),
    "late": (("timeout", "", ""), ("error", "never asked", "")),
    "unable": (("gave-up", "too large", ""), ("error", "never asked", "")),
    "broken": (("error", "it fell", ""), ("error", "never asked", "")),
    "refused": (("complete", "", CERTIFICATE.text), ("gave-up", "it is wrong", "")),
    "unreadable": (("complete", "", "{}"), ("gave-up", "no keys", "")),
    "deadly": (("complete", "", CERTIFICATE.text), ("error", "killed", "")),
    "unchecked": (("complete", "", CERTIFICATE.text), ("memory", "", "")),
}
"""The ends of the run that makes a certificate, and of the one that checks it: status, error and text."""
APART = "and the certificate checker contradict each other"


@pytest.mark.parametrize(
    ("ends", "by", "asked", "reasons", "findings"),
    [
        ("sound sound", "gauss", 1, {}, []),
        ("weak sound", "polynomial", 2, {}, []),
        ("weak weak", "gauss", 2, {}, []),
        ("weak late", "gauss", 2, {"polynomial": "stopped after 60 s"}, []),
        ("late unable", None, 2, {"gauss": "stopped after 60 s", "polynomial": "too large"}, []),
        (
            *("broken sound", "polynomial", 2, {"gauss": "it fell"}),
            ["gauss: error: while it made a certificate: it fell"],
        ),
        (
            *("refused sound", "polynomial", 2, {"gauss": "the check: it is wrong"}),
            [f"gauss: refused-certificate: it is wrong; gauss {APART}"],
        ),
        (
            *("unreadable weak", "polynomial", 2, {"gauss": "the check: no keys"}),
            [f"gauss: refused-certificate: no keys; gauss {APART}"],
        ),
        (
            *("deadly weak", "polynomial", 2, {"gauss": "the check: killed"}),
            [f"gauss: refused-certificate: killed; gauss {APART}"],
        ),
        ("unchecked weak", "polynomial", 2, {"gauss": "the check: stopped at 4,096 MB of memory"}, []),
    ],
)
def test_backends_are_asked_until_a_certificate_without_an_encoder_is_accepted(
    ends: str, by: str | None, asked: int, reasons: dict[str, str], findings: list[str]
) -> None:
    scripts = dict(zip(("gauss", "polynomial"), ends.split(), strict=True))
    certified, found, why, makers = sought(scripts, ["complete"] * 2)
    assert (certified and certified.by, len(makers), why) == (by, asked, reasons)
    assert [str(finding) for finding in found] == findings


def sought(
    scripts: dict[str, str], statuses: list[Any]
) -> tuple[Certified | None, list[Finding], dict[str, str], list[str]]:
    """Ask the backends of given runs for certificates: what `seek` returns, and the specs of those it asked."""
    grid, makers = Grid.from_text("11/11"), list[str]()

    def run(job: Job) -> Run:
        if isinstance(job.request, Certify):
            assert job.request.solutions == [grid]
            makers.append(job.spec)
        (status, error, text) = ENDS[scripts[makers[-1]]][not isinstance(job.request, Certify)]
        return Run(job.spec, status=status, error=error, text=text)

    planned = jobs(BOARD, ",".join(scripts))
    runs = [
        Run(job.spec, status=status, grids=[grid], trusted_base=frozenset({job.spec}))
        for job, status in zip(planned, statuses, strict=True)
    ]
    runner: Any = SimpleNamespace(interrupted=False, run=run)
    return (*seek(judge(BOARD, runs, Limits()), planned, runner), makers)


@pytest.mark.parametrize(
    ("statuses", "makers"),
    [
        (["complete", "limit", "limit"], ["first-row"]),
        (["timeout", "limit", "limit"], ["gauss"]),
        (["limit", "limit", "complete"], ["glucose4"]),
        (["limit", "timeout", "limit"], []),
    ],
)
def test_a_run_that_stopped_is_certified_only_if_no_run_is_complete_and_its_backend_can(
    statuses: list[str], makers: list[str]
) -> None:
    certified, _, reasons, asked = sought(dict.fromkeys(("first-row", "gauss", "glucose4"), "sound"), statuses)
    assert asked == [name for name in makers if name != "first-row"]
    assert (certified is None) == (asked == [])
    expected = {"first-row": "it makes no certificates"} if "first-row" in makers else {} if makers else {"": STOPPED}
    assert reasons == expected


@pytest.mark.parametrize("encoder", ["drops", "drops-across-lines", "adds"])
def test_a_wrong_encoder_certifies_nothing_false(
    crosslit: Command, planted_environment: dict[str, str], encoder: str
) -> None:
    comparison = compared(crosslit, planted_environment, "1,1|1,1", f"cadical195/{encoder}")
    assert comparison["verdict"]["evidence"] in ("claimed", None)
    assert ("certificate" in comparison["verdict"]) == (encoder != "adds")


def test_a_check_is_ended_at_its_limit(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    record = Certificate("refutation", load("10/01").id, "unique", 1, {"x": "LONG"}).text
    path.write_text(record.replace('"LONG"', f"[{'[],' * 250_000}[]]"), encoding="utf-8")
    done = crosslit("check-certificate", "10/01", str(path), "--json", "--timeout", "0.001")
    record = json.loads(done.stdout)
    found = {name: record[name] for name in ("accepted", "reason", "claim")}
    assert (done.returncode, found) == (3, {"accepted": None, "reason": "stopped after 0.001 s", "claim": None})


INTRUDER = """
from pathlib import Path
import crosslit.judging.certificates
from crosslit.judging.certificates import CheckResult
crosslit.judging.certificates.check = lambda puzzle, made: CheckResult(made.claim, made.count, "nobody", ())
Path(__file__).with_name("loaded").touch()
BACKENDS = ENCODINGS = []
"""


def test_no_plugin_is_loaded_where_a_certificate_is_checked(crosslit: Command, tmp_path: Path) -> None:
    false, sound = tmp_path / "false.json", tmp_path / "sound.json"
    board = load("101/000")  # it has a solution
    false.write_text(
        Certificate("lights-out-parity", board.id, "unsolvable", 0, {"lights": "101/000"}).text, encoding="utf-8"
    )
    crosslit("compare", UNIQUE, "--backends", "glucose4", "--certificate", str(sound))  # its check needs an encoding
    (tmp_path / "intruder.py").write_text(INTRUDER, encoding="utf-8")
    metadata = tmp_path / "intruder-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: intruder\nVersion: 1.0\n", encoding="utf-8")
    groups = {"backends": "BACKENDS", "encoders": "ENCODINGS"}
    points = "".join(f"[crosslit.{group}]\nan-intruder = intruder:{name}\n" for group, name in groups.items())
    (metadata / "entry_points.txt").write_text(points, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    assert crosslit("check-certificate", board.text, str(false), env=environment).returncode == 1
    assert crosslit("check-certificate", UNIQUE, str(sound), env=environment).returncode == 0
    assert not (tmp_path / "loaded").exists()
    crosslit("backends", env=environment)
    assert (tmp_path / "loaded").exists()  # the others do load it
