"""The result of a verification as JUnit XML, for continuous integration."""

from __future__ import annotations

from xml.etree import ElementTree

from crosslit_verify.judging import PROBLEMS
from crosslit_verify.records import Verification


def junit_xml(verification: Verification, name: str) -> bytes:
    """Return a test suite with a test case for each failure and for each group without one, and at least one case.

    Args:
        verification: the result.
        name: name of the suite, such as the command.
    """
    failures = verification.failures
    suite = ElementTree.Element("testsuite", name=f"crosslit verify {name}")
    passed = [group for group in PROBLEMS if group not in verification.counts]
    for failure in failures:
        case = _case(suite, verification, failure.problem.group)
        ElementTree.SubElement(case, "failure", message=failure.problem.detail).text = _printable(failure.text())
    if not failures:
        case = _case(suite, verification, "no wrong answer")
        if not verification.passed:
            ElementTree.SubElement(case, "skipped", message="nothing was judged")
    for group in passed if failures else ():
        _case(suite, verification, group)
    cases = len(suite)
    skipped = 0 if failures or verification.passed else 1
    suite.attrib |= {"tests": str(cases), "failures": str(len(failures)), "errors": "0", "skipped": str(skipped)}
    suite.set("time", f"{verification.seconds:.3f}")
    ElementTree.SubElement(suite, "system-out").text = _printable(verification.summary())
    written: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return written


def _case(suite: ElementTree.Element, verification: Verification, name: str) -> ElementTree.Element:
    settings = verification.settings
    return ElementTree.SubElement(suite, "testcase", classname=f"{settings.kind}.{settings.claims}", name=name)


def _printable(text: str) -> str:
    # XML 1.0 cannot express most control characters, not even as references.
    return "".join(character for character in text if character.isprintable() or character == "\n")
