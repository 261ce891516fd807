"""How a fitted classifier shows and explains itself: ``print`` gives the rules, notebooks get them in HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...analysis.explain import Explanation


class ShowsRules:
    """Mixin for estimators with ``rule_set_``, ``result_`` and ``model_``."""

    rule_set_: Any
    result_: Any
    model_: Any

    def __str__(self) -> str:
        if not hasattr(self, "rule_set_"):
            return repr(self)
        expected = self.result_.expected
        said = [] if expected is None else expected.lines()
        return "\n".join([*said, str(self.rule_set_), self.result_.certificate()])

    def explain(self, X: Any, *, immutable: Sequence[str] = (), max_reasons: int = 4) -> list[Explanation]:
        """Say for every row which rules decided, and for rejected rows the smallest changes that would be enough.

        Parameters
        ----------
        X : DataFrame, array or list of rows
            The columns that ``fit`` saw.
        immutable : sequence of str
            Columns that are never proposed to change.
        max_reasons : int
            At most so many changes in a way, and so many ways.

        Returns
        -------
        list of Explanation
            One for every row.
        """
        table = self.named_columns(X)
        return self.model_.explain(table, immutable=immutable, max_reasons=max_reasons)

    def named_columns(self, X: Any) -> Any:
        """Give a table the column names that ``fit`` saw."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self._with_rules(super()._repr_html_)  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._with_rules(lambda: bundle["text/html"])
        if hasattr(self, "rule_set_"):
            bundle["text/plain"] = str(self)
        return bundle

    def _with_rules(self, diagram: Any) -> str:
        text: str = diagram()
        if not hasattr(self, "rule_set_"):
            return text
        certificate = html.escape(self.result_.certificate())
        expected = self.result_.expected
        said = "" if expected is None else f"<p>{'<br>'.join(map(html.escape, expected.lines()))}</p>"
        return f"{said}{self.rule_set_._repr_html_()}<p><small>{certificate}</small></p>{text}"
