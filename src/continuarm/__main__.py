"""`python -m continuarm`: the command line."""

import sys

from continuarm.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
