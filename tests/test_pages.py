"""Every code block of every page runs, and what is shown comes out."""

import re
import signal

import pytest
from page_blocks import blocks, pictures, run_page, shell_lines

import continuarm as ca
from continuarm.cli.app import COMMANDS
from documentation_pages import PAGES, ROOT

pytestmark = pytest.mark.slow

BLOCKS = [(page, block) for page, text in PAGES.items() for block in blocks(text)]

REASONS = ("starts a server", "takes minutes", "installs", "needs another program", "is in another language")
REASONS += ("needs a GPU", "opens a browser", "starts a cluster")
"""Why a block of a page may be left out."""


@pytest.fixture
def time_limit():
    """A page that waits for somebody, such as one that starts a server, fails instead."""

    def too_long(*_):
        raise TimeoutError("a page may take two minutes")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.torch] * (">>> import torch" in text))
        for page, text in PAGES.items()
        if blocks(text)
    ],
)
def test_a_page_runs_from_top_to_bottom(page, tmp_path, time_limit):
    run_page(PAGES[page], page, tmp_path)
    for name in pictures(PAGES[page]):
        assert (tmp_path / name).stat().st_size > 5000, f"{page} shows {name}, which it does not draw"


def test_what_is_not_run_says_why():
    left_out = [(page, block.first, block.not_run) for page, block in BLOCKS if block.not_run]
    assert [each for each in left_out if not each[2].startswith(REASONS)] == []
    written = sum(len(re.findall("^ *<!-- not run:", text, flags=re.MULTILINE)) for text in PAGES.values())
    assert written == len(left_out), "a comment that stands before no block"


def test_no_code_hides_in_indented_lines():
    for page, text in PAGES.items():
        outside = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
        assert not re.findall(r"^ {4,}(?:continuarm|python|pip|import|>>>) .*", outside, flags=re.MULTILINE), page


def test_every_command_is_run_on_some_page():
    lines = [line for _, block in BLOCKS if block.language == "sh" for line in shell_lines(block.text)]
    used = {line.split()[1] for line in lines if line.startswith("continuarm ")}
    assert {command.__name__.replace("_", "-") for command in COMMANDS} <= used


def test_every_public_name_is_used_on_some_page():
    code = "\n".join(block.text for _, block in BLOCKS if block.language in ("python", "pycon"))
    examples = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "examples" / "gallery").rglob("*.py"))
    used = set(re.findall(r"\bca\.(\w+)", code + examples))
    assert set(ca.__all__) - used == RETURNED_OR_RAISED


RETURNED_OR_RAISED = {"EnergyShapingFit", "Equilibria", "Identification", "Motion", "MotionGradient"}
RETURNED_OR_RAISED |= {"Loop", "MusclePressures", "Postures", "Rollout", "Validation", "Vibrations", "Workspace"}
RETURNED_OR_RAISED |= {"Estimate", "Plan"}
"""Names that nobody writes to have one."""
