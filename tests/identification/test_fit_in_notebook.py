"""Recordings and fits say what they are in a few lines, with units; notebooks show errors and warnings."""

from __future__ import annotations

import dataclasses

import numpy as np

import continuarm as ca
from continuarm.identification.findings import Finding
from html_reader import PageReader
from test_public_names import a_recording, an_identification


def test_a_recording_is_one_line() -> None:
    run = a_recording()
    assert repr(run) == "Recording('run', 3 samples from 0 to 0.2 s, tip 1, l11, driven by PressureSteps)"
    arm = ca.load_arm("prototype")
    table = ca.Recording.table("rest", [ca.TipPosition(3, np.zeros((4, 3)))], arm=arm, pressures=np.zeros((4, 9)))
    assert repr(table) == "Recording('rest', 4 resting shapes, tip 3)"
    many = dataclasses.replace(run, name="a" * 300, sensors=[ca.TipPosition(k, np.zeros((3, 3))) for k in range(1, 9)])
    assert "8 sensors" in repr(many)
    assert repr(many).isprintable()
    assert len(repr(many)) < 250


def test_sensors_and_signals_are_one_line() -> None:
    assert repr(ca.TipPosition(3, np.zeros((4, 3)), sigma=1e-3)) == "TipPosition(tip 3, 4 rows, noise 1 mm)"
    assert repr(ca.MuscleLength("l11", [0.0, np.nan])) == "MuscleLength(l11, 2 rows, 1 with gaps)"
    assert (
        repr(ca.TipOrientation(1, np.zeros((2, 3)), sigma=0.1))
        == "TipOrientation(orientation 1, 2 rows, noise 5.73 deg)"
    )
    signal = ca.PressureSignal([0.0, 5.0], np.full((2, 9), 6e5), linear=False)
    assert repr(signal) == "PressureSignal(2 times from 0 to 5 s, 9 columns up to 600000 Pa, held)"
    for nonsense in (ca.ForceSignal("a", None), ca.ForceSignal([], []), ca.WrenchSignal([[0], [1, 2]], object())):
        assert repr(nonsense).startswith(type(nonsense).__name__ + "(")
        assert repr(nonsense).isprintable()


def test_a_fit_lists_its_parameters_with_errors() -> None:
    found = an_identification()
    assert repr(found).splitlines() == [
        "Identification('an \"arm\" µ', 1 parameter, 1 recording)",
        "  NOT TO BE USED AS IT IS: a sentence",
        "  text = 0.50 ± 0.50 text",
    ]
    many = dataclasses.replace(found, parameters=found.parameters * 20, findings=(Finding("one"),), interrupted=True)
    assert len(repr(many).splitlines()) == 12
    assert "and 12 more" in repr(many)
    assert "interrupted" in repr(many)


def test_a_notebook_shows_parameters_misfits_and_warnings() -> None:
    evil = "<script>alert(1)</script>"
    found = an_identification()
    parameter = dataclasses.replace(found.parameters[0], name=evil, standard_error=np.inf)
    fit = dataclasses.replace(found, parameters=(*found.parameters, parameter), findings=(Finding(f"careful {evil}"),))
    fragment = fit._repr_html_()
    reader = PageReader(fragment)
    assert reader.open == []
    assert "<script" not in fragment
    words = " ".join(reader.words)
    for shown in ("0.50 ± 0.50", "careful", "a sentence", "rms distance", "NOT TO BE USED", "unknown", evil):
        assert shown in words
    assert len(fragment) < 100_000
