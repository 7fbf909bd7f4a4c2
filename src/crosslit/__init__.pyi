"""The public names, for type checkers and editors."""

from typing import Literal, overload

from crosslit_bench.campaign import Campaign as Campaign
from crosslit_bench.campaign import CampaignResults as CampaignResults
from crosslit_encoders.formula import Formula
from crosslit_generate.audit import audit as audit
from crosslit_generate.generate import generate as generate
from crosslit_generate.generate import nullity as nullity
from crosslit_play.document import page as page
from crosslit_verify.report import Verification as Verification
from crosslit_verify.session import verify as verify

from crosslit.base.errors import CrosslitError as CrosslitError
from crosslit.base.errors import GaveUp as GaveUp
from crosslit.base.errors import InputError as InputError
from crosslit.base.errors import SpecError as SpecError
from crosslit.base.errors import Unavailable as Unavailable
from crosslit.base.errors import WrongSolution as WrongSolution
from crosslit.base.grid import Grid as Grid
from crosslit.contract import Encoded
from crosslit.contract.run import Limits as Limits
from crosslit.formats import PuzzleLike
from crosslit.formats import load as load
from crosslit.formats import load_all as load_all
from crosslit.formats import write as write
from crosslit.formats.drawing import Picture as Picture
from crosslit.formats.drawing import draw as draw
from crosslit.judging.verdict import Comparison as Comparison
from crosslit.kinds import LightsOut as LightsOut
from crosslit.kinds import Nonogram as Nonogram
from crosslit.kinds.lights_out.board import ModularLightsOut as ModularLightsOut
from crosslit.kinds.nonogram.colours import ColouredNonogram as ColouredNonogram
from crosslit.questions.compare import compare as compare
from crosslit.questions.enumerate import count as count
from crosslit.questions.explain import explain as explain
from crosslit.questions.list_check import check_list as check_list
from crosslit.questions.solve import batches as batches
from crosslit.questions.solve import fewest as fewest
from crosslit.questions.solve import solutions as solutions
from crosslit.questions.solve import solve as solve
from crosslit.registry import add_solver as add_solver
from crosslit.registry import backends as backends

__version__: str

__all__: list[str]

@overload
def encode(puzzle: PuzzleLike, name: None = None, target: None = None) -> Formula: ...
@overload
def encode(puzzle: PuzzleLike, name: str | None = None, *, target: Literal["cnf", "cnf-xor"]) -> Formula: ...
@overload
def encode(puzzle: PuzzleLike, name: str | None = None, target: str | None = None) -> Encoded: ...
