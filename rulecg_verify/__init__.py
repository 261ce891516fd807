"""Checks certificates of rule sets, with whole numbers and without trust in whoever wrote them.

A certificate says: this rule set has this loss on this table, and no rule set within the limits has a loss below that
bound. ``verify`` counts and enumerates everything itself. It reads the certificate for three things only that it
could not find quickly: prices (any prices give a valid bound, bad ones prove nothing), the list of rules that these
prices leave, and where the search over that list was given new prices.

Read in this order: ``checking`` (what is checked, on one page), ``certificate_file``, ``table``, ``conjunctions``,
``rule_sets``. The format and why it proves the claim: docs/explanation/certificate-format.md of rulecg.
"""

from .certificate_file import Refused
from .checking import Verdict, verify

__all__ = ["Refused", "Verdict", "verify"]
