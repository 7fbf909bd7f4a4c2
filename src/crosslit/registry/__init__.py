"""The meaning of specs, and the default backends and encodings of each question.

`crosslit.contract.registered` has what is registered, by name. This package must not import an engine, or start a run.
"""

from crosslit.contract.registered import BACKENDS as BACKENDS
from crosslit.contract.registered import ENCODERS as ENCODERS
from crosslit.contract.registered import Choice as Choice
from crosslit.contract.registered import add as add
from crosslit.contract.registered import all_backends as all_backends
from crosslit.contract.registered import all_encodings as all_encodings
from crosslit.contract.registered import all_groups as all_groups
from crosslit.contract.registered import defined as defined
from crosslit.contract.registered import forget as forget
from crosslit.registry.specs import find_backends as find_backends
from crosslit.registry.specs import kinds as kinds
from crosslit.registry.specs import questions as questions
from crosslit.registry.specs import select as select
from crosslit.registry.specs import select_one as select_one
