"""Models for other systems: SQL, a Python function, JSON, and text for documents.

>>> from rulecg_core import Condition, RuleSet
>>> from rulecg.exports import to_sql
>>> print(to_sql(RuleSet.of([[Condition("age", ">", 45)]], outcome="at risk")))
CASE
  WHEN CAST("age" AS DOUBLE PRECISION) > 45 THEN 1
  ELSE 0
END
"""

from .decisions import Decisions
from .python_source import to_python
from .rule_json import to_json
from .sql import to_sql

__all__ = ["Decisions", "to_json", "to_python", "to_sql"]
