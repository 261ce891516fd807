"""Who works when: every share of time, every threshold of size and every patience of a run, in one place.

Shares are of the time that is left to the phase, unless it says otherwise. Whether data is *large* is decided here and
nowhere else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from attrs import evolve, fields, fields_dict, frozen

from ..base.errors import ConfigurationError
from ..data.problem import Problem

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Section = TypeVar("Section")


@frozen
class GenerationSchedule:
    """Rounds of relaxation and pricing."""

    share: float = 0.6
    """Share of the run's seconds after which column generation makes way for selection and proof."""
    tight_shares: tuple[float, ...] = (0.25, 0.5)
    """On large data, rounds begin with bounds on size reduced to these shares: with a loose bound a condition costs
    nothing at first, and pricing drifts into long, useless rules."""
    stalled_rounds: int = 4
    stalled_gain: float = 0.002
    """A tight start ends when so many rounds together lowered the relaxation by less than this share."""
    slow_share: float = 0.25
    """A relaxation that takes more than this share of the time left is the last one: searching brings more."""
    later_stage_share: float = 0.1
    later_stage_seconds: float = 1.0
    """On large data a stage after the first may take this share of the time left, and at least so long: exact pricing
    could take all of it, while searching for rule sets brings more."""
    smoothing: float = 0.0
    """Weight of the duals that were priced last in those that are priced next; 0 prices on the relaxation's own."""


@frozen
class SearchSchedule:
    """Heuristics before and between the rounds."""

    during_generation: bool = True
    """Whether heuristics take turns with the rounds, not only after them."""
    first_share: float = 0.15
    first_seconds: float = 1.0
    first_setups: float = 2.0
    """On large data, a search before the first relaxation: its share of the run's seconds, at least so many seconds,
    and at least so many times as long as its preparations."""
    first_turn: float = 0.2
    """Seconds until this search tells what it found; then twice as long, and so on, while it finds more."""
    moment: float = 0.25
    """No search between rounds before this many seconds: small problems are solved sooner."""
    share: float = 0.15
    restarts: int = 2
    """Between rounds on small data: share of the time so far, and how often to begin again."""
    large_share: float = 0.7
    least_large_share: float = 0.35
    large_fall: float = 0.85
    """On large data searches find most, but only relaxations prove anything: the share falls by a factor, down to the
    least, while searches bring nothing."""
    large_turn: float = 0.1
    """Share of the time so far that one turn takes on large data."""
    most_setup: float = 2.0
    """A search whose preparations take longer than this many seconds is left out when there is no time for them."""
    first_count_share: float = 2 / 3
    """Where both ways of counting covered samples are searched, the first gets this share."""
    priced_in: int = 100
    """How many rules of a search the relaxation takes in after it, at most."""
    repriced_in: int = 200
    repricings: int = 5
    repricing_share: float = 0.06
    repricing_seconds: float = 0.2
    """Before a search goes on from a newer relaxation: how many rules that takes in each time, how often it is solved,
    and for what share of the time so far, but at least so many seconds."""


