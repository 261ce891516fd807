"""Models for other systems: SQL, a Python module, JSON, ONNX and PMML.

>>> from rulecg_core import Condition, RuleSet
>>> from rulecg.exports import to_sql
>>> print(to_sql(RuleSet.of([[Condition("age", ">", 45)]], outcome="at risk")))
CASE
  WHEN CAST("age" AS DOUBLE PRECISION) > 45 THEN 1
  ELSE 0
END
"""

from .decisions import Decisions
from .onnx_graph import to_onnx
from .pmml import to_pmml
from .python_source import to_python
from .rule_json import to_applied_json, to_json
from .sql import to_sql

__all__ = ["Decisions", "to_applied_json", "to_json", "to_onnx", "to_pmml", "to_python", "to_sql"]
