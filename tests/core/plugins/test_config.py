"""Settings come from the nearest file and from the environment; mistakes in them are told, not ignored."""

import pytest

from rulecg_core import ConfigurationError
from rulecg_core.plugins.config import Config, load_config


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "project" / "deep" / "inside").mkdir(parents=True)
    return tmp_path / "project"


def test_without_any_file_the_defaults_are_in_force(tmp_path):
    """HiGHS, without options."""
    assert load_config(tmp_path, {}) == Config("highs", {}, "built-in defaults")


def test_pyproject_sets_backend_and_options(folder):
    """``[tool.rulecg]`` holds the backend, ``[tool.rulecg.backends.<name>]`` its options."""
    text = '[tool.rulecg]\nbackend = "scip"\n[tool.rulecg.backends.highs]\nthreads = 2\n'
    (folder / "pyproject.toml").write_text(text)
    config = load_config(folder, {})
    assert config.backend == "scip"
    assert config.options_for("highs") == {"threads": 2}
    assert config.options_for("scip") == {}
    assert "pyproject.toml" in config.source


def test_parents_are_searched_and_the_nearest_file_wins(folder):
    """A file in the working directory's parent counts, one closer by counts more."""
    (folder / "rulecg.toml").write_text('backend = "scip"\n')
    assert load_config(folder / "deep" / "inside", {}).backend == "scip"
    (folder / "deep" / "rulecg.toml").write_text('backend = "cbc"\n')
    assert load_config(folder / "deep" / "inside", {}).backend == "cbc"


def test_rulecg_toml_goes_before_pyproject(folder):
    """The more specific file wins within one folder."""
    (folder / "rulecg.toml").write_text('backend = "cbc"\n')
    (folder / "pyproject.toml").write_text('[tool.rulecg]\nbackend = "scip"\n')
    assert load_config(folder, {}).backend == "cbc"


def test_a_pyproject_of_others_is_passed_over(folder):
    """A pyproject.toml without ``[tool.rulecg]`` does not end the search."""
    (folder / "rulecg.toml").write_text('backend = "cbc"\n')
    (folder / "deep" / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert load_config(folder / "deep", {}).backend == "cbc"


@pytest.mark.parametrize("value", ["scip", " scip\n"])
def test_the_environment_overrides_the_file(folder, value):
    """RULECG_BACKEND is for one run; the file's options still apply."""
    (folder / "rulecg.toml").write_text('backend = "cbc"\n[backends.scip]\nemphasis = "feasibility"\n')
    config = load_config(folder, {"RULECG_BACKEND": value})
    assert config.backend == "scip"
    assert config.options_for("scip") == {"emphasis": "feasibility"}


def test_an_empty_variable_is_no_choice(folder):
    """``RULECG_BACKEND=`` in a shell script means: as configured."""
    (folder / "rulecg.toml").write_text('backend = "cbc"\n')
    assert load_config(folder, {"RULECG_BACKEND": ""}).backend == "cbc"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("bakend = 'scip'", "bakend"),
        ("backend = 3", "must be a name"),
        ("backends = 3", "one table of options per backend"),
        ("[backends]\nhighs = 1", "one table of options per backend"),
        ("backend = ", "Cannot read the settings"),
    ],
)
def test_mistakes_are_told_with_the_file(folder, text, told):
    """Nothing in a settings file is ignored in silence."""
    (folder / "rulecg.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=told) as caught:
        load_config(folder, {})
    assert "rulecg.toml" in str(caught.value)


def test_a_section_that_is_no_table_is_refused(folder):
    """``tool.rulecg = "scip"`` is a plausible slip."""
    (folder / "pyproject.toml").write_text('[tool]\nrulecg = "scip"\n')
    with pytest.raises(ConfigurationError, match="must be a table"):
        load_config(folder, {})