@frozen
class SelectionSchedule:
    """The choice among the generated rules, after the rounds."""

    least_share: float = 0.1
    least_seconds: float = 1.0
    """A run that used up its time still chooses: for this share of its seconds, at most so long."""
    share_before_proof: float = 0.5
    """Where a proof follows, selection only prepares it and gets about as long as generation took, at most this
    share."""
    share_with_samples: float = 0.7
    """Where rows look at samples, proofs seldom close the gap: selection gets this share."""
    search_share: float = 0.7
    large_search_share: float = 0.9
    """Share of the selection that heuristics get before the integer program; more on large data, where the program
    seldom adds to what they found."""
    small_search_share: float = 0.25
    small_search_seconds: float = 10.0
    """The same where nothing but size is bounded and data is small: a proof follows anyway."""
    entries_per_restart: int = 5_000
    restarts: tuple[int, int] = (2, 30)
    entries_per_restart_with_samples: int = 1_000
    restarts_with_samples: tuple[int, int] = (10, 1_000)
    """How often a search begins again: once for so many rules × samples, within these bounds."""
    entries_per_second: int = 50_000
    most_entries: int = 500_000
    """Solvers look at their clocks too rarely to be trusted with a large program: one of 1.4 million entries spent 45
    seconds in presolve with a limit of 5. So the size is what is limited, by the time there is."""
    near_miss_share: float = 0.1
    near_misses: int = 500
    near_miss_halvings: int = 8
    """Where rows look at samples, rules that nearly entered the relaxation join the pool: how many at most (with many
    more to combine, searches found less in the same time), in what share of the time, and how often the reach is
    halved to come below that."""
    repair_share: float = 0.2
    repair_seconds: float = 3.0
    repair_rules: int = 400
    """While no rule set keeps every bound in true counts, the exact 0-1 model gets at least this share of the run's
    seconds, at most so long; it has a row for every pair of a rule and what it covers, so beyond so many rules only
    promising ones take part."""


@frozen
class ProofSchedule:
    """Proofs over all rules."""

    listing_share: float = 0.8
    """Share of the time left that listing may take before branching has its turn."""
    attempts: int = 3
    """How often a list that was too long is tried again after a better rule set shortened it."""
    improve_share: float = 0.1
    improve_seconds: float = 5.0
    """How long heuristics may look for that better rule set."""
    branching_share: float = 0.6
    """Share of the time left that branching may take where a repair is still to come."""
    search_share: float = 0.8
    """Share that the search over rule sets of the list may try before the integer program takes over."""
    unfinished_share: float = 0.3
    """Share after which an unfinished list is given up."""
    look_share: float = 0.2
    least_look_seconds: float = 3.0
    most_look_seconds: float = 5.0
    """Looking for a better rule set before a list is searched up to its target takes as long as the proof so far, but
    no less than the first number of seconds and no more than the share; heuristics no more than the second number."""
    target_rise: float = 0.3
    """By what share of its distance from the relaxation's bound the search's target rises at least."""
    longer: float = 30.0
    """The target rises by more than a step where the next list is not expected to be so many times as long."""
    long_list: int = 4_000
    """Before a longer list is searched, heuristics look for a better rule set."""
    short_list: int = 3_000
    """Longer lists for at most three rules are searched faster than thinned out by comparing rules with each other."""
    longest_list: int = 30_000
    """Longer lists are neither thinned out by comparing rules with each other nor given to an integer program."""
    confirming_share: float = 0.4
    """Share of the time left for a second solver to confirm an integer program that closes the proof."""
    tied_rules: int = 30_000
    tied_sets: int = 10_000
    tied_nodes: int = 20_000
    least_tie_seconds: float = 5.0
    """Once optimality is proven, all optima are enumerated, so that the same one is shown on any machine: over so many
    rules, sets and partial sets at most, for as long as the run took so far and at least so many seconds."""
    first_pass_rules: int = 2_000
    first_pass_share: float = 0.25
    """An integer program over a longer list is first tried on so many of its most promising rules, for this share: it
    may shorten the list."""


