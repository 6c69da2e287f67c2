"""Values that are wrong for most arguments, and what is wrong with how a call answers to them.

A number that no float can hold, half precision and masked entries are among them; a warning is a failure.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import continuarm as ca

MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])

WRONG = {
    "None": None,
    "text": "text",
    "no text": "",
    "bytes": b"bytes",
    "a folder": Path("/"),
    "true": True,
    "zero": 0,
    "minus one": -1,
    "a half": 0.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "complex": 1j,
    "1e308": 1e308,
    "10**400": 10**400,
    "-10**400": -(10**400),
    "float16": np.float16(60000.0),
    "float16 inf": np.float16("inf"),
    "longdouble": np.longdouble("1e4000"),
    "masked": np.ma.masked,
    "masked array": MASKED,
    "an object": object(),
    "a class": ca.PressureSteps,
    "its own class": None,  # put in below: the class of the right argument
    "an arm": ca.load_arm("single-section"),
    "a function": lambda *given: None,
    "a table": {},
    "a table of words": {"a": "b"},
    "an empty list": [],
    "a list of None": [None],
    "a list of text": ["text"],
    "a list of large": [10**400],
    "a ragged list": [[1.0, 2.0], [3.0]],
    "a nested list": [[[[1.0]]]],
    "a set": {1.0},
    "a generator": None,  # made anew for every call
    "large numbers": np.full(3, 1e308),
    "large rows": np.full((2, 3), -1.7e308),
    "large six": np.full(6, 1.7e308),
    "large wrenches": 1.7e308 * np.array([[1.0] * 6, [-1.0] * 6]),
    "three large": [10**400] * 3,
    "three of 100 bits": [10**30] * 3,
    "three masked": [np.ma.masked] * 3,
    "denormal": 5e-324,
    "denormal numbers": np.full(3, 5e-324),
    "half numbers": np.full(3, 6e4, dtype=np.float16),
    "text array": np.array(["a", "b"]),
    "object array": np.array([None, 1.0], dtype=object),
    "times": np.array(["2020-01-01"], dtype="datetime64[s]"),
    "empty array": np.zeros((0, 3)),
    "no-dimensional": np.array(1.0),
}


def wrong_values(right):
    """Name and value of everything that is put in place of a right argument."""
    for name, value in WRONG.items():
        if name == "its own class":
            value = type(right)
        elif name == "a generator":
            value = (each for each in [1.0])
        yield name, value


OF_THE_RESULT = (
    "section 1 of 1",
    "is not finite: ",
    "no equilibrium of 'single-section' found",
    "the state is unstable",
    "of the controller at t = 0 s",
)
"""Words of sentences about what comes out of numbers that are good by themselves."""


def complaints(call, right, argument, after=None):
    """What is wrong with how a call answers to wrong values of one argument."""
    for name, value in wrong_values(right[argument]):
        try:
            made = call(**right | {argument: value})
            if after is not None:
                after(made)
        except (TypeError, ValueError) as error:
            sentence = str(error)
            shown = [repr(value), str(value) or repr(value)] if isinstance(value, (str, Path)) else []
            named = re.search(rf"\b({argument}|{argument.removesuffix('s')})\b", sentence) or any(
                text in sentence for text in shown
            )
            about_result = any(each in sentence for each in OF_THE_RESULT)
            if "\n" in sentence or not sentence.isprintable() or not (named or about_result):
                yield f"{name}: {type(error).__name__}: {sentence}"
        except Exception as error:
            yield f"{name}: {type(error).__name__}: {error}"
