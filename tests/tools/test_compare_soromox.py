"""The comparison with soromox, as far as it goes without soromox: its coordinates, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import block_diag

import compare_soromox
from continuarm.arms.arm import Payload
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity
from continuarm.benchmarks.groups import bent_states, prototype
from continuarm.benchmarks.soromox_arm import Peer, soromox_arm, strain_maps
from continuarm.engine.quantities import tip_poses


def peer() -> Peer:
    """The prototype's strains, without a model behind them."""
    return Peer(None, block_diag(*strain_maps(load_arm("prototype"))))


def test_forces_do_the_same_work_on_strains_as_on_muscles() -> None:
    arm = load_arm("prototype")
    q, qd, tau = bent_states(arm, 20)
    rates = peer().state(q, qd)[:, 9:]
    np.testing.assert_allclose((peer().force(tau) * rates).sum(axis=-1), (tau * qd).sum(axis=-1), rtol=1e-12)
    np.testing.assert_allclose(peer().accelerations(peer().state(q, qd)), qd, rtol=1e-10, atol=1e-15)


def test_strains_are_those_of_the_arm() -> None:
    """Muscles of one length stretch; a bend is as large as that of the tip's frame, which turns by it."""
    arm = load_arm("prototype")
    stretched = peer().state(np.full(9, 0.03), np.zeros(9))[:9]
    np.testing.assert_allclose(stretched, [0, 0, 0.03 / 0.15] * 3, atol=1e-15)
    q = np.zeros(9)
    q[1] = 0.02
    curvature = peer().state(q, np.zeros(9))[:2]
    turn = tip_poses(arm, q)[0, :3, 2] @ [0, 0, 1]
    assert 0.15 * np.hypot(*curvature) == pytest.approx(np.arccos(turn), rel=1e-9)


def test_without_soromox_it_says_what_to_install(monkeypatch, capsys) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="2"):
        compare_soromox.main([])
    assert "pip install soromox==" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        {"inertia": CentreOfGravity()},
        {"payload": Payload(mass=0.1)},
        {"sections": [prototype(1).sections[0].replace(offset=0.01)]},
    ],
)
def test_an_arm_that_soromox_cannot_describe_is_refused(change) -> None:
    with pytest.raises(ValueError, match="soromox has"):
        soromox_arm(prototype(1).replace(**change))
