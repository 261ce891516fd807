"""How a fitted classifier shows and explains itself: ``print`` gives the rules, notebooks get them in HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..analysis.explain import Explanation


class ShowsRules:
    """Mixin for estimators with ``rule_set_`` and ``result_``."""

    rule_set_: Any
    result_: Any

    def __str__(self) -> str:
        if not hasattr(self, "rule_set_"):
            return repr(self)
        return f"{self.rule_set_}\n{self.result_.certificate()}"

    def explain(self, X: Any, *, immutable: Sequence[str] = (), max_reasons: int = 4) -> list[Explanation]:
        """For every row the rules that decided; for rejected rows the smallest changes that would be enough.

        Columns in ``immutable`` are never proposed to change. At most ``max_reasons`` changes and ways are given.
        """
        from ..model.model_file import to_model

        classifier: Any = getattr(self, "best_estimator_", self)
        return to_model(classifier).explain(classifier._named(X), immutable=immutable, max_reasons=max_reasons)

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
        return f"{self.rule_set_._repr_html_()}<p><small>{certificate}</small></p>{text}"
