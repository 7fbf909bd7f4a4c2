"""The two kinds of nonograms: what Crosslit can do with those in one colour, and with those in several."""

from dataclasses import replace

from crosslit.contract.kind import Kind
from crosslit.kinds.nonogram import changing, checks, making, samples, text, view
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.puzzle import Nonogram

KIND = Kind(
    puzzle=Nonogram,
    samples=samples.samples,
    file_format="non",
    parse=text.parse,
    data_keys=("rows", "columns"),
    read_data=text.read_data,
    solutions=samples.solutions,
    satisfied=samples.satisfied,
    all_right=checks.all_drawn,
    makers=making.makers,
    families=samples.families,
    most_solutions=text.most_possible,
    smaller=changing.smaller,
    exchanged=changing.exchanged,
    certificates={"nonogram-sums": checks.check_sums},
    page=view.page,
    stories=view.stories,
    frame=view.frame,
    scene=view.scene,
)

COLOURED = replace(
    KIND,
    puzzle=ColouredNonogram,
    samples=samples.coloured_samples,
    file_format="xml",
    parse=None,
    data_keys=("palette", "rows", "columns"),
    read_data=text.read_coloured_data,
    all_right=None,
    makers=making.coloured_makers,
    families=samples.coloured_families,
    like=samples.like,
    most_solutions=None,
    smaller=changing.coloured_smaller,
    certificates={},
    tint=view.tint,
    scene=view.coloured_scene,
)
"""The second name: a kind is also the puzzles that are sent to a solver, and what a solver can be asked."""
