"""The former place of the pytest plugin, for installations whose entry points are older than this file."""

from crosslit.pytest_plugin import pytest_runtest_makereport as pytest_runtest_makereport
