"""What the exit code of ``rulecg`` tells a script."""

OK = 0
"""Everything was done."""
PROBLEM = 1
"""Done, and the answer is no: for example ``plugins --strict`` found a plugin with a problem."""
WRONG_INPUT = 2
"""The options, the data or a file cannot be used; the message says what to do."""
INFEASIBLE = 3
"""No rule set keeps all constraints."""
SOLVER = 4
"""A solver is not installed or failed."""
FAULT = 5
"""rulecg or a plugin failed in a way that nobody foresaw; the message names which."""
INTERRUPTED = 130
"""Stopped by Ctrl-C; ``fit`` has written the best model so far."""

SUMMARY = (
    "exit codes: 0 done; 1 done, and the answer is no; 2 wrong options, data or files; 3 no rule set keeps all "
    "constraints; 4 a solver is missing or failed; 5 rulecg or a plugin has a fault; 130 interrupted (fit has then "
    "written the best model so far)"
)
