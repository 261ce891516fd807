"""``rulecg warm-up``: compile ahead what the first fit would otherwise wait for, for example in a container image."""

from __future__ import annotations

import argparse

NAME = "warm-up"
HELP = "Compile everything that is compiled, so that no fit waits for it: for container images and installations."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="do not list what is compiled")


def run(arguments: argparse.Namespace) -> int:
    from rulecg_kernels import warm_up

    seconds = warm_up(None if arguments.quiet else lambda sentence: print(sentence, flush=True))
    print(f"Everything is compiled ({seconds:.1f} s).")
    return 0
