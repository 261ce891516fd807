"""Data sets by name: the right rows, labels and sensitive columns, from files or from OpenML."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rulecg import datasets
from rulecg.binarize.binarizer import Binarizer
from rulecg.datasets.generated import LENDING_DENIED_MINORITY, LENDING_DENIED_WOMEN, LENDING_NOISE
from rulecg_core import ConfigurationError, UnknownNameError

PAPER = {
    # name: rows, share of positives, conditions (None where the paper's count follows no simple rule)
    "banknote": (1372, 0.445, 80),
    "heart": (299, 0.462, 136),
    "ilpd": (579, 0.715, 174),
    "ionosphere": (351, 0.641, 596 - 2),  # the constant a02 gives no condition
    "bupa": (345, 0.510, 102),
    "pima": (768, 0.349, 144),
    "wdbc": (569, 0.373, 600),
    "transfusion": (748, 0.238, 68),
    "adult": (48842, 0.239, None),
    "bank-mkt": (41188, 0.113, None),
    "gas-partial": (6697, 0.453, None),
    "magic": (19020, 0.648, 200),
    "mushroom": (8124, 0.482, 224 - 2),  # the constant veil-type gives no condition
    "musk": (6598, 0.154, None),
    "compas": (5278, 0.470, 24),
    "default": (30000, 0.221, None),
}


@pytest.mark.paper_data
@pytest.mark.parametrize("name", sorted(PAPER))
def test_paper_data_has_the_paper_s_rows_labels_and_conditions(name: str) -> None:
    """Row counts, shares of positives and numbers of conditions are those of the paper."""
    rows, share, n_conditions = PAPER[name]
    loaded = datasets.load(name)
    assert len(loaded.data) == len(loaded.target) == rows
    assert loaded.target.mean() == pytest.approx(share, abs=5e-4)
    assert loaded.target.dtype == bool
    if n_conditions is not None:
        assert len(Binarizer().fit(loaded.data).conditions_) == n_conditions


@pytest.mark.paper_data
def test_sensitive_columns_of_the_paper() -> None:
    """adult and default have sex, compas the race indicator, with the group sizes of the data."""
    sizes = {}
    for name in ("adult", "compas", "default"):
        loaded = datasets.load(name)
        assert loaded.sensitive is not None
        (column,) = loaded.sensitive.columns
        assert column in loaded.data
        sizes[name] = sorted(loaded.sensitive[column].value_counts())
    assert sizes == {"adult": [16192, 32650], "compas": [2103, 3175], "default": [11888, 18112]}


@pytest.mark.paper_data
def test_generated_tic_tac_toe_is_the_published_one() -> None:
    """The generated end games are the published file's rows with the published labels."""
    published = pd.read_csv(Path(datasets.files.data_folder() or "") / "tic-tac-toe.csv.gz")
    data, target, sensitive = datasets.load("tic-tac-toe")
    assert sensitive is None
    generated = data.assign(Class=np.where(target, "positive", "negative"))
    assert list(generated.columns) == list(published.columns)
    assert sorted(map(tuple, generated.to_numpy())) == sorted(map(tuple, published.to_numpy()))


def test_tic_tac_toe_has_54_conditions() -> None:
    """958 boards, 626 of them won by x, three marks a square."""
    loaded = datasets.load("tic-tac-toe")
    assert loaded.data.shape == (958, 9)
    assert int(loaded.target.sum()) == 626
    assert len(Binarizer().fit(loaded.data).conditions_) == 54


def test_lending_follows_its_documented_rules_and_bias() -> None:
    """Decisions depart from the rules by the documented noise, and against women and the minority by the bias."""
    loaded = datasets.lending(n_rows=100_000, seed=3)
    qualified = datasets.LENDING_RULES.predict(loaded.data)
    assert loaded.sensitive is not None
    woman, minority = loaded.sensitive["sex"] == "female", loaded.sensitive["race"] == "minority"
    approved = loaded.target
    assert approved[~qualified].mean() == pytest.approx(LENDING_NOISE, abs=0.004)
    assert 1 - approved[qualified & ~woman & ~minority].mean() == pytest.approx(LENDING_NOISE, abs=0.004)
    for members, denied in [(woman & ~minority, LENDING_DENIED_WOMEN), (minority & ~woman, LENDING_DENIED_MINORITY)]:
        flipped = denied * (1 - LENDING_NOISE) + (1 - denied) * LENDING_NOISE
        assert 1 - approved[qualified & members].mean() == pytest.approx(flipped, abs=0.015)


def test_lending_is_seeded_and_varied() -> None:
    """The same seed gives the same table; it has numbers, categories and missing values."""
    first, again, other = datasets.load("lending"), datasets.lending(), datasets.lending(seed=1)
    pd.testing.assert_frame_equal(first.data, again.data)
    assert not first.data.equals(other.data)
    assert first.data["savings"].isna().mean() == pytest.approx(1 / 12, abs=0.02)
    assert 0.3 < first.target.mean() < 0.6
    assert first.sensitive is not None
    assert list(first.sensitive.columns) == ["sex", "race"]


