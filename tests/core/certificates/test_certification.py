"""Comparisons with certificates: the backends asked, the evidence, and the effect of false or broken certificates."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

import crosslit
from crosslit import Grid, LightsOut, Limits, load
from crosslit.contract import Certificate, Certified, CheckResult
from crosslit.contract.run import Run
from crosslit.judging.solutions import judge
from tests.conftest import ROOT, Command

IMPOSSIBLE = "1,1|1,0"
UNIQUE = "1,2|2,1"
FOUR = "1111/1111/1111/1111"


def run(backend: str, *texts: str, status: str = "complete") -> Run:
    grids = [Grid.from_text(text) for text in texts]
    return Run(backend, trusted_base=frozenset({"same"}), status=status, grids=grids)  # type: ignore[arg-type]


def certified(count: int, by: str = "maker") -> Certified:
    claim = {0: "unsolvable", 1: "unique"}.get(count, "complete")
    certificate = Certificate("rup", "5e1f", claim, count, {})  # type: ignore[arg-type]
    return Certified(certificate, by, CheckResult(certificate.claim, count, "a check", ("the encoder",)))


def test_a_certificate_is_the_best_evidence() -> None:
    board = LightsOut(Grid.from_text("11/11"))
    runs = [run("maker", "11/11"), run("brute", "11/11")]
    assert judge(board, runs, Limits()).verdict.evidence == "brute-force"
    comparison = judge(board, runs, Limits(), certified(1))
    assert comparison.consistent
    verdict = comparison.verdict
    assert (verdict.status, verdict.evidence, verdict.by) == ("unique", "certified", ("maker",))
    assert verdict.json()["certificate"] == {
        "format": "rup",
        "claim": "unique",
        "count": 1,
        "by": "maker",
        "checked_by": "a check",
        "trusts": ["the encoder"],
    }


def test_a_certificate_that_a_checked_solution_contradicts_is_a_finding() -> None:
    board = LightsOut(Grid.from_text("11/11"))
    comparison = judge(board, [run("maker", "11/11"), run("other", "11/11")], Limits(), certified(0))
    assert [(f.backend, f.problem) for f in comparison.findings] == [("maker", "contradicted-certificate")]
    assert (comparison.verdict.status, comparison.verdict.evidence) == ("unique", "claimed")
    assert comparison.verdict.certificate is None


@pytest.mark.parametrize("count", [2, 2**70])
def test_a_certificate_that_a_complete_run_contradicts_leaves_open_who_is_wrong(count: int) -> None:
    board = LightsOut(Grid.from_text("11/11"))
    comparison = judge(board, [run("maker", "11/11"), run("other", "11/11")], Limits(), certified(count))
    assert {(f.backend, f.problem) for f in comparison.findings} == {
        (name, "disagreement") for name in ("maker", "other", "nullity")
    }
    assert (comparison.verdict.status, comparison.verdict.certificate) == ("undecided", None)


def test_a_certificate_that_the_nullity_contradicts_is_a_finding() -> None:
    board = crosslit.load(FOUR)
    found = [grid.text() for grid, _ in zip(crosslit.solutions(board), range(2), strict=False)]
    runs = [run("maker", *found, status="limit")]
    assert judge(board, runs, Limits(), certified(16)).consistent
    comparison = judge(board, runs, Limits(), certified(8))
    assert [(f.backend, f.problem) for f in comparison.findings] == [
        ("nullity", "disagreement"),
        ("maker", "disagreement"),
    ]
    assert (comparison.verdict.evidence, comparison.verdict.certificate) == ("witnessed", None)


def test_a_solution_together_with_unsolvable_is_a_finding() -> None:
    board = LightsOut(Grid.from_text("11/11"))
    runs = [run("maker"), run("other", "11/11", status="limit")]
    comparison = judge(board, runs, Limits(), certified(0))
    assert {(f.backend, f.problem) for f in comparison.findings} == {
        ("maker", "false-unsolvable"),
        ("maker", "contradicted-certificate"),
    }
    assert comparison.verdict.evidence is None


def test_more_solutions_than_were_looked_for_can_be_certified() -> None:
    board = crosslit.load(FOUR)
    comparison = crosslit.compare(board, "native", certify=True)
    verdict = comparison.verdict
    assert [run.status for run in comparison.runs] == ["limit"] * 5
    assert (verdict.status, verdict.solutions, verdict.complete) == ("multiple", 16, True)
    assert verdict.at_least < 16
    assert verdict.evidence == "certified"


def test_nobody_is_asked_whom_nothing_supports() -> None:
    comparison = crosslit.compare(crosslit.load("1,1|1,1"), "line", certify=True)
    assert comparison.verdict.evidence == "witnessed"
    assert comparison.uncertified == {"": "there is no reliable complete run"}


def test_who_makes_no_certificates_says_so() -> None:
    comparison = crosslit.compare(crosslit.load("10/01"), "chase,first-row", certify=True)
    assert comparison.verdict.evidence == "claimed"
    assert comparison.uncertified == dict.fromkeys(["chase", "first-row"], "it makes no certificates")
    assert comparison.json()["uncertified"] == comparison.uncertified
    assert "uncertified" not in crosslit.compare(crosslit.load("10/01"), "chase").json()


@pytest.mark.slow
def test_a_picture_of_fifty_lines_is_certified() -> None:
    puzzle = crosslit.load(ROOT / "examples" / "article-50x50.txt")
    verdict = crosslit.compare(puzzle, "line,glucose4", certify=True).verdict
    assert (verdict.status, verdict.evidence, verdict.by) == ("unique", "certified", ("glucose4",))


def compared(crosslit: Command, environment: dict[str, str], puzzle: str, *specs: str, seconds: str = "20") -> dict:
    arguments = ["compare", puzzle, "--backends", ",".join(specs), "--certify", "--json", "--timeout", seconds]
    done = crosslit(*arguments, env=environment)
    assert "Traceback" not in done.stderr
    comparison = json.loads(done.stdout)
    assert done.returncode == (0 if comparison["consistent"] else 1)
    return dict(comparison)


FALSE = {
    "certifies-a-lie": ("refused-certificate", "nonogram-sums: rows differs from the clues"),
    "certifies-another": ("refused-certificate", "nonogram-sums: it is about another puzzle"),
    "certifies-strangely": ("refused-certificate", "unreadable: the numbers of a certificate are whole, not 1.5"),
    "certifies-rubbish": (
        "error",
        "while it made a certificate: it certified with str where a Certificate is expected",
    ),
    "certifies-endlessly": ("error", "while it made a certificate: ValueError: Circular reference detected"),
    "crashes-certifying": ("error", "while it made a certificate: killed by SIGSEGV"),
    "raises-certifying": ("error", "while it made a certificate: KeyError: 'no evidence'"),
    "floods-certifying": ("error", "while it made a certificate: it wrote rubbish where a frame is expected"),
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
    ("name", "reason"), [("certifies-no-more", "there is no time for evidence"), ("hangs-certifying", "timeout")]
)
def test_no_evidence_is_no_finding(
    crosslit: Command, planted_environment: dict[str, str], name: str, reason: str
) -> None:
    comparison = compared(crosslit, planted_environment, UNIQUE, name, seconds="1")
    assert comparison["consistent"]
    assert comparison["verdict"]["evidence"] == "claimed"
    assert comparison["uncertified"] == {name: reason}


def test_a_failure_does_not_keep_others_from_certifying(crosslit: Command, planted_environment: dict[str, str]) -> None:
    comparison = compared(crosslit, planted_environment, IMPOSSIBLE, "crashes-certifying", "certifies-a-lie", "line")
    verdict = comparison["verdict"]
    assert (verdict["evidence"], verdict["by"], verdict["certificate"]["checked_by"]) == (
        "certified",
        ["line"],
        "sums of the clues",
    )
    assert {finding["backend"] for finding in comparison["findings"]} <= {"crashes-certifying", "certifies-a-lie"}


def test_a_liar_is_not_asked(crosslit: Command, planted_environment: dict[str, str]) -> None:
    comparison = compared(crosslit, planted_environment, FOUR, "lies-unsolvable", "polynomial")
    assert [finding["problem"] for finding in comparison["findings"]] == ["false-unsolvable"]
    assert (comparison["verdict"]["evidence"], comparison["verdict"]["by"]) == ("certified", ["polynomial"])


def encoded(backend: str, *texts: str, encoder: str) -> Run:
    return replace(run(backend, *texts), trusted_base=frozenset({backend, encoder}))


def test_a_certificate_that_trusts_its_encoder_certifies_what_others_have_found_without_it() -> None:
    puzzle = crosslit.load("1,1|1,1")
    given = replace(certified(2), checked=CheckResult("complete", 2, "a check", ("encoder order",)))
    alone = [encoded(name, "10/01", "01/10", encoder="order") for name in ("maker", "other")]
    verdict = judge(puzzle, alone, Limits(), given).verdict
    assert (verdict.status, verdict.evidence, verdict.certificate) == ("multiple", "claimed", given)
    independent = encoded("third", "10/01", "01/10", encoder="none")
    verdict = judge(puzzle, [*alone, independent], Limits(), given).verdict
    assert (verdict.evidence, verdict.by) == ("certified", ("maker",))


@pytest.mark.parametrize("encoder", ["drops", "drops-across-lines", "adds"])
def test_a_wrong_encoder_certifies_nothing_false(
    crosslit: Command, planted_environment: dict[str, str], encoder: str
) -> None:
    comparison = compared(crosslit, planted_environment, "1,1|1,1", f"cadical195/{encoder}")
    assert comparison["verdict"]["evidence"] in ("claimed", None)
    assert ("certificate" in comparison["verdict"]) == (encoder == "drops-across-lines")


def test_engines_that_share_an_encoder_do_not_confirm_each_other(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    specs = [f"{engine}/drops-across-lines" for engine in ("cadical195", "glucose4")]
    verdict = compared(crosslit, planted_environment, "1,1|1,1", *specs)["verdict"]
    assert (verdict["status"], verdict["evidence"]) == ("unique", "claimed")
    assert verdict["certificate"]["trusts"][0] == "encoder drops-across-lines"


def test_a_certificate_that_trusts_no_encoder_is_preferred() -> None:
    puzzle = crosslit.load(f"1 1|1,0,1{',0' * 62}")  # a row of 2,016 arrangements, too many to check its table
    comparison = crosslit.compare(puzzle, "cadical195/table,glucose4/order", certify=True)
    certificate = comparison.verdict.certificate
    assert certificate is not None
    assert (certificate.by, certificate.checked.trusts_encoder) == ("glucose4/order", False)


def test_a_certificate_is_written_and_checked_again(crosslit: Command, tmp_path: Path) -> None:
    path = str(tmp_path / "proof.json")
    done = crosslit("compare", "100/000", "--backends", "native", "--certificate", path)
    assert done.returncode == 0
    assert "(evidence: certified, by " in done.stdout
    again = crosslit("check-certificate", "100/000", path)
    assert (again.returncode, again.stdout) == (
        0,
        "accepted: there is no solution (checked by parity of lights)\n"
        "still trusted: the rules of the puzzle, the checker and Python\n",
    )
    made = Certificate.from_json(Path(path).read_text(encoding="utf-8"))
    Path(path).write_text(replace(made, body={"lights": "111/111"}).text(), encoding="utf-8")
    refused = crosslit("check-certificate", "100/000", path, "--json")
    assert refused.returncode == 1
    record = json.loads(refused.stdout)
    assert (record["accepted"], record["claim"], record["count"]) == (False, "unsolvable", 0)
    assert record["reason"] == "the press in row 1, column 1 toggles an odd number of its lights"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is not JSON: Expecting value: line 1 column 1 (char 0)"),
        (b"\xff\xfe", "expected a certificate, JSON in UTF-8"),
        (b"[" * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_no_certificate_is_bad_input(crosslit: Command, tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "proof.json"
    path.write_bytes(data)
    done = crosslit("check-certificate", "10/01", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"crosslit: {path}: {message}\n")


@pytest.mark.parametrize(
    ("body", "limit", "how"),
    [("[]," * 250_000, ("--timeout", "0.001"), "timeout"), ("[]," * 2_500_000, ("--memory", "150"), "memory")],
    ids=["timeout", "memory"],
)
def test_a_check_is_ended_at_its_limits(
    crosslit: Command, tmp_path: Path, body: str, limit: tuple[str, str], how: str
) -> None:
    path = tmp_path / "proof.json"
    record = Certificate("refutation", load("10/01").id, "unique", 1, {"x": "LONG"}).text()
    path.write_text(record.replace('"LONG"', f"[{body}[]]"), encoding="utf-8")
    done = crosslit("check-certificate", "10/01", str(path), "--json", *limit)
    record = json.loads(done.stdout)
    assert (done.returncode, record["accepted"], record["reason"], record["claim"]) == (3, None, how, None)


def test_a_file_that_is_not_there_is_bad_input(crosslit: Command, tmp_path: Path) -> None:
    for path in (str(tmp_path), str(tmp_path / "none"), "x" * 5000):
        done = crosslit("check-certificate", "10/01", path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_certificate_without_end_is_bad_input(crosslit: Command) -> None:
    done = crosslit("check-certificate", "10/01", "/dev/zero")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "crosslit: /dev/zero: expected at most 268435456 bytes\n"


def test_without_a_certificate_no_file_is_written(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    done = crosslit("compare", "10/01", "--backends", "chase", "--certificate", str(path))
    assert (done.returncode, path.exists()) == (3, False)
    assert done.stderr == f"crosslit: {path} not written: no certificate was accepted\n"
    assert "not certified by chase: it makes no certificates" in done.stdout


@pytest.mark.parametrize("arguments", [["10/01", "--fewest", "--certify"], ["10/01", "11/11", "--certificate", "x"]])
def test_what_cannot_be_certified_is_bad_usage(crosslit: Command, arguments: list[str]) -> None:
    done = crosslit("compare", *arguments)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_file_of_several_puzzles_is_not_one_to_certify(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "two.xml"
    one = '<puzzle><clues type="rows"><line/></clues><clues type="columns"><line/></clues></puzzle>'
    path.write_text(f"<puzzleset>{one}{one}</puzzleset>", encoding="utf-8")
    done = crosslit("compare", str(path), "--certificate", str(tmp_path / "proof.json"))
    assert (done.returncode, done.stdout, [*tmp_path.iterdir()]) == (2, "", [path])
    assert "for one PUZZLE" in done.stderr


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
        Certificate("lights-out-parity", board.id, "unsolvable", 0, {"lights": "101/000"}).text(), encoding="utf-8"
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
