"""What a study found: kept as text without loss, and told in numbers that a reader can take in."""

from __future__ import annotations

import json
import math

import pytest

from continuarm.reproduction.number_text import digits, with_error
from continuarm.reproduction.study import Findings
from continuarm.reproduction.tables import Table

pytestmark = pytest.mark.exhaustive


def test_findings_come_back_from_json_as_they_were():
    table = Table.of(("a, b", "m", [1, 1 / 3, math.nan]), ("words", "", ["x", 'y "z"', "ü,"]))
    found = Findings({"n": 1}, {"t": table}, {"s": 2.0}, {})
    again = Findings.read(json.loads(json.dumps(found.plain, allow_nan=False)))
    assert again == found
    assert table.csv == '"a, b [m]",words\n1,x\n0.333333333,"y ""z"""\n,"ü,"\n'


@pytest.mark.parametrize(
    ("value", "count", "expected"),
    [
        *((0.0, 3, "0"), (None, 3, "–"), (1234.5, 3, "1,234"), (-0.01234, 3, "−0.0123"), (9.5, 3, "9.50")),
        *((1.25e-7, 3, "1.25 · 10^{−7}"), (2e6, 2, "2.0 · 10^{6}"), (99.96, 3, "100")),
    ],
)
def test_numbers_for_readers(value, count, expected):
    assert digits(value, count) == expected
    assert with_error(1.344612, 0.00043) == "1.34461(43)"
    assert with_error(-21.18, 0.55) == "−21.18(55)"
