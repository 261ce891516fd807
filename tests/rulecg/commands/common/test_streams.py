"""Results arrive as they are, or it is said why not, whatever the streams are connected to."""

import os
import subprocess
import sys


def run_in_shell(command, **environment):
    whole = {**os.environ, **environment}
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, env=whole)


def test_output_that_cannot_be_written_is_told_in_one_sentence(model_file, folder):
    """A full device, a closed output, and an output that knows ASCII only."""
    predict = f"{sys.executable} -m rulecg.commands.cli predict {model_file} {folder / 'loans.csv'}"
    full = run_in_shell(f"{predict} > /dev/full")
    assert (full.returncode, full.stderr) == (2, "rulecg: Cannot write standard output: No space left on device.\n")
    closed = run_in_shell(f"{predict} >&-")
    assert closed.returncode == 2
    assert closed.stderr.startswith("rulecg: Cannot write standard output: ")
    assert closed.stderr.count("\n") == 1


def test_a_stream_of_ascii_alone_gets_spelled_out_text_and_no_wrong_data(tmp_path):
    """People read an escape; programs get an error instead of another value."""
    rows = "".join(f"{'é' if k % 2 else 'a'},{k % 2}\n" for k in range(40))
    (tmp_path / "t.csv").write_text("letter,y\n" + rows, encoding="utf-8")
    rulecg_command = f"{sys.executable} -m rulecg.commands.cli"
    options = f"--target y --time-limit 1 --quiet --out {tmp_path}/m.json"
    fit = run_in_shell(f"{rulecg_command} fit {tmp_path}/t.csv {options}", PYTHONIOENCODING="ascii")
    assert (fit.returncode, fit.stderr) == (0, "")
    assert "\\xe9" in fit.stdout or "letter != a" in fit.stdout
    words = f"predict {tmp_path}/m.json {tmp_path}/t.csv --with-data"
    predict = run_in_shell(f"{rulecg_command} {words}", PYTHONIOENCODING="ascii")
    assert predict.returncode == 2
    assert "Standard output takes ascii only" in predict.stderr


def test_standard_input_is_a_table(model_file, folder):
    """``cat loans.csv | rulecg predict model.json /dev/stdin``."""
    command = f"cat {folder / 'loans.csv'} | {sys.executable} -m rulecg.commands.cli predict {model_file}"
    assert run_in_shell(f"{command} /dev/stdin").stdout == run_in_shell(f"{command} -").stdout
    assert run_in_shell(f"{command} -").stdout.startswith("prediction\n")


def test_a_reader_that_has_seen_enough_is_no_error(model_file, folder):
    """``rulecg predict … | head -1`` ends quietly."""
    command = f"{sys.executable} -m rulecg.commands.cli predict {model_file} {folder / 'loans.csv'} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.stdout == "prediction\n"
    assert done.stderr == ""
