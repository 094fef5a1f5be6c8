"""The command that starts the workbench."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from nodewright.cli import console
from nodewright.cli.command_options import Json
from nodewright.cli.commands import command, commands, option

HOST, PORT, TRIED = "127.0.0.1", 2718, 20
"""Where the page is found: the first free one of so many ports."""
app = commands()


@command(app, "nodewright workbench", "workbench")
def workbench(
    port: Annotated[
        int | None,
        option(
            "--port",
            metavar="PORT",
            help=f"Port of the page; by default the first free port at or above {PORT}.",
        ),
    ] = None,
    headless: Annotated[
        bool, option("--headless", "--no-browser", help="Print the address and open no browser.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Open a web page to derive formulas, factor permutations, and inspect and certify programs.

    The server accepts connections from this machine only, from anyone who has the address, and
    needs no network. Ctrl-C stops it.
    """
    if find_spec("marimo") is None:
        raise ValueError("the workbench is a marimo app: pip install 'nodewright[workbench]'")
    port, token = _port(port), secrets.token_urlsafe(16)
    url = f"http://{HOST}:{port}?access_token={token}"
    if as_json:
        console.emit_json({"url": url})
    else:
        console.say(f"The workbench is at {url} until Ctrl-C")
    sys.stdout.flush()
    _serve(port, token, headless)


def _port(asked: int | None) -> int:
    """Return the port that is asked for, else a free one; ValueError where there is none."""
    if asked is not None and not 1024 <= asked < 1 << 16:
        raise ValueError(f"--port {asked}: a port lies between 1024 and 65535")
    ports = range(PORT, PORT + TRIED) if asked is None else (asked,)
    free = next((port for port in ports if _is_free(port)), None)
    if free is None:
        raise ValueError(
            f"--port {ports[0]}: {'something' if asked else 'much'} listens there already"
        )
    return free


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((HOST, port))
        except OSError:
            return False
        return True


def _serve(port: int, token: str, headless: bool) -> None:
    """Serve the page until Ctrl-C; the server reads the token from its standard input.

    Raises RuntimeError where the server ends by itself.
    """
    here = Path(__file__).parent
    root = str(here.parents[1])  # where our packages are: the folder of the page is none of theirs
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    words = ("-P", "-m", "marimo", "--quiet", "--yes", "run", str(here / "page.py"))
    options = ("--host", HOST, "--port", str(port), "--token-password-file", "-", "--no-sandbox")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # no server stays behind
    server = subprocess.Popen(
        [sys.executable, *words, *options, *["--headless"] * headless],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        server.communicate(token.encode())
    except KeyboardInterrupt:
        return
    finally:
        server.kill()
    if server.returncode:
        raise RuntimeError(f"the server of the page ended with exit status {server.returncode}")
