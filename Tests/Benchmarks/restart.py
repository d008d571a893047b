#!/usr/bin/env python3
"""Ends a server under streams, by a crash and then for an upgrade, and looks whether each goes on.

    Tests/Benchmarks/restart.py                  10,000 streams, 1,000 of them of a selection
    Tests/Benchmarks/restart.py --streams 300 --binary .build/debug/statecast

Ten streams follow a session, by patches. They come back as a browser's do: after the pause that the
stream has named. Meanwhile each session gets an action. The command ends with 1 where a stream misses
something, is sent a state in place of a patch, is told `busy` twice, or where the first event of one in
a hundred comes later than five seconds after the server listens again.
"""
import argparse
import asyncio
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ACTION = json.dumps({"type": "counted", "payload": {"item": 7}})


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--binary", default=str(ROOT / ".build" / "release" / "statecast"))
    parser.add_argument("--seconds", type=float, default=5, help="the bound of the first event")
    return parser.parse_args()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def start(binary, port, folder):
    """A server, once it listens."""
    process = subprocess.Popen(
        [binary, "serve", "--benchmark", "--journal", folder, "--port", str(port),
         "--upstream", "http://127.0.0.1:9", "--log-level", "error"], stdout=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process
        except OSError:
            if process.poll() is not None:
                sys.exit("The server did not start.")
            time.sleep(0.005)


def exchange(connections, requests):
    """Sends a request on each connection, and waits for all answers."""
    for connection, request in zip(connections, requests):
        connection.sendall(request)
    for connection, _ in zip(connections, requests):
        answer = b""
        while not answer.endswith(b"}"):
            more = connection.recv(65_536)
            answer += more
            if not more or not answer.startswith(b"HTTP/1.1 20"):
                sys.exit(f"A request is answered by {answer!r}.")


def post_all(port, sessions, make=False):
    """One action for each session, a few at a time, so that most streams come to one that they have missed."""
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(16)]
    for begin in range(0, sessions, 16):
        paths = [f"/benchmark/sessions/s{session}" for session in range(begin, sessions)[:16]]
        if make:
            exchange(connections, [
                f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode()
                for path in paths])
        exchange(connections, [
            f"POST {path}/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Idempotency-Key: {os.urandom(8).hex()}\r\nContent-Length: {len(ACTION)}\r\n\r\n{ACTION}".encode()
            for path in paths])
    for connection in connections:
        connection.close()


class Stream:
    """A client of one session, over the lives of servers; asyncio's own streams would take most of the time."""

    def __init__(self, port, number):
        self.loop = asyncio.get_running_loop()
        self.port, self.session = port, number // 10
        self.is_selection = number % 10 == 9
        self.token, self.version, self.pause = None, -1, 2.0
        self.busy = self.snapshots = self.gaps = 0
        self.first = None
        self.shown = -1

    def connect(self):
        self.buffer = b""
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", self.port))
        self.begin()

    def connected(self):
        self.loop.remove_writer(self.socket)
        self.begin()

    def begin(self):
        select = "&select=/items" if self.is_selection else ""
        last = f"Last-Event-ID: {self.token}\r\n" if self.token else ""
        request = (
            f"GET /benchmark/sessions/s{self.session}/events?patch=json-patch{select} HTTP/1.1\r\n"
            f"Host: localhost\r\nAccept: text/event-stream\r\n{last}\r\n".encode())
        try:
            self.socket.send(request)
        except BlockingIOError:
            # So many come at once that it is not connected yet.
            return self.loop.add_writer(self.socket, self.connected)
        except OSError:
            return self.come_again()
        self.loop.add_reader(self.socket, self.read)

    def read(self):
        try:
            data = self.socket.recv(65_536)
        except OSError:
            data = b""
        if not data:
            self.loop.remove_reader(self.socket)
            return self.come_again()
        # The sizes of chunks stand on lines of their own, and are no fields of events.
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            field, _, value = line.decode().rstrip().partition(": ")
            if field == "retry":
                self.pause = int(value) / 1_000
            elif field == "event" and value == "busy":
                self.busy += 1
            elif field == "id":
                self.token = value
                self.first = self.first or time.monotonic()
                self.version = int(value.rsplit("-", 1)[1].split(".")[0])
                self.known, self.shown = self.shown, self.version
            elif field == "data" and '"state"' in value[:40]:
                self.snapshots += 1
            elif field == "data" and value.startswith('{"from"'):
                self.gaps += json.loads(value)["from"] > self.known

    def come_again(self):
        self.socket.close()
        self.loop.call_later(self.pause, self.connect)


async def until(what, condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"Not within a minute: {what}")
        await asyncio.sleep(0.01)


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


async def main():
    options = arguments()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    folder, port = tempfile.mkdtemp(), free_port()
    sessions = (options.streams + 9) // 10
    process = start(options.binary, port, folder + "/journal")
    failures = []
    try:
        post_all(port, sessions, make=True)
        streams = [Stream(port, number) for number in range(options.streams)]
        for begin in range(0, len(streams), 200):
            for stream in streams[begin:begin + 200]:
                stream.connect()
            await asyncio.sleep(0)
        await until("all streams begin", lambda: all(stream.version == 1 for stream in streams))
        for round, (what, end) in enumerate([("crash", signal.SIGKILL), ("upgrade", signal.SIGTERM)]):
            for stream in streams:
                stream.first, stream.busy, stream.snapshots, stream.gaps = None, 0, 0, 0
            process.send_signal(end)
            await asyncio.to_thread(process.wait)
            ended = time.monotonic()
            process = await asyncio.to_thread(start, options.binary, port, folder + "/journal")
            listening = time.monotonic()
            await asyncio.to_thread(post_all, port, sessions)
            await until(
                "all streams go on", lambda: all(stream.version == round + 2 for stream in streams))
            firsts = [stream.first - listening for stream in streams]
            late = percentile(firsts, 0.99)
            snapshots = [sum(stream.snapshots for stream in streams if stream.is_selection == kind)
                         for kind in (False, True)]
            busy = sum(stream.busy > 1 for stream in streams)
            gaps = sum(stream.gaps for stream in streams)
            print(f"{what}: listens after {listening - ended:.2f} s; first events after p50 "
                  f"{percentile(firsts, 0.5):.2f} s, p99 {late:.2f} s, the last {max(firsts):.2f} s; "
                  f"{snapshots[0]} snapshots, {snapshots[1]} of selections, {gaps} gaps, {busy} twice busy")
            if late > options.seconds or busy or gaps or any(snapshots):
                failures.append(what)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)
    if failures:
        print(f"Failed: {', '.join(failures)}")
    sys.stdout.flush()
    # The streams' own tasks are left as they are.
    os._exit(1 if failures else 0)


asyncio.run(main())
