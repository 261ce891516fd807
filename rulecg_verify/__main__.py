"""``rulecg-verify proof.json.gz data.csv``: exit code 0 when the claim is proven, 1 when not."""

import argparse
import sys

from . import Refused, verify


def main(words: list[str] | None = None) -> int:
    """Run the command; its exit code."""
    parser = argparse.ArgumentParser(prog="rulecg-verify", description="Check a certificate of a rule set.")
    parser.add_argument("certificate", metavar="CERTIFICATE", help="the file that rulecg wrote, such as proof.json.gz")
    parser.add_argument("table", metavar="TABLE", help="the raw table: .csv or .csv.gz")
    arguments = parser.parse_args(words)
    try:
        verdict = verify(arguments.certificate, arguments.table)
    except Exception as error:  # whatever a hostile file brings about, memory that runs out included
        print("NOT PROVEN.", error if isinstance(error, Refused) else f"It cannot be checked: {error!r}.")
        return 1
    print("Checked:", *(f"* {line}" for line in verdict.checked), sep="\n")
    print(f"\nPROVEN. {verdict.claim}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
