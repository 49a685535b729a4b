"""``python -m odt_core``: the command line."""

import gc
import signal
import sys


def run() -> int:
    """Run the process's command, and return the exit status."""
    try:
        from odt_core.cli import main  # imported here because it takes a moment

        return main()
    except KeyboardInterrupt:
        # either before the first result, or on the second Ctrl-C
        print("odt_core: Interrupted, with nothing to show.", file=sys.stderr)
        return 128 + signal.SIGINT
    finally:
        # The process ends. Without this, Python would look for garbage among a million objects that
        # imports have made, which takes a third of a second.
        gc.freeze()


if __name__ == "__main__":
    sys.exit(run())