@frozen
class Schedule:
    """The policy of a run. Build another one with :meth:`with_settings` or read one with :meth:`from_toml`.

    >>> Schedule().with_settings({"large_samples": 100, "search": {"share": 0.2}}).search.share
    0.2
    """

    large_samples: int = 5_000
    """From this many samples on, data is large: proofs are seldom within reach, and searching for rule sets brings
    most."""
    plain_samples: int = 2_000_000
    """Above this many samples, looking for an equally good rule set that reads better costs more than it is worth."""
    trusted: tuple[str, ...] = ()
    """Names of pricers, besides those that come with the core, whose bounds and lists may close a proof."""
    generation: GenerationSchedule = GenerationSchedule()
    search: SearchSchedule = SearchSchedule()
    selection: SelectionSchedule = SelectionSchedule()
    proof: ProofSchedule = ProofSchedule()

    def is_large(self, problem: Problem) -> bool:
        """Whether the data counts as large."""
        return problem.n_samples >= self.large_samples

    def with_settings(self, settings: Mapping[str, Any]) -> Schedule:
        """The same schedule with some settings changed, given as nested mappings.

        Raises
        ------
        ConfigurationError
            When a name is unknown or a value is of another type than the setting's.
        """
        return _changed(self, settings, "schedule")

    @classmethod
    def from_toml(cls, path: str | Path) -> Schedule:
        """Read changed settings from a TOML file whose tables are the sections."""
        try:
            settings = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"Cannot read the schedule in {path}: {error}.") from None
        return cls().with_settings(settings)

    @property
    def changes(self) -> tuple[str, ...]:
        """What differs from the usual schedule, as lines of TOML.

        >>> Schedule().with_settings({"search": {"share": 0.25}}).changes
        ('search.share = 0.25',)
        """
        return tuple(_differences(self, Schedule(), ""))

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> Schedule:
        """Make a schedule of changed settings, each a line of TOML, as :attr:`changes` has them."""
        text = "\n".join(lines)
        try:
            settings = tomllib.loads(text)
        except ValueError as error:
            raise ConfigurationError(
                f"Cannot read the schedule {text!r}: {error}. Settings look like 'search.share = 0.3'."
            ) from None
        return cls().with_settings(settings)


def _differences(section: Any, usual: Any, prefix: str) -> Iterator[str]:
    for each in fields(type(section)):
        value, other = getattr(section, each.name), getattr(usual, each.name)
        if hasattr(type(value), "__attrs_attrs__"):
            yield from _differences(value, other, f"{prefix}{each.name}.")
        elif value != other:
            # JSON's numbers, texts, truth values and lists are TOML's, but for the name of infinity.
            yield f"{prefix}{each.name} = {json.dumps(value).replace('Infinity', 'inf')}"


def _changed(section: Section, settings: Mapping[str, Any], where: str) -> Section:
    known = fields_dict(type(section))  # type: ignore[arg-type]
    changes: dict[str, Any] = {}
    for name, value in settings.items():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(known)}."
            raise ConfigurationError(f"Unknown setting {name!r} in the {where}.{hint}")
        changes[name] = _checked(getattr(section, name), value, f"{where}.{name}")
    return evolve(section, **changes)  # type: ignore[misc]


def _checked(current: Any, value: Any, where: str) -> Any:
    """The value in the type of the current one."""
    if hasattr(type(current), "__attrs_attrs__"):
        if not isinstance(value, Mapping):
            raise ConfigurationError(f"The setting {where} is a table of settings, not {value!r}.")
        return _changed(current, value, where)
    if isinstance(current, tuple):
        if not isinstance(value, (list, tuple)):
            raise ConfigurationError(f"The setting {where} is a list, not {value!r}.")
        if where == "schedule.trusted":
            return tuple(str(each) for each in value)
        return tuple(_number(each, where) for each in value)
    if isinstance(current, bool):
        if not isinstance(value, bool):
            raise ConfigurationError(f"The setting {where} is true or false, not {value!r}.")
        return value
    return type(current)(_number(value, where))


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        raise ConfigurationError(f"The setting {where} must be a number of at least 0, not {value!r}.")
    return value


def setting_names(section: Any = Schedule, prefix: str = "") -> list[str]:
    """The dotted names of all settings, for documentation and completion."""
    names: list[str] = []
    for each in fields(section):
        inner = type(each.default)
        if hasattr(inner, "__attrs_attrs__"):
            names += setting_names(inner, f"{prefix}{each.name}.")
        else:
            names.append(f"{prefix}{each.name}")
    return names
