"""The house rules that keep the parts apart: imports point down, rooms stay small, hooks are documented."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rulecg_core.plugins.hookspecs import specifications
from scripts.import_graph import FLOORS, floor_of, imports_of, modules

ROOT = Path(__file__).parents[1]
MODULES = sorted(modules(ROOT))
CORE_DEPENDENCIES = {"attrs", "numpy", "pluggy", "tomli", "tomllib"}
PLUGINS = ("rulecg_backends", "rulecg_pricing", "rulecg_search", "rulecg_fairness", "rulecg_engines")
DOORS = ("rulecg_core", "rulecg_core.testing", "rulecg_kernels")
"""What plugins, ours like a stranger's, may import of ours besides their own package."""
MOST_LINES, MOST_FUNCTION_LINES, MOST_PARAMETERS, MOST_MODULES = 400, 60, 7, 12


def path_of(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down_the_floors(module: str) -> None:
    """A module imports of ours only what lives on its own floor or below it; plugins do not know each other."""
    for imported in imports_of(ROOT, module):
        assert floor_of(imported) <= floor_of(module), f"{module} imports {imported}, which lives above it"
        package, other = module.partition(".")[0], imported.partition(".")[0]
        if package in PLUGINS and other in PLUGINS:
            assert package == other, f"{module} imports {imported}: plugins do not know each other"


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith(PLUGINS)])
def test_plugins_use_only_public_doors(module: str) -> None:
    """Our own plugins use only what a stranger's plugin can use."""
    package = module.partition(".")[0]
    for imported in imports_of(ROOT, module, names=False):
        inside = imported == package or imported.startswith(f"{package}.")
        assert inside or imported in DOORS or imported.startswith(("rulecg_core.testing.", "rulecg_kernels.")), imported


@pytest.mark.parametrize("module", MODULES)
def test_the_checker_shares_no_code_with_what_it_checks(module: str) -> None:
    """It imports numpy, the standard library and nothing of ours, and nothing of ours imports it."""
    if not module.startswith("rulecg_verify"):
        assert not any(name.startswith("rulecg_verify") for name in imports_of(ROOT, module))
        return
    names = set()
    for node in ast.walk(ast.parse(path_of(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    assert names <= {"numpy", *sys.stdlib_module_names}
    assert all(name.startswith("rulecg_verify") for name in imports_of(ROOT, module))


@pytest.mark.parametrize("module", [module for module in MODULES if module.startswith("rulecg_core")])
def test_the_core_depends_on_three_libraries(module: str) -> None:
    """numpy, attrs and pluggy, besides the standard library; pytest in the test kit."""
    names = set()
    for node in ast.walk(ast.parse(path_of(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    allowed = CORE_DEPENDENCIES | {"rulecg_core"} | set(sys.stdlib_module_names)
    assert names <= allowed | ({"pytest"} if ".testing" in module else set())


def test_the_core_imports_without_compiler_and_solvers() -> None:
    """With numba, pandas, scikit-learn and every solver out of reach, the core is imported all the same."""
    blocked = ["numba", "llvmlite", "pandas", "sklearn", "scipy", "highspy", "mip", "pyscipopt", "gurobipy"]
    code = (
        "import sys\n"
        f"for name in {blocked!r}: sys.modules[name] = None\n"
        "import rulecg_core, rulecg_core.solve.loop\n"
        "print(len(rulecg_core.__all__))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


@pytest.mark.parametrize("module", MODULES)
def test_no_underscore_crosses_a_module_s_border(module: str) -> None:
    """Nobody imports another module's private names."""
    for node in ast.walk(ast.parse(path_of(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("rulecg")):
            private = [alias.name for alias in node.names if re.match(r"_[^_]", alias.name)]
            assert not private, f"{module} imports {private} from {node.module}"


@pytest.mark.parametrize("module", MODULES)
def test_modules_stay_small_and_say_what_they_are_for(module: str) -> None:
    """At most four hundred lines, and a first line that tells a newcomer what lives here."""
    text = path_of(module).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert not text.strip() or ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("module", MODULES)
def test_functions_fit_on_a_screen(module: str) -> None:
    """At most sixty lines besides the docstring and seven parameters, or a comment on the line of the definition, or
    just above it, says why."""
    text = path_of(module).read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        n_parameters = len([each for each in arguments if each.arg not in ("self", "cls")])
        n_lines = (node.end_lineno or node.lineno) - node.lineno + 1
        documented = ast.get_docstring(node, clean=False)
        n_lines -= 0 if documented is None else documented.count("\n") + 1
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        has_reason = "#" in lines[node.lineno - 1] or lines[first - 2].lstrip().startswith("#")
        is_small = n_lines <= MOST_FUNCTION_LINES and n_parameters <= MOST_PARAMETERS
        assert is_small or has_reason, f"{module}.{node.name}: {n_lines} lines, {n_parameters} parameters"


def test_folders_stay_small() -> None:
    """At most a dozen modules in a folder, so that names can be taken in at a glance."""
    for package in FLOORS:
        for folder in [ROOT / package, *(ROOT / package).rglob("*")]:
            if folder.is_dir() and folder.name != "__pycache__":
                found = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
                assert len(found) <= MOST_MODULES, f"{folder.relative_to(ROOT)} has {len(found)} modules"


def test_every_hook_is_documented() -> None:
    """Each hook has a docstring and stands in the page for plugin authors."""
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    hooks = [hook for name, hook in vars(specifications()).items() if name.startswith("rulecg_")]
    assert len(hooks) >= 7
    for hook in hooks:
        assert inspect.getdoc(hook)
        assert hook.__name__ in page


def test_the_picture_is_what_the_imports_say() -> None:
    """The architecture page and its picture are made from the imports as they are."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.import_graph", "--check"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_hop_of_the_trace_is_there() -> None:
    """Each hop of the fit that the architecture page traces is a file and a function that exist, and no hop twice."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    hops = re.findall(r"^\d+\. `([^`]+\.py)`, `([\w.]+)`", page, flags=re.MULTILINE)
    assert len(hops) == len(set(hops)) >= 15
    for path, name in hops:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        assert set(name.split(".")) <= defined, f"{path} has no {name}"


ONE_SYSTEM_ONLY = re.compile(
    r"\bos\.(name|fork|kill|killpg|setsid|geteuid|getuid|chown|nice|sched_\w+)\b|\bsys\.platform\b"
    r"|^\s*(import|from) (fcntl|grp|pwd|resource|termios|tty|msvcrt|winreg)\b"
    r"|\bsignal\.(SIGKILL|SIGALRM|SIGHUP|SIGUSR1|SIGUSR2|setitimer|pthread_kill)\b",
    re.MULTILINE,
)
"""What not every operating system has, and questions about which one it is."""


def test_one_module_knows_the_operating_system() -> None:
    """What differs between systems lives in one module of the backends, and in the contract that sends signals."""
    asking = {
        module for module in MODULES if ONE_SYSTEM_ONLY.search(path_of(module).read_text(encoding="utf-8"))
    }
    assert asking == {"rulecg_backends.common.platform", "rulecg_core.testing.backends.interrupts"}
