"""`python -m continuarm`: the command line."""

import sys

from continuarm.cli import main

if __name__ == "__main__":
    sys.exit(main())
