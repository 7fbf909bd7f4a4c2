"""The registered backends and encodings, the meaning of specs, and the default backends of each question.

They register by name, those of plugins by entry points, and are imported when used. This package must not import an
engine, or start a run.
"""

from crosslit.registry.specs import BACKENDS as BACKENDS
from crosslit.registry.specs import ENCODERS as ENCODERS
from crosslit.registry.specs import Choice as Choice
from crosslit.registry.specs import add as add
from crosslit.registry.specs import all_backends as all_backends
from crosslit.registry.specs import all_encodings as all_encodings
from crosslit.registry.specs import all_groups as all_groups
from crosslit.registry.specs import defined as defined
from crosslit.registry.specs import find_backends as find_backends
from crosslit.registry.specs import forget as forget
from crosslit.registry.specs import kinds as kinds
from crosslit.registry.specs import questions as questions
from crosslit.registry.specs import select as select
from crosslit.registry.specs import select_one as select_one
