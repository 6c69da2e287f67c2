"""Entries of docstrings that classes share are those of their owner, in their places."""

import inspect

import pytest

import continuarm as ca
from continuarm.common.shared_docs import with_entries_of
from continuarm.control.pressing import Pressing


class Owner:
    """Has some.

    Parameters
    ----------
    a : float
        m, which is
        long.
    b : {"x", "y"}, optional
        One of two.
    """


def test_entries_come_in_their_places():
    @with_entries_of(Owner)
    class User:
        """Uses them.

        Parameters
        ----------
        b : see `Owner`
        own : int
            Its own.
        a : see `Owner`
        """

    assert inspect.getdoc(User).split("----------\n")[1].split("\n") == [
        "b : {\"x\", \"y\"}, optional",
        "    One of two.",
        "own : int",
        "    Its own.",
        "a : float",
        "    m, which is",
        "    long.",
    ]  # fmt: skip


def test_an_entry_that_the_owner_lacks_is_an_error():
    class User:
        """Uses them.

        Parameters
        ----------
        c : see `Owner`
        """

    with pytest.raises(KeyError, match="c"):
        with_entries_of(Owner)(User)


def test_without_docstrings_nothing_is_done():
    class User:
        pass

    assert with_entries_of(Owner)(User).__doc__ is None


@pytest.mark.parametrize("kind", [ca.ComputedTorque, ca.GravityCompensation, ca.LQR])
def test_controllers_say_their_limits_and_how_they_are_asked(kind):
    assert "see `" not in kind.__doc__
    assert "\nfastest : float, optional\n    Of all changes of a command, Pa/s.\n" in inspect.getdoc(kind)
    assert inspect.getdoc(kind.command) == inspect.getdoc(Pressing.command)
