"""Checks certificates of rule sets, with whole numbers and without trust in whoever wrote them.

A certificate says: this rule set has this loss on this table, and no rule set within the limits has a loss below that
bound. ``verify`` counts and enumerates everything itself. It reads the certificate for what it could not find quickly:
prices (any prices give a valid bound, bad ones prove nothing), the list of rules that they leave, and new prices where
the search over that list needs them. Read ``checking`` first (what is checked), then ``certificate_file``, ``table``,
``conjunctions``, ``rule_sets``. The format, and why all this proves the claim: certificate-format.md in rulecg's docs.
"""

from .certificate_file import Refused
from .checking import Verdict, verify

__all__ = ["Refused", "Verdict", "verify"]
