"""The command line: the functions of the pages as commands.

Answers go to standard output, progress and notes to standard error. Bad input gives one line on
standard error and exit status 2. A failed solver or a refused answer gives one line and status 1.
An interrupted run gives its best tree and status 130.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from odt_core.cli.files import refuse_overwriting
from odt_core.cli.parser import make_parser, program
from odt_core.errors import DisagreementError, InputError, SolverError

EXIT_BAD_INPUT = 2
EXIT_FAILED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Command and options; by default those of the process.

    Returns
    -------
    int
        The exit status.
    """
    options = make_parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        refuse_overwriting(options)
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except InputError as error:
        print(f"{program()}: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except (SolverError, DisagreementError) as error:
        print(f"{program()}: {error}", file=sys.stderr)
        return EXIT_FAILED
    except BrokenPipeError:
        # The reader of our output has closed it (such as `| head`).
        sys.stderr.close()
        return EXIT_BAD_INPUT
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(
            f"{program()}: The output cannot be written ({error.strerror}): free some space, or "
            "send it to another place.",
            file=sys.stderr,
        )
        _give_up_standard_output()
        return EXIT_BAD_INPUT


def _give_up_standard_output() -> None:
    """Send what is still to be written nowhere, so that Python does not fail again at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join ``--missing -9,-8`` to one word, because argparse would read ``-9`` as an option."""
    joined: list[str] = []
    for word in arguments:
        if joined and joined[-1] in ("--missing", "--target-missing"):
            joined[-1] = f"{joined[-1]}={word}"
        else:
            joined.append(word)
    return joined
