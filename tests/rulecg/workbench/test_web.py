"""The local page: it answers nobody but itself, GET changes nothing, and it works in a real browser."""

import http.client
import json
import shutil
import subprocess
import threading

import pytest

from rulecg.workbench.dialogue import Dialogue
from rulecg.workbench.web import EditServer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def server(bench):
    with EditServer(Dialogue(bench, may_write=False)) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(server, method, path, body=None, **headers):
    """One request as the page would make it, unless told otherwise."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    usual = {"Host": f"127.0.0.1:{server.server_port}", "Content-Type": "application/json", "Origin": server.origin}
    sent = {name: value for name, value in {**usual, **headers}.items() if value is not None}
    connection.request(method, path, None if body is None else json.dumps(body), sent)
    reply = connection.getresponse()
    content = reply.read().decode()
    connection.close()
    return reply.status, dict(reply.headers), content


def test_the_page_edits(server, bench):
    """A line that is posted is done, and the answer has the draft's figures."""
    status, _, content = ask(server, "POST", f"/{server.token}/say", {"line": "ban e"})
    assert status == 200
    assert json.loads(content)["answer"]["banned"] == ["e"]
    assert bench.standing.banned == ("e",)
    status, _, content = ask(server, "POST", f"/{server.token}/model", {})
    assert json.loads(json.loads(content)["model"])["format"] == "rulecg/model"


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {}),
        ("GET", "/wrong-token/state", {}),
        ("GET", "/{token}/state", {"Host": "evil.example"}),
        ("POST", "/{token}/say", {"Origin": "http://evil.example"}),
        ("POST", "/{token}/say", {"Origin": None}),
        ("POST", "/{token}/say", {"Host": "evil.example"}),
        ("POST", "/wrong-token/say", {}),
        ("POST", "/{token}/say", {"Content-Type": "text/plain"}),
    ],
)
def test_strangers_are_refused_and_nothing_changes(server, bench, method, path, headers):
    """Without the token, under another host name, from another page or as a plain form: refused."""
    before = bench.standing
    path = path.replace("{token}", server.token)
    status, _, _ = ask(server, method, path, {"line": "ban e"} if method == "POST" else None, **headers)
    assert status in (400, 403)
    assert bench.standing == before


def test_get_changes_nothing(server, bench):
    """An address alone, whatever it says, edits nothing."""
    before = bench.standing
    for path in ("say?line=ban%20e", "model", "state"):
        ask(server, "GET", f"/{server.token}/{path}")
    assert bench.standing == before
    assert not bench.edits


def test_it_listens_on_this_machine_alone_and_says_so_in_every_policy(server):
    """The address is the loopback one; the page loads nothing from anywhere and cannot be framed."""
    assert server.server_address[0] == "127.0.0.1"
    status, headers, page = ask(server, "GET", f"/{server.token}/")
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "http://" not in page
    assert "https://" not in page


def test_files_are_not_written_from_the_page(server, tmp_path):
    """``save`` is for the terminal."""
    path = tmp_path / "model.json"
    _, _, content = ask(server, "POST", f"/{server.token}/say", {"line": f"save {path}"})
    assert "terminal" in json.loads(content)["problem"]
    assert not path.exists()


@pytest.mark.skipif(CHROMIUM is None, reason="no browser is installed")
def test_a_browser_shows_the_draft_and_its_completion(server, bench):
    """In a real browser the page's own script runs under its policy and shows rules, figures and completion."""
    answer = bench.look(wait=True)
    shown = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--dump-dom",
         server.address],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    for text in (*answer.rules, *answer.completion):
        assert text in shown
    assert "Proven best" in shown
