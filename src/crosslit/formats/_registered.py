"""The registered file formats, found as backends and encodings are: by an entry point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import entry_points

from crosslit.formats._format import Format

GROUP = "crosslit.formats"


class RegisteredFormats(Mapping[str, Format]):
    """The formats by name, in the order in which they are tried on a content; found at the first look.

    A format that cannot be loaded costs no other: `broken` says why. Crosslit's own names and extensions stay its own.
    """

    def __init__(self) -> None:
        self.broken: dict[str, str] = {}

    @cached_property
    def _found(self) -> Mapping[str, Format]:
        found: dict[str, Format] = {}
        extensions: set[str] = set()
        owners = {point: point.dist.name if point.dist else "" for point in entry_points(group=GROUP)}
        for point, owner in sorted(owners.items(), key=lambda item: (item[1] != "crosslit", item[0].name)):
            try:
                known = Format(point.load())
                if known.name in found:
                    raise ValueError(f"there is another format {known.name}")
                known.extensions -= extensions
            except Exception as error:
                self.broken[point.name] = (
                    f"{point.value} of {owner or 'an unknown distribution'} cannot be loaded: {error}"
                )
                continue
            found[known.name] = known
            extensions |= known.extensions
        return dict(sorted(found.items(), key=lambda item: (-item[1].priority, item[0])))

    def __getitem__(self, name: str) -> Format:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