def test_breast_cancer_predicts_malignant() -> None:
    """scikit-learn's table, with the 212 malignant tumours as positives."""
    loaded = datasets.load("breast-cancer")
    assert loaded.data.shape == (569, 30)
    assert int(loaded.target.sum()) == 212
    assert "212" not in str(loaded)
    assert "malignant" in str(loaded)


def test_unknown_name_suggests_the_nearest() -> None:
    """A misspelt name is answered with the name that was probably meant."""
    with pytest.raises(UnknownNameError, match=r"Did you mean 'banknote'\?.*tic-tac-toe"):
        datasets.load("bank-note")


def test_folder_that_does_not_exist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """RULECG_DATA pointing nowhere is said to do so."""
    monkeypatch.setenv("RULECG_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigurationError, match=r"RULECG_DATA names .*nowhere.*not a folder"):
        datasets.load("banknote")


@pytest.mark.parametrize("name", ["compas", "bank-mkt", "fico"])
def test_data_without_openml_says_where_to_get_it(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sets that OpenML does not have say where they are and where to put them."""
    monkeypatch.setenv("RULECG_DATA", str(tmp_path))
    with pytest.raises(ConfigurationError, match=rf"Save it as {name}\.csv.*RULECG_DATA"):
        datasets.load(name)


def test_file_without_its_label(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file that lacks the label column is refused by name."""
    (tmp_path / "banknote.csv").write_text("variance,skewness\n1,2\n")
    monkeypatch.setenv("RULECG_DATA", str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"no column 'class'.*variance"):
        datasets.load("banknote")


class FakeOpenML:
    """Stands in for scikit-learn's fetcher; remembers what was asked."""

    def __init__(self, data: pd.DataFrame, target: pd.Series[Any]) -> None:
        self.bunch = SimpleNamespace(data=data, target=target)
        self.asked: list[dict[str, Any]] = []

    def __call__(self, **options: Any) -> Any:
        self.asked.append(options)
        return self.bunch


def test_fetches_from_openml_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenML's names and label codes are turned into the published ones; another row count is warned about."""
    fake = FakeOpenML(
        pd.DataFrame({"V1": [1.0, 2.0], "V2": [3.0, 4.0], "V3": [5.0, 6.0], "V4": [7.0, 8.0]}),
        pd.Series(["1", "2"], name="Class", dtype="category"),
    )
    monkeypatch.delenv("RULECG_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fake)
    with pytest.warns(UserWarning, match=r"has 2 rows after preparation; the paper has 1372"):
        loaded = datasets.load("banknote")
    assert fake.asked == [{"data_id": 1462, "as_frame": True}]
    assert list(loaded.data.columns) == ["variance", "skewness", "curtosis", "entropy"]
    assert loaded.target.tolist() == [False, True]
    assert loaded.source == "OpenML 1462"


def test_openml_gaps_become_the_published_marker(monkeypatch: pytest.MonkeyPatch) -> None:
    """adult's missing jobs are the category "?" from OpenML as they are in the published file."""
    fake = FakeOpenML(
        pd.DataFrame({"workclass": pd.Categorical([None, "Private"]), "sex": ["Male", "Female"]}),
        pd.Series([">50K", "<=50K"], name="class", dtype="category"),
    )
    monkeypatch.delenv("RULECG_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fake)
    with pytest.warns(UserWarning, match="48842"):
        loaded = datasets.load("adult")
    assert loaded.data["workclass"].tolist() == ["?", "Private"]
    assert loaded.target.tolist() == [True, False]


def test_openml_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a network the error says how to bring the file oneself."""

    def fail(**options: Any) -> Any:
        raise OSError("no route to host")

    monkeypatch.delenv("RULECG_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fail)
    with pytest.raises(ConfigurationError, match=r"no route to host.*pima\.csv.*RULECG_DATA"):
        datasets.load("pima")


def test_openml_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another number of columns than expected is refused, not guessed at."""
    monkeypatch.delenv("RULECG_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", FakeOpenML(pd.DataFrame({"V1": [1.0]}), pd.Series(["1"])))
    with pytest.raises(ConfigurationError, match="has 1 inputs where 'banknote' has 4"):
        datasets.load("banknote")


def test_fico_special_values(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All -9 rows go; -7 is one month more than the longest; -8 and -9 are missing; codes above 7 become 7."""
    table = pd.DataFrame(
        {
            "RiskPerformance": ["Good", "Bad", "Bad", "Good"],
            "ExternalRiskEstimate": [70, -9, -9, 60],
            "MSinceMostRecentDelq": [-7, -9, 83, -8],
            "MaxDelq2PublicRecLast12M": [9, -9, 7, 3],
        }
    )
    table.to_csv(tmp_path / "heloc_dataset_v1.csv", index=False)
    monkeypatch.setenv("RULECG_DATA", str(tmp_path))
    with pytest.warns(UserWarning, match="has 3 rows"):
        loaded = datasets.load("fico")
    assert loaded.target.tolist() == [True, False, True]
    assert loaded.data["MSinceMostRecentDelq"].fillna(-1).tolist() == [84, 83, -1]
    assert loaded.data["ExternalRiskEstimate"].fillna(-1).tolist() == [70, -1, 60]
    assert loaded.data["MaxDelq2PublicRecLast12M"].tolist() == [7, 7, 3]
