"""Every claim says where it stands in the paper, in the paper's order; misprints are those of docs/notation.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from continuarm.reproduction.claims import CLAIMS, claim_rows
from continuarm.reproduction.claims_energy import angular, conservative, elastic, orders
from continuarm.reproduction.claims_motion import measurements, steady
from continuarm.reproduction.misprints import MISPRINTS
from continuarm.reproduction.report_folder import STUDIES
from continuarm.reproduction.study import Findings
from continuarm.reproduction.summary import SENTENCES, TALLY, tally
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, OPEN

pytestmark = pytest.mark.exhaustive

SECTIONS = [
    *("Abstract", "I-A", "I-B", "II-A", "II-B", "II-C", "II-D", "III-A", "III-B1", "III-B2", "III-B3", "III-C"),
    *("IV", "IV-A", "IV-B", "IV-C", "IV-D", "V", "VI"),
]
FIGURES, EQUATIONS = 8, 37
"""How many the paper has."""


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.claim)
def test_a_claim_says_where_it_stands(claim):
    for place in re.split("[,;] ", claim.where):
        numbers = [int(number) for number in re.findall(r"\d+", place)]
        if re.fullmatch(r"Figs?\. \d[ab]?", place):
            assert numbers[0] <= FIGURES
        elif re.fullmatch(r"eqs?\. \d+|\d+", place):  # a number alone goes on with what came before
            assert numbers[0] <= EQUATIONS
        else:
            assert place in [*SECTIONS, "Algorithm 1"], place
    assert claim.paper
    assert claim.study in STUDIES


def test_claims_are_in_the_order_of_the_paper():
    first = [SECTIONS.index(re.split("[,;] ", claim.where)[0]) for claim in CLAIMS]
    assert first == sorted(first)


def test_studies_are_in_the_order_of_the_paper_and_every_need_is_one():
    assert list(STUDIES) == [
        *("near-straight", "modal-form", "point-mass", "energy-shaping", "validation", "complexity", "experiments"),
        "real-arms",  # the last claim of section V
    ]
    assert all(STUDIES[need].needs == () for study in STUDIES.values() for need in study.needs)  # one level deep


def test_verdicts_are_counted_and_none_is_lost():
    rows = claim_rows({})
    assert tally(rows) == {"not run": len(CLAIMS)}
    rows[0]["verdict"], rows[1]["verdict"] = AGREES, DIFFERS
    assert tally(rows) == {AGREES: 1, DIFFERS: 1, "not run": len(CLAIMS) - 2}
    assert set(tally(rows)) <= set(TALLY)


def test_five_sentences_matter():
    assert len(SENTENCES) == 5
    assert {study for study, _ in SENTENCES} <= set(STUDIES)


# ---- Verdicts that were too kind -------------------------------------------------------------------------------------


def test_that_models_agree_does_not_make_a_steady_state_right():
    at_rest = {str(k): {"fitted": {"steady_mm": [0.0, 0.0, 0.0]}} for k in (1, 2, 3)}
    assert steady(Findings({"steady_seconds": 0.5, "experiments": at_rest})).verdict == OPEN


def group(share, fitted=True, other=None):
    both = {"integral": share, "centre of gravity": share if other is None else other}
    models = {name: {"of_motion": each, "worst_mm": 40.0} for name, each in both.items()}
    counts = {"recordings": 3, "following": 3 * (max(both.values()) <= 0.25)}
    return {"fitted": fitted, "models_apart_mm": 0.1, "models": models} | counts


@pytest.mark.parametrize(
    ("groups", "verdict"),
    [
        ([], OPEN),  # no recordings
        ([group(0.1, fitted=False)], OPEN),  # none that shows what the model can be fitted to
        ([group(0.1), group(0.1, fitted=False)], IN_PART),  # never more: it is not the paper's arm
        ([group(0.1), group(0.5), group(2.0, fitted=False)], IN_PART),
        ([group(0.3), group(0.1, fitted=False)], DIFFERS),
        ([group(0.1, other=0.3)], DIFFERS),  # the claim is of both models
    ],
)
def test_other_arms_than_the_papers_can_answer_for_it_in_part_at_best(groups, verdict):
    answer = measurements(Findings({"groups": groups}))
    assert answer.verdict == verdict
    if groups and groups[0]["fitted"] and len(groups) == 2:
        assert ("3 of 3 that were not" in answer.why) == (groups[1]["following"] == 3)


@pytest.mark.parametrize(("largest", "verdict"), [(2.99, AGREES), (3.4, DIFFERS)])
def test_less_than_three_percent_means_every_motion(largest, verdict):
    share = {"of_all": 1.0, "median": 1.0, "largest": largest}
    assert angular(Findings({"angular_share": share})).verdict == verdict


@pytest.mark.parametrize(("ratio", "verdict"), [(250.0, AGREES), (40.0, IN_PART), (5.0, DIFFERS)])
def test_orders_of_magnitude_are_at_least_two(ratio, verdict):
    weights = {"own_linear_over_angular": ratio, "base_over_own": 1e4, "share_larger": {"10": 0.9, "100": 0.2}}
    assert orders(Findings({"weights": weights})).verdict == verdict


def test_percentages_of_the_largest_energy_are_not_conservative():
    fitted = {"mean_absolute": 0.005, "relative": 0.09}
    numbers = {"models": {"fitted": fitted}, "largest_energy": 180.0, "mean_energy": 10.0}
    answer = conservative(Findings(numbers))
    assert answer.verdict == DIFFERS
    assert answer.ours.startswith("18 times")


@pytest.mark.parametrize(("difference", "verdict"), [(1e-16, AGREES), (1e-6, DIFFERS)])
def test_identical_means_but_for_rounding(difference, verdict):
    assert elastic(Findings({"elastic_difference": difference})).verdict == verdict


# ---- Misprints -------------------------------------------------------------------------------------------------------


def test_the_misprints_of_the_report_are_those_of_the_notation():
    text = (Path(__file__).parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
    table = text.partition("## Where the paper's print is corrected")[2]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]

    def bare(words: str) -> str:
        return re.sub(r"[_^{}\\]", "", words).strip()

    written = [tuple(bare(cell) for cell in re.split(r"(?<!\\)\|", row)[1:-1]) for row in rows]
    assert written == [tuple(bare(cell) for cell in each) for each in MISPRINTS]
