"""The command line: the same abilities as the pages, one command each.

Standard output carries the answer, standard error progress and notes. Bad input gives one line on
standard error and exit status 2; a solver that fails or whose answer is refused, one line and 1; an
interrupted run gives its best tree and exit status 130.
"""

from __future__ import annotations

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
        Command and options; the process's own by default.

    Returns
    -------
    int
        The exit status.
    """
    options = make_parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        refuse_overwriting(options)
        return int(options.run(options))
    except InputError as error:
        print(f"{program()}: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except (SolverError, DisagreementError) as error:
        print(f"{program()}: {error}", file=sys.stderr)
        return EXIT_FAILED
    except BrokenPipeError:
        # The reader of our output has gone (as with `| head`); there is nobody left to tell.
        sys.stderr.close()
        return EXIT_BAD_INPUT


def _joined(arguments: Sequence[str]) -> list[str]:
    """``--missing -9,-8`` as one word: argparse would take the minus for an option's."""
    joined: list[str] = []
    for word in arguments:
        if joined and joined[-1] in ("--missing", "--target-missing"):
            joined[-1] = f"{joined[-1]}={word}"
        else:
            joined.append(word)
    return joined
