"""Rules as text for people: plain, Markdown, HTML and LaTeX, from the same simplified phrases."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen

from .columns.scales import Mark
from .conditions import Condition, show_value
from .phrases import Interval, Is, OneOf, Phrase, Simplified, conjunction, disjunction

LONGEST = 200
"""Names and values longer than this are cut for display."""

_PLAIN_VALUE = re.compile(r"\w(?:[\w .+%/()-]*[\w)%+])?|[+-]?[\d.]+(?:e[+-]?\d+)?")
_JOINING_WORD = re.compile(r"\b(and|or|in|not|is)\b")


@frozen
class Style:
    """How the parts of a rule are written."""

    name: Callable[[str], str]
    value: Callable[[Any], str]
    words: Callable[[str], str] = str
    """Joining words such as "and"."""
    at_most: str = "<="
    below: str = "<"
    above: str = ">"
    equal: str = "=="
    unequal: str = "!="
    among: str = "in {{{}}}"
    not_among: str = "not in {{{}}}"


def visible(text: str, longest: int = LONGEST) -> str:
    """The text with invisible and direction-changing characters spelled out, and cut when it is very long.

    >>> visible("a\\u202eb")
    'a\\\\u202eb'
    """
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _is_harmless(c) else c.encode("unicode_escape").decode("ascii") for c in text)


def _is_harmless(character: str) -> bool:
    return character == " " or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")


def _plain_value(value: Any) -> str:
    text = visible(show_value(value))
    is_name = isinstance(value, str) or (isinstance(value, Mark) and value.scale.kind == "order")
    if is_name and (not _PLAIN_VALUE.fullmatch(text) or _JOINING_WORD.search(text)):
        return json.dumps(text, ensure_ascii=False)
    return text


def _plain_name(name: str) -> str:
    text = visible(name)
    return json.dumps(text, ensure_ascii=False) if not text or re.search(r'[<>={}"]| (?:and|or) ', text) else text


PLAIN = Style(name=_plain_name, value=_plain_value)

HTML = Style(
    name=lambda name: f'<span class="rulecg-name">{html.escape(visible(name))}</span>',
    value=lambda value: f'<span class="rulecg-value">{html.escape(_plain_value(value))}</span>',
    words=lambda word: f'<span class="rulecg-word">{word}</span>',
    at_most="≤",
    below="&lt;",
    above="&gt;",
    equal="=",
    unequal="≠",
    among="∈ {{{}}}",
    not_among="∉ {{{}}}",
)


def _markdown(text: str) -> str:
    # Entities instead of backslashes for what could start a tag or a table cell: every renderer knows them.
    return re.sub(r"([\\`*_{}\[\]()#+!~$-])", r"\\\1", html.escape(text, quote=False)).replace("|", "&#124;")


MARKDOWN = Style(
    name=lambda name: f"**{_markdown(visible(name))}**",
    value=lambda value: _markdown(_plain_value(value)),
    words=lambda word: f"*{word}*",
    at_most="≤",
    below="&lt;",
    above="&gt;",
    equal="=",
    unequal="≠",
    among="∈ {{{}}}",
    not_among="∉ {{{}}}",
)

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    '"': r"{\char34}", "|": r"\textbar{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
}  # fmt: skip


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


LATEX = Style(
    name=lambda name: rf"\textit{{{_latex(visible(name))}}}",
    value=lambda value: _latex(_plain_value(value)),
    words=lambda word: rf"\textbf{{{word}}}",
    at_most=r"$\leq$",
    below="$<$",
    above="$>$",
    equal="$=$",
    unequal=r"$\neq$",
    among=r"$\in$ \{{{}\}}",
    not_among=r"$\notin$ \{{{}\}}",
)


def phrase_text(phrase: Phrase, style: Style = PLAIN) -> str:
    """One phrase, such as ``23 < age <= 45``."""
    name = style.name(phrase.column)
    match phrase:
        case Interval(_, low, high):
            if low is None:
                return f"{name} {style.at_most} {style.value(high)}"
            if high is None:
                return f"{name} {style.above} {style.value(low)}"
            return f"{style.value(low)} {style.below} {name} {style.at_most} {style.value(high)}"
        case OneOf(_, (value,), negated):
            return f"{name} {style.unequal if negated else style.equal} {style.value(value)}"
        case OneOf(_, values, negated):
            return f"{name} {(style.not_among if negated else style.among).format(', '.join(map(style.value, values)))}"
        case Is(_, "true"):
            return name
        case Is(_, "false"):
            return f"{style.words('not')} {name}"
        case Is(_, state):
            return f"{name} {style.words(f'is {state}')}"
    raise AssertionError(phrase)


def simplified(conditions: Sequence[Condition], logic: str) -> Simplified:
    """One rule of a rule set of that form: an AND for DNF, an OR for CNF."""
    return conjunction(conditions) if logic == "dnf" else disjunction(conditions)


def clause_text(conditions: Sequence[Condition], logic: str = "dnf", style: Style = PLAIN) -> str:
    """One rule as text."""
    phrases = simplified(conditions, logic)
    if isinstance(phrases, bool):
        return "always" if phrases else "never"
    joint = f" {style.words('and' if logic == 'dnf' else 'or')} "
    return joint.join(phrase_text(phrase, style) for phrase in phrases)


def clause_texts(clauses: Sequence[Sequence[Condition]], logic: str, style: Style = PLAIN) -> list[str]:
    """The rules of a set that matter: those that repeat another, or never have a say, are left out.

    Of several CNF clauses, those with several parts are put in brackets, so that the text is true as it stands.
    """
    distinct: dict[Any, Sequence[Condition]] = {}
    for clause in clauses:
        phrases = simplified(clause, logic)
        if phrases is (logic == "dnf"):
            return [clause_text(clause, logic, style)]
        if not isinstance(phrases, bool):
            distinct.setdefault(frozenset(phrases), clause)
    in_brackets = logic == "cnf" and len(distinct) > 1
    return [
        f"({text})" if in_brackets and len(phrases) > 1 else text
        for phrases, clause in distinct.items()
        for text in (clause_text(clause, logic, style),)
    ]


def rule_set_text(clauses: Sequence[Sequence[Condition]], logic: str, outcome: str) -> str:
    """The whole rule set, one rule per line."""
    texts = clause_texts(clauses, logic)
    outcome = visible(outcome)
    if not texts:
        return f"{'never' if logic == 'dnf' else 'always'} {outcome}"
    if texts in (["always"], ["never"]):
        return f"{texts[0]} {outcome}"
    outer = "or " if logic == "dnf" else "and "
    return "\n".join([f"{outcome} if", f"  {texts[0]}", *(f"  {outer}{text}" for text in texts[1:])])


def rule_set_markdown(clauses: Sequence[Sequence[Condition]], logic: str, outcome: str) -> str:
    """The rule set as a Markdown list."""
    texts = clause_texts(clauses, logic, MARKDOWN)
    head = f"**{_markdown(visible(outcome))}**"
    if not texts:
        return f"*{'never' if logic == 'dnf' else 'always'}* {head}"
    outer = "or" if logic == "dnf" else "and"
    return "\n".join([f"{head} *if*", "", f"- {texts[0]}", *(f"- *{outer}* {text}" for text in texts[1:])])


def rule_set_html(clauses: Sequence[Sequence[Condition]], logic: str, outcome: str) -> str:
    """The rule set as an HTML fragment; everything that comes from the data is escaped."""
    texts = clause_texts(clauses, logic, HTML)
    head = f"<b>{html.escape(visible(outcome))}</b>"
    if not texts:
        return f'<div class="rulecg-rules">{"never" if logic == "dnf" else "always"} {head}</div>'
    outer = HTML.words("or" if logic == "dnf" else "and")
    items = [f"<li>{texts[0]}</li>", *(f"<li>{outer} {text}</li>" for text in texts[1:])]
    style = "list-style:none;margin:0.3em 0;padding-left:1.2em"
    return f'<div class="rulecg-rules">{head} if<ul style="{style}">{"".join(items)}</ul></div>'


def rule_set_latex(clauses: Sequence[Sequence[Condition]], logic: str, outcome: str) -> str:
    """The rule set as a LaTeX ``tabular``, without packages (``\\usepackage{textcomp}`` on old systems)."""
    texts = clause_texts(clauses, logic, LATEX)
    head = rf"\textbf{{{_latex(visible(outcome))}}}"
    if not texts:
        return f"{'never' if logic == 'dnf' else 'always'} {head}"
    outer = LATEX.words("or" if logic == "dnf" else "and")
    lines = [rf"\multicolumn{{2}}{{l}}{{{head} if}} \\", rf" & {texts[0]} \\"]
    lines += [rf"{outer} & {text} \\" for text in texts[1:]]
    return "\n".join([r"\begin{tabular}{rl}", *lines, r"\end{tabular}"])
