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
    except (Refused, MemoryError) as refusal:
        print(f"NOT PROVEN. {str(refusal) or 'The check needs more memory than there is.'}")
        return 1
    print("Checked:", *(f"* {line}" for line in verdict.checked), sep="\n")
    print(f"\nPROVEN. {verdict.claim}\n\n{verdict.rules}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
