"""What tests of several rooms share."""

import signal

import pytest

from continuarm.arms.arm_file import load_arm

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # in the background of a shell: what tests start could not be ended
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def prototype():
    """The paper's arm: descriptions are frozen, so that all tests may have the same one."""
    return load_arm("prototype")
