"""``python -m odt_core``: the product without a browser."""

import sys

from odt_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
