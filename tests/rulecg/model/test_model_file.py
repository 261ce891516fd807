"""Model files bring back the same predictions, execute nothing, and refuse whatever is not what it should be."""

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rulecg
from rulecg.model.document import json_schema
from rulecg.model.model_file import seal as seal_of
from rulecg.model.model_file import to_model
from rulecg.model.origin.fingerprint import Fingerprint
from rulecg.model.scored_rule_sets import rescored
from rulecg_core import ConfigurationError, RuleSet

SCHEMA = Path(__file__).parents[3] / "docs" / "reference" / "model-file.schema.json"


@pytest.fixture(scope="module")
def path(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.json"
    rulecg.save_model(model, path)
    return path


def test_a_loaded_model_predicts_as_the_classifier_did(path, fitted, lending):
    """Labels carry their names; probabilities are the same to the last bit."""
    loaded = rulecg.load_model(path)
    expected = np.where(fitted.predict(lending.data), "yes", "no")
    assert loaded.predict(lending.data).tolist() == expected.tolist()
    assert np.array_equal(loaded.predict_proba(lending.data), fitted.predict_proba(lending.data))
    assert loaded.certificate.text == fitted.result_.certificate()
    assert loaded.fingerprint == Fingerprint.of(lending.data)


@pytest.mark.parametrize("which", ["fitted_cnf", "fitted_classes"])
def test_cnf_and_several_classes_come_back_too(which, request, lending, tmp_path):
    """Every kind of rule set survives the file."""
    classifier = request.getfixturevalue(which)
    data = lending.data[list(classifier.feature_names_in_)]
    rulecg.save_model(classifier, tmp_path / "m.json")
    loaded = rulecg.load_model(tmp_path / "m.json")
    assert loaded.predict(data).tolist() == classifier.predict(data).tolist()
    assert np.array_equal(loaded.predict_proba(data), classifier.predict_proba(data))


def test_loading_needs_numpy_and_pandas_alone(path, lending, tmp_path):
    """Neither scikit-learn nor a solver nor a compiler is imported to load, predict and explain."""
    lending.data.to_csv(tmp_path / "data.csv", index=False)
    code = f"""
import sys
for name in ("sklearn", "scipy", "highspy", "numba", "joblib", "rich", "matplotlib", "mip", "pyscipopt"):
    sys.modules[name] = None
import pandas as pd, rulecg
model = rulecg.load_model({str(path)!r})
table = pd.read_csv({str(tmp_path / "data.csv")!r})
print((model.predict(table) == "yes").sum(), len(model.predict_proba(table)), len(model.explain(table)))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    accepted = int((rulecg.load_model(path).predict(lending.data) == "yes").sum())
    assert out.split() == [str(accepted), "600", "600"]


def test_loading_and_saving_again_changes_nothing(path, tmp_path):
    """Nothing is lost, and nothing in the file depends on when or where it was written."""
    rulecg.save_model(rulecg.load_model(path), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def edited(path, change, seal=True):
    """The file with a change made to its document, sealed anew unless it is the seal that is tested."""
    document = json.loads(path.read_text())
    document = change(document) or document
    if seal and isinstance(document, dict):
        document["seal"] = seal_of(document)
    return document


def first_set(**entries):
    return lambda document: document["rule_sets"][0].update(entries)


REFUSED = {
    "another version": (lambda d: d.update(version=3), "version 3"),
    "a version that is a truth value": (lambda d: d.update(version=True), "version True"),
    "another format": (lambda d: d.update(format="something"), "does not say format"),
    "a list": (lambda d: [d], "Expected `object`, got `array`"),
    "an entry nobody knows": (lambda d: d.update(run="__import__('os')"), "unknown field `run`"),
    "an entry missing": (lambda d: d.pop("classes") and None, "missing required field `classes`"),
    "one class": (lambda d: d.update(classes=["yes"]), "length >= 2 - at `[$].classes`"),
    "classes that are objects": (lambda d: d.update(classes=[{}, []]), "got `object` - at `[$].classes"),
    "a rule with an unlisted condition": (first_set(rules=[[999]], right=[1], support=[1]), "does not list"),
    "a rule that is text": (first_set(rules=["12"], right=[1], support=[1]), "Expected `array`, got `str`"),
    "a rule with fractions": (first_set(rules=[[0.5]], right=[1], support=[1]), "Expected `int`, got `float`"),
    "too few counts": (first_set(right=[]), "numbers, but"),
    "a precision above one": (first_set(right=[9, 9, 9], support=[5, 5, 5]), "more rows rightly than it decides"),
    "a share above one": (first_set(otherwise=7), "<= 1.0 - at `[$].rule_sets.0..otherwise`"),
    "an unknown form": (first_set(logic="xor"), "Invalid enum value 'xor'"),
    "an unknown operator": (
        lambda d: d["rule_sets"][0]["conditions"][0].update(operator="exec"), "Invalid enum value 'exec'",
    ),
    "a threshold that is text": (
        lambda d: d["rule_sets"][0]["conditions"].append({"column": "income", "operator": ">", "value": "x"}),
        "finite number",
    ),
    "a number beyond all bounds": (
        lambda d: d["rule_sets"][0]["conditions"].append({"column": "income", "operator": ">", "value": 10**400}),
        "finite number",
    ),
    "a condition on no column": (
        lambda d: d["rule_sets"][0]["conditions"].append({"column": "nope", "operator": "true"}), "no column of it",
    ),
    "a very long text": (lambda d: d.update(target="x" * 20_000), "length <= 10000 - at `[$].target`"),
    "too many rule sets": (lambda d: d["rule_sets"].append(d["rule_sets"][0]), "need 1 rule sets"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_files_that_are_not_as_they_should_be_are_refused(what, path, tmp_path):
    """Each with a message that names what is wrong; the seal is right, so it is the contents that are checked."""
    change, message = REFUSED[what]
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(edited(path, change)))
    with pytest.raises(ConfigurationError, match=message):
        rulecg.load_model(bad)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rulecg model file"),
        ("[" * 100_000, "no rulecg model file"),
        ('{"format": NaN}', "no rulecg model file"),
        ('{"format": 1e999}', "no rulecg model file"),
        ("\ud800".encode("utf-8", "surrogatepass"), "no rulecg model file"),
        (b"\x80\x04\x95pickle", "no rulecg model file"),
        ('{"version": ' + "9" * 5000 + "}", "no rulecg model file"),
    ],
    ids=["nothing", "nested", "NaN", "infinite", "no text", "a pickle", "many digits"],
)
def test_things_that_are_no_json_are_refused(text, message, tmp_path):
    """Deep nesting, doubled names, pickles and numbers without end included."""
    bad = tmp_path / "bad.json"
    bad.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigurationError, match=message):
        rulecg.load_model(bad)


def test_a_name_that_occurs_twice_is_refused(path, tmp_path):
    """Readers of JSON disagree on which one counts."""
    bad = tmp_path / "bad.json"
    bad.write_text(path.read_text().replace('"target": "approved",', '"target": "approved", "target": "approved",'))
    with pytest.raises(ConfigurationError, match="occurs twice"):
        rulecg.load_model(bad)


@pytest.mark.parametrize("place", ["anything", "version", "classes", "rule_sets"])
def test_a_flood_of_empty_objects_is_refused_before_it_is_built(place, tmp_path):
    """Twenty million objects in a file of sixty megabytes would take gigabytes; here the rest is not even looked at."""
    bad = tmp_path / "bad.json"
    with bad.open("w") as stream:
        stream.write(f'{{"format": "rulecg/model", "version": 2, "{place}": [')
        stream.write("{}," * (20 * 2**20 - 100) + "{}]}")
    tracemalloc.start()
    try:
        with pytest.raises(ConfigurationError):
            rulecg.load_model(bad)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 200 * 2**20


def test_files_of_an_older_version_say_what_to_do(path, tmp_path):
    """One sentence names the release that wrote it and the way out."""
    old = tmp_path / "old.json"
    old.write_text('{"format": "rulecg/model", "version": 1, "rulecg": "0.1.0", "target": null}')
    with pytest.raises(ConfigurationError, match=r"version 1, written by rulecg 0.1.0.*learn the model again"):
        rulecg.load_model(old)


def test_saved_models_keep_the_published_schema(path, fitted_cnf, fitted_classes, tmp_path):
    """The JSON Schema in the documentation is the one of this release, and every kind of model is valid by it."""
    published = json.loads(SCHEMA.read_text())
    assert published == json_schema()
    validator = jsonschema.Draft202012Validator(published)
    for number, classifier in enumerate((fitted_cnf, fitted_classes)):
        rulecg.save_model(classifier, tmp_path / f"{number}.json")
        validator.validate(json.loads((tmp_path / f"{number}.json").read_text()))
    document = json.loads(path.read_text())
    validator.validate(document)
    assert not validator.is_valid({**document, "run": 1})
    assert not validator.is_valid({**document, "classes": ["one"]})


def test_huge_files_are_not_even_read(tmp_path):
    """A file beyond the limit is refused by its size."""
    huge = tmp_path / "huge.json"
    with huge.open("wb") as stream:
        stream.truncate(2**40)
    with pytest.raises(ConfigurationError, match="at most 64 MB"):
        rulecg.load_model(huge)


def test_a_file_edited_by_hand_loses_its_certificate(path, tmp_path):
    """Rules that were changed are not covered by what was proven of others."""
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(edited(path, lambda d: d["rule_sets"][0].update(outcome="mine"), seal=False)))
    with pytest.raises(ConfigurationError, match="changed after rulecg wrote it"):
        rulecg.load_model(bad)
    loaded = rulecg.load_model(bad, allow_edited=True)
    assert loaded.certificate is None
    assert loaded.rule_set.outcome == "mine"
    assert loaded.notes


def test_an_edited_model_has_probabilities_only_when_counted_anew(path, lending, tmp_path):
    """The precision of rules that are no longer there is not given for others, not even after saving again."""

    def loosen(document):
        entry = document["rule_sets"][0]
        entry["rules"] = [rule[:1] for rule in entry["rules"]]

    bad, again = tmp_path / "bad.json", tmp_path / "again.json"
    bad.write_text(json.dumps(edited(path, loosen, seal=False)))
    rulecg.save_model(rulecg.load_model(bad, allow_edited=True), again)
    loaded = rulecg.load_model(again)
    labels = np.where(lending.target, "yes", "no")
    predicted = loaded.predict(lending.data)
    with pytest.raises(ConfigurationError, match="probabilities are not known"):
        loaded.predict_proba(lending.data)
    counted = rescored(loaded, lending.data, labels)
    assert counted.predict(lending.data).tolist() == predicted.tolist()
    probability = counted.predict_proba(lending.data)[:, 1]
    fired = loaded.rule_set.covers(lending.data)
    alone = fired[:, 0] & (fired.sum(axis=1) == 1)
    assert alone.any()
    right = (labels[fired[:, 0]] == "yes").sum()
    assert probability[alone] == pytest.approx((right + 1) / (fired[:, 0].sum() + 2))
    with pytest.raises(ConfigurationError, match="y must hold one of the classes no, yes"):
        rescored(loaded, lending.data, lending.target)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_no_edit_leads_to_anything_but_a_model_or_a_clear_refusal(data, path, tmp_path_factory):
    """Replacing any part of the document by any JSON value never ends in another kind of error."""
    document = json.loads(path.read_text())
    spot = document
    while True:
        keys = list(spot) if isinstance(spot, dict) else list(range(len(spot)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if isinstance(spot[key], (dict, list)) and data.draw(st.booleans()):
            spot = spot[key]
            continue
        spot[key] = data.draw(JSON)
        break
    bad = tmp_path_factory.mktemp("fuzz") / "bad.json"
    try:
        document["seal"] = seal_of(document)
        bad.write_text(json.dumps(document))
    except ValueError:
        return
    try:
        loaded = rulecg.load_model(bad)
    except ConfigurationError:
        return
    str(loaded)


def test_columns_that_changed_their_type_are_refused(model, lending):
    """Text categories compared with numbers would silently never match."""
    column = next(c.column for c in model.rule_set.conditions if isinstance(c.value, str))
    with pytest.raises(ConfigurationError, match="held text when the rules were learned"):
        model.predict(lending.data.assign(**{column: 1}))


def test_fingerprints_tell_tables_apart_by_content_alone(lending):
    """Storage does not matter; a changed value, name or order does."""
    same = lending.data.astype({"late_payments": float, "job": "category"})
    assert Fingerprint.of(same) == Fingerprint.of(lending.data)
    assert Fingerprint.of(lending.data.iloc[::-1]) != Fingerprint.of(lending.data)
    changed = lending.data.copy()
    changed.loc[3, "income"] += 1
    assert Fingerprint.of(changed) != Fingerprint.of(lending.data)
    assert Fingerprint.of(pd.DataFrame({"a": [1]})) != Fingerprint.of(pd.DataFrame({"b": [1]}))


def test_a_model_can_be_saved_without_a_sketch_of_its_rows(fitted, lending, tmp_path):
    """Columns, number of rows and the hash of the whole table stay; no row can be recognised."""
    with_rows = rulecg.save_model(fitted, tmp_path / "with.json", data=lending.data)
    without = rulecg.save_model(fitted, tmp_path / "without.json", data=lending.data, row_sketch=False)
    assert rulecg.load_model(tmp_path / "with.json").fingerprint == with_rows.fingerprint
    loaded = rulecg.load_model(tmp_path / "without.json").fingerprint
    assert loaded == without.fingerprint
    assert loaded.sketch is None
    assert loaded.sha256 == with_rows.fingerprint.sha256
    assert loaded.overlap(lending.data) is None


def test_a_model_without_data_has_no_fingerprint(fitted):
    """Nothing is claimed about data that was not given."""
    assert to_model(fitted).fingerprint is None


RULE_SET = '{"format": "rulecg/rule-set", "version": 1, "logic": "dnf", "outcome": "o", "columns": ["x"], %s}'


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"format": ' + "9" * 5000 + "}",
        RULE_SET % '"conditions": [{"column": "x"}], "rules": ["00"]',
        RULE_SET % '"conditions": [{"column": "x"}], "rules": [[0.0]]',
        RULE_SET % '"conditions": [{"column": "x"}], "rules": [[true]]',
        RULE_SET % f'"conditions": [{{"column": "x", "operator": ">", "value": 1{"0" * 400}}}], "rules": [[0]]',
        RULE_SET % '"conditions": [{"column": "x", "run": "y"}], "rules": [[0]]',
    ],
)
def test_rule_sets_edited_by_hand_are_refused(text):
    """RuleSet.from_json is as strict as the model file."""
    with pytest.raises(ConfigurationError):
        RuleSet.from_json(text)
