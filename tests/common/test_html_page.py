"""Laws of the page of reports: words of others stay words, a table is as wide as its heading, nothing is loaded."""

from __future__ import annotations

import re

import pytest

from continuarm.common.html_page import html_page, html_table, html_text
from html_reader import check_self_contained


def test_words_of_others_stay_words():
    hostile = "</title><script>alert('x')</script>\x1b[31m & \"y\""
    page = html_page(hostile, [f"<p id='words'>{html_text(hostile)}</p>"])
    told = check_self_contained(page).words
    assert sum("<script>alert('x')</script>\\x1b[31m & \"y\"" in each for each in told) == 2


def test_a_table_puts_numbers_to_the_right_from_a_column_on():
    table = html_table(("name", "unit", "value"), [("a", "m", "1.5"), ("b", "m", "2.5")], first_number=2)
    assert re.findall(r"<t[hd][^>]*class='number'>([^<]*)<", table) == ["value", "1.5", "2.5"]
    assert "class=" not in html_table(("name", "words"), [("a", "b")]).replace("class='scroll'", "")
    assert "<table class='sentences'>" in html_table(("name",), [("a",)], kind="sentences")
    with pytest.raises(ValueError, match=r"zip"):
        html_table(("name", "value"), [("a",)])


def test_every_colour_is_given_for_light_screens_dark_ones_and_paper():
    style = html_page("title", [])
    light, dark, paper = (set(re.findall(r"(--[a-z]+):", block)) for block in re.findall(r":root \{([^}]*)\}", style))
    assert light == dark == paper
    assert set(re.findall(r"var\((--[a-z]+)\)", style)) <= light
