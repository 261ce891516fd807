"""The workbench as a page on this machine: a small server that answers nobody else.

It listens on the loopback address alone. Every address begins with a token that nobody can guess; requests must name
the server as their host, and those that change something must come from the page itself. GET changes nothing.
"""

from __future__ import annotations

import json
import math
import secrets
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from attrs import asdict

from rulecg_core import RulecgError

from ..model.model_file import to_json
from ..report.page.markup import Markup, render
from .answer import Answer
from .dialogue import Dialogue

MOST_BYTES = 100_000
"""Longer requests are refused."""


class EditServer(ThreadingHTTPServer):
    """Serves one dialogue.

    Parameters
    ----------
    dialogue : Dialogue
        What the page talks to.
    port : int
        0 for any that is free.
    """

    daemon_threads = True

    def __init__(self, dialogue: Dialogue, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.dialogue, self.token = dialogue, secrets.token_urlsafe(24)
        self.one_at_a_time = threading.Lock()

    @property
    def origin(self) -> str:
        """The server, as a browser names it."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"{self.origin}/{self.token}/"


def serve(dialogue: Dialogue, tell: Callable[[str], None] = print) -> int:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    dialogue : Dialogue
        What the page talks to.
    tell : function of str
        Is told the address.

    Returns
    -------
    int
        0.
    """
    with EditServer(dialogue) as server:
        tell(f"Open {server.address} (Ctrl-C ends it)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


class _Handler(BaseHTTPRequestHandler):
    server: EditServer
    server_version = "rulecg"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        path = self._path()
        if path == "":
            self._page()
        elif path == "state":
            bench = self.server.dialogue.bench
            with self.server.one_at_a_time:
                answer = _plain(bench.look())
            self._json({"answer": answer, "names": list(map(str, bench.prepared.table.columns))})
        elif path is not None:
            self._refuse(404, "There is nothing here.")

    def do_POST(self) -> None:
        path = self._path()
        if path is None:
            return
        if self.headers.get("Origin") != self.server.origin:
            self._refuse(403, "This request does not come from the page.")
            return
        body = self._body()
        if body is None:
            return
        if path == "say":
            self._say(str(body.get("line", "")))
        elif path == "model":
            with self.server.one_at_a_time:
                self._json({"model": to_json(self.server.dialogue.bench.to_model())})
        else:
            self._refuse(404, "There is nothing here.")

    def _say(self, line: str) -> None:
        dialogue = self.server.dialogue
        with self.server.one_at_a_time:
            try:
                said, problem = dialogue.say(line), None
            except RulecgError as error:
                said, problem = "", str(error)
            answer = _plain(dialogue.bench.look())
        self._json({"said": said, "problem": problem, "answer": answer})

    def _path(self) -> str | None:
        """What is asked for, below the token; None when the request was refused."""
        begin = f"/{self.server.token}/"
        if self.headers.get("Host") != f"127.0.0.1:{self.server.server_port}":
            self._refuse(403, "This server answers under its own name alone.")
        elif not secrets.compare_digest(self.path[: len(begin)].encode(), begin.encode()):
            self._refuse(403, "Use the address that rulecg edit printed.")
        else:
            return self.path[len(begin) :]
        return None

    def _body(self) -> dict[str, Any] | None:
        length = self.headers.get("Content-Length", "")
        is_json = self.headers.get("Content-Type", "").partition(";")[0] == "application/json"
        if not is_json or not length.isdigit() or int(length) > MOST_BYTES:
            self._refuse(400, "A short JSON object is expected.")
            return None
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            self._refuse(400, "A short JSON object is expected.")
            return None
        return body

    def _page(self) -> None:
        nonce = secrets.token_urlsafe(16)
        script = files("rulecg.report").joinpath("templates/edit.js").read_text(encoding="utf-8")
        outcome = self.server.dialogue.bench.prepared.problem.outcome
        page = render("edit.html", title=f"Edit: “{outcome}”", nonce=nonce, script=Markup(script))
        policy = (
            f"default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self._send(200, "text/html; charset=utf-8", str(page).encode(), {"Content-Security-Policy": policy})

    def _json(self, value: Any) -> None:
        self._send(200, "application/json", json.dumps(value, allow_nan=False).encode(), {})

    def _refuse(self, code: int, why: str) -> None:
        # What was sent with a refused request is not read, so the connection cannot go on.
        self.close_connection = True
        self._send(code, "text/plain; charset=utf-8", why.encode(), {"Connection": "close"})

    def _send(self, code: int, kind: str, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(code)
        safe = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **safe, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the address with its token belongs in no log."""


def _plain(answer: Answer) -> dict[str, Any]:
    """The answer as JSON can hold it."""
    cost = None if answer.cost is None else str(answer.cost)
    bound = answer.bound if answer.bound is not None and math.isfinite(answer.bound) else None
    return {**asdict(answer), "cost": cost, "bound": bound}
