"""What tests of several rooms share."""

import pytest

from continuarm.arms.arm_file import load_arm


@pytest.fixture(scope="session")
def prototype():
    """The paper's arm: descriptions are frozen, so that all tests may have the same one."""
    return load_arm("prototype")
