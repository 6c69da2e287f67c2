"""Ctrl-C while the command line is still being imported, and after it has ended: it leaves silently.

`continuarm` and `python -m continuarm` import the whole package before anything of it is called that could catch a
KeyboardInterrupt. Only a process that is one of these is changed: other programs have Ctrl-C as they want it.
Imports only what Python itself has imported already, so that there is hardly a moment before it.
"""

import itertools
import os
import sys

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def leave_on_interrupt() -> None:
    """From now on Ctrl-C leaves, without a word, if this process is the command line and Ctrl-C is not ignored."""
    if _is_command():
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, leave)


def leave_if_command() -> None:
    """After a Ctrl-C that came too early for that: leaves, if this process is the command line."""
    if _is_command():
        leave()


def leave(*_: object) -> None:
    """Ends the process."""
    os._exit(INTERRUPTED)


def _is_command() -> bool:
    """Whether Python was started as `continuarm ...` or as `python -m continuarm ...`."""
    name = os.path.basename(sys.argv[0]) if sys.argv else ""
    if name == "-m":  # Python is looking for the module
        words = sys.orig_argv
        options = [option for option, word in itertools.pairwise(words) if word == "continuarm"]
        return "-mcontinuarm" in words or any(option[:1] == "-" and option[-1:] == "m" for option in options)
    return name.lower() in ("continuarm", "continuarm.exe", "continuarm-script.py")
