"""One browser for all tests of the viewer that need one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from viewing import open_browser, playwright


@pytest.fixture(scope="module")
def tool() -> Iterator[Any]:
    with playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(tool: Any) -> Iterator[Any]:
    with open_browser(tool) as opened:
        yield opened
