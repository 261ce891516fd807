"""``rulecg completion``: completion scripts for shells, generated from the parser."""

from __future__ import annotations

import argparse
import shlex

from .exit_codes import OK

NAME = "completion"
HELP = "Print a completion script: add its output to your shell's start-up file."
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell to write for")


def run(arguments: argparse.Namespace) -> int:
    from .cli import build_parser

    print(script(arguments.shell, build_parser()))
    return OK


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """The script for one shell."""
    commands = subcommands(parser)
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings]


def _choices(action: argparse.Action) -> str:
    return " ".join(map(str, action.choices or ()))


def _words(parser: argparse.ArgumentParser) -> str:
    words = [option for action in _options(parser) for option in action.option_strings]
    words += [str(choice) for action in parser._actions if not action.option_strings for choice in action.choices or ()]
    return " ".join(words)


def _bash(commands: dict[str, argparse.ArgumentParser]) -> str:
    cases = "\n".join(f"    {name}) words={shlex.quote(_words(parser))} ;;" for name, parser in commands.items())
    choices = {
        option: _choices(action)
        for parser in commands.values()
        for action in _options(parser)
        if action.choices
        for option in action.option_strings
    }
    values = "\n".join(
        f'    {option}) COMPREPLY=($(compgen -W {shlex.quote(listed)} -- "$current")); return ;;'
        for option, listed in sorted(choices.items())
    )
    return f"""_rulecg() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {shlex.quote(" ".join([*commands, "--help", "--version"]))} -- "$current"))
    return
  fi
  case "$previous" in
{values}
  esac
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _rulecg rulecg"""


def _zsh(commands: dict[str, argparse.ArgumentParser]) -> str:
    listed = " ".join(_zsh_quoted(f"{name}:{parser.description or ''}") for name, parser in commands.items())
    cases = []
    for name, parser in commands.items():
        lines = []
        for action in _options(parser):
            option = action.option_strings[-1]
            value = f"({_choices(action)})" if action.choices else "_files"
            value = "" if action.nargs == 0 else f":{action.metavar or action.dest}:{value}"
            lines.append(_zsh_quoted(f"*{option}[{_bracketed(action.help or '')}]{value}"))
        for action in parser._actions:
            if not action.option_strings and action.choices:
                lines.append(_zsh_quoted(f":{action.dest}:({_choices(action)})"))
        lines.append("'*:file:_files'")
        cases.append(f"    {name}) _arguments " + " ".join(lines) + " ;;")
    body = "\n".join(cases)
    return f"""#compdef rulecg
_rulecg() {{
  local -a commands
  commands=({listed})
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{body}
  esac
}}
compdef _rulecg rulecg"""


def _fish(commands: dict[str, argparse.ArgumentParser]) -> str:
    lines = ["complete -c rulecg -e"]
    for name, parser in commands.items():
        lines.append(
            f"complete -c rulecg -f -n __fish_use_subcommand -a {name} -d {_fish_quoted(parser.description or '')}"
        )
        here = f"-n '__fish_seen_subcommand_from {name}'"
        for action in _options(parser):
            flags = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in action.option_strings
            )
            takes = f" -x -a {_fish_quoted(_choices(action))}" if action.choices else " -r"
            takes = "" if action.nargs == 0 else takes
            lines.append(f"complete -c rulecg {here} {flags}{takes} -d {_fish_quoted(action.help or '')}")
        for action in parser._actions:
            if not action.option_strings and action.choices:
                lines.append(f"complete -c rulecg -f {here} -a {_fish_quoted(_choices(action))}")
    return "\n".join(lines)


def _bracketed(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
