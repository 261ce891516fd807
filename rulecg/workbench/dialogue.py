"""The workbench in words: one line in, one answer out, the same in a terminal, from a file, and behind the page."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from rulecg_core import ConfigurationError, UnknownNameError

from ..model.origin.fingerprint import Fingerprint
from .bench import Workbench

HELP = """\
keep N            keep rule N of the draft: every completion has it
release N         keep it no longer
drop N            take rule N out of the draft
edit N "RULE"     put another rule in its place, and keep it
add "RULE"        add a rule and keep it, such as: add "age > 30 and job == nurse"
ban NAME          no rule may use a column, or a condition: ban income, ban "age <= 25"
allow NAME        lift a ban
accept            make the best completion the draft
look              show what was found since;  wait: when nothing more will come
price ban NAME    what a ban would cost (also: price keep N, price add "RULE")
prices            what all that is kept and banned, and every bound, costs by itself
undo              take the last edit back
history           what was done
save FILE         write the draft as a model file
help, quit"""


class Dialogue:
    """Understands lines.

    Parameters
    ----------
    bench : Workbench
        What the lines are about.
    fingerprint : Fingerprint or None
        What data the models that are saved say they are of; None keeps the model's own.
    may_write : bool
        Whether ``save`` may write files.
    """

    def __init__(self, bench: Workbench, fingerprint: Fingerprint | None = None, *, may_write: bool = True) -> None:
        self.bench, self.fingerprint, self.may_write = bench, fingerprint, may_write
        self.has_ended = False
        self._edits: dict[str, tuple[int, Callable[..., Any]]] = {
            "keep": (1, bench.keep),
            "release": (1, bench.release),
            "drop": (1, bench.drop),
            "edit": (2, bench.edit),
            "add": (1, bench.add),
            "ban": (1, bench.ban),
            "allow": (1, bench.allow),
            "accept": (0, bench.accept),
            "look": (0, bench.look),
            "undo": (0, bench.undo),
        }
        self._others: dict[str, Callable[..., str]] = {
            "wait": lambda: str(bench.look(wait=True)),
            "price": self._price,
            "prices": self._prices,
            "history": self._history,
            "save": self._save,
            "help": lambda: HELP,
            "quit": self._quit,
        }

    def say(self, line: str) -> str:
        """Do what a line says.

        Parameters
        ----------
        line : str
            A command with its words; words with spaces stand in quotes.

        Returns
        -------
        str
            The answer.

        Raises
        ------
        ConfigurationError
            When the line cannot be understood or done; nothing has then changed.
        """
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise ConfigurationError(f"{line!r}: {error}. Words with spaces stand in quotes.") from None
        if not words:
            return ""
        command, rest = words[0], words[1:]
        if command in self._edits:
            needed, edit = self._edits[command]
            if len(rest) > needed > 0:
                # Nobody quotes the last one gladly: ban marital status, add age > 30 and smoker.
                rest = [*rest[: needed - 1], " ".join(rest[needed - 1 :])]
            if len(rest) != needed:
                raise ConfigurationError(f"{command} takes {needed} words after it, not {len(rest)}: see help.")
            return str(edit(*rest))
        if command not in self._others:
            raise UnknownNameError("command", command, [*self._edits, *self._others])
        try:
            return self._others[command](*rest)
        except TypeError:
            raise ConfigurationError(f"{line!r} has too few or too many words: see help.") from None

    def _price(self, command: str, *name: str) -> str:
        what = " ".join(name)
        return f"{command} {what} costs: {self.bench.price(command, what)} (objective)"

    def _prices(self) -> str:
        table = self.bench.prices()
        if not len(table):
            return "Nothing is kept or banned, and there is no bound besides size."
        return "\n".join(
            f"{what}: {least:g}" if least == most else f"{what}: {least:g} to {most:g}"
            for what, least, most in table.itertuples(index=False)
        )

    def _history(self) -> str:
        lines = [
            f"{number}. {edit.command}: {edit.errors:g} errors, objective {edit.objective:g}"
            for number, edit in enumerate(self.bench.edits, 1)
        ]
        return "\n".join(lines) or "Nothing was done yet."

    def _save(self, path: str) -> str:
        if not self.may_write:
            raise ConfigurationError("Saving is for the terminal: the page offers the model as a download.")
        from attrs import evolve

        from ..model.model_file import save_model

        model = self.bench.to_model()
        if self.fingerprint is not None:
            model = evolve(model, fingerprint=self.fingerprint)
        save_model(model, path)
        return f"Model: {path}"

    def _quit(self) -> str:
        self.has_ended = True
        return ""
