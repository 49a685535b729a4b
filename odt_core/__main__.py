"""``python -m odt_core``: the product without a browser."""

import signal
import sys


def run() -> int:
    """Run the command that the process was started with; the exit status."""
    try:
        from odt_core.cli import main  # in here, since it takes a moment

        return main()
    except KeyboardInterrupt:
        # before there is anything to show, or a second time: then nothing is waited for
        print("odt_core: Interrupted, with nothing to show.", file=sys.stderr)
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(run())
