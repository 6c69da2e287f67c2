"""Laws of a result: an arm file that says where its numbers come from, a plain summary, the same after a copy."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sample_recordings import FREE

from continuarm import load_arm
from continuarm.identification.html_report import report_html
from refusals import check_named, refused


@pytest.mark.slow
def test_the_arm_file_says_where_its_numbers_come_from(result, tmp_path):
    result.save(tmp_path / "fitted.toml")
    arm = load_arm(tmp_path / "fitted.toml")
    assert arm == result.arm
    assert arm.sections[0].stiffness == result["stiffness"].value
    check_named(arm.description, "<run & 1>, table", f"stiffness = {result['stiffness'].value:.0f}"[:14])
    assert "delay" not in arm.description


@pytest.mark.slow
def test_the_summary_is_plain(result):
    told = json.loads(json.dumps(result.summary()))
    assert [row["name"] for row in told["parameters"]] == [*FREE, "delay of <run & 1>"]
    for row in told["parameters"]:
        assert np.hypot(row["noise"], row["unmodelled"]) == pytest.approx(row["standard_error"])
    assert {"samples", "evaluations", "starts", "seed", "settled", "wall_time"} == set(told["record"])
    assert np.shape(told["correlation"]) == (5, 5)
    assert np.diag(told["correlation"]) == pytest.approx(1)
    with refused("'mass'", "stiffness, damping", error=KeyError):
        result["mass"]


@pytest.mark.slow
def test_a_result_survives_being_sent_to_another_process(result):
    """Fits run in processes of their own, and their results come back pickled."""
    back = pickle.loads(pickle.dumps(result))
    assert back.arm == result.arm
    assert back.parameters == result.parameters
    assert back.summary() == result.summary()
    for one, other in zip(back.comparisons, result.comparisons, strict=True):
        for field in ("measured", "simulated", "difference", "used", "outliers"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert report_html(back) == report_html(result)
