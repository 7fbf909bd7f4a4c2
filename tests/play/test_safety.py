"""Content embedded in a page is data: it runs nothing, and the page loads nothing."""

from __future__ import annotations

from tests.play.conftest import HEART, Open, record

HOSTILE = (
    "</script><script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "{{script}}\u2028\u2029<!--<script>",
    "\ud800",
)


def test_a_hostile_name_is_only_text(opened: Open) -> None:
    records = [{**record(HEART), "name": name, "stopped": name, "complete": False} for name in HOSTILE]
    page = opened(*records)
    for number, name in enumerate(HOSTILE):
        page.choose("chooser", number)
        for tab in ("play", "steps", "solutions", "draw"):
            page.press(f"tab-{tab}")
        if name.isprintable():
            assert page.text("#heading") == f"{name}, 5 × 5"
    assert page.script(
        "return [window.ran ?? null, document.querySelectorAll('img').length, document.scripts.length]"
    ) == [None, 0, 2]


def test_the_policy_stops_other_scripts_and_the_page_loads_nothing(opened: Open) -> None:
    page = opened(record(HEART))
    assert page.script("return performance.getEntriesByType('resource').length") == 0
    page.script(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
        "const i = document.createElement('div'); i.setAttribute('onclick', 'window.ran = 1');"
        "document.body.append(i); i.click();"
    )
    assert page.script("return window.ran ?? null") is None
    assert all("Content Security Policy" in entry for entry in page.log())  # empties it too
