#!/usr/bin/env python3
"""Measures what a server does for each byte that a client sends: the requests that cost most.

    Tests/Benchmarks/lopsided.py                     all rows; some minutes, after `run.sh --build`
    Tests/Benchmarks/lopsided.py batch past --binary .build/debug/statecast

Each row has a server of its own, with one loop. Its CPU time is counted over the bytes that were sent
meanwhile, streams that were opened before not among them; the growth of its memory over those of the
second half, for the first requests touch what all later ones use again; and the longest answer to another
client, who asks for /livez all the time. The command ends with 1 where a row is above 100 µs or 1 KiB a
byte, or where with a state of up to 1 MB it delays the other by more than 100 ms. Not counted is the mere write of bytes that are
made once for all: for each stream and 64 KiB of a frame 3 µs of the server's own time, and the kernel's;
64 KiB of memory for each, and one frame. 1,000 compressed streams may cost a POST 1.3 times as much as
plain ones. Delays are those of the machine as well: measure on one that has nothing else to do.
"""
import argparse
import gzip
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SESSION = "/benchmark/sessions/s"
MIB = 1 << 20
ROWS = []


def row(name, items=20, *limits, **bounds):
    """A row of the table: its function prepares a server, and yields the requests that are counted."""
    def add(measure):
        ROWS.append((name, items, limits, bounds, measure))
        return measure
    return add


def request(method, path, body=b"", *fields, kind="application/json"):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *fields]
    if body:
        lines += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def packed(method, path, text, **more):
    return request(method, path, gzip.compress(text.encode()), "Content-Encoding: gzip", **more)


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def action(item=None):
    return compact({"type": "incremented", "payload": {"by": 1}} if item is None
                   else {"type": "counted", "payload": {"item": item}})


def post(item=None, *fields):
    return request("POST", SESSION + "/actions", action(item).encode(), *fields)


class Client:
    """One connection, which sends one request after the other, from one of many networks: each may
    have a share alone."""

    def __init__(self, port, network=0):
        self.sent = 0
        self.socket = socket.create_connection(
            ("127.0.0.1", port), source_address=(f"127.0.{network % 16}.1", 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)
        self.sent += len(data)

    def answer(self, most=399):
        while b"\r\n\r\n" not in self.buffer:
            self.receive()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        status, count = int(lines[0].split()[1]), int(fields.get("content-length", 0))
        pieces, left = [self.buffer], count - len(self.buffer)
        while left > 0:
            pieces.append(self.socket.recv(MIB))
            left -= len(pieces[-1])
        whole = b"".join(pieces)
        body, self.buffer = whole[:count], whole[count:]
        if status > most:
            sys.exit(f"{status}: {body[:300]!r}")
        return fields, body

    def receive(self):
        data = self.socket.recv(MIB)
        if not data:
            sys.exit("The server has closed a connection.")
        self.buffer += data

    def ask(self, data, **most):
        self.send(data)
        return self.answer(**most)


class Child:
    """A process beside the benchmark that ends with it, and tells something when it is asked."""

    def __init__(self, work):
        self.mine, other = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            self.mine.close()
            try:
                work(other)
            finally:
                os._exit(0)
        other.close()

    def ask(self):
        self.mine.sendall(b"?")
        return float(self.mine.recv(64) or 0)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def probe(port):
    """Asks for /livez all the time; tells the longest wait for an answer since it was asked last."""
    def work(pipe):
        client, longest = Client(port), 0
        while True:
            start = time.monotonic()
            client.ask(request("GET", "/livez"))
            longest = max(longest, time.monotonic() - start)
            if select.select([pipe], [], [], 0.002)[0]:
                pipe.recv(1)
                pipe.sendall(str(longest).encode())
                longest = 0
    return Child(work)


class Server:
    def __init__(self, binary, items, limits, is_kept):
        self.folder = tempfile.TemporaryDirectory()
        journal = self.folder.name + "/journal" if is_kept else "memory"
        self.process = subprocess.Popen(
            [binary, "serve", "--benchmark", "--benchmark-items", str(items), "--loops", "1",
             "--journal", journal, "--upstream", "http://127.0.0.1:9", "--log-level", "critical",
             "--port", "0", *(word for limit in limits for word in ("--limit", limit))],
            stdout=subprocess.PIPE, text=True)
        address = next((line for line in self.process.stdout if line.startswith("serving on ")), "")
        if not address:
            sys.exit("The server does not start.")
        self.port = int(address.rpartition(":")[2])
        self.client = Client(self.port)
        self.children, self.held, self.prober = [], [], probe(self.port)
        self.ask(request("PUT", SESSION))

    def ask(self, data, **most):
        return self.client.ask(data, **most)

    def open(self, paths, *fields):
        """Opens streams, or long-polls; a process of its own reads what comes."""
        requests = [request("GET", SESSION + path, b"", *fields) for path in paths]
        self.client.sent += sum(map(len, requests))

        def work(pipe):
            poll, clients, room = select.epoll(), {}, bytearray(MIB)
            for number, data in enumerate(requests):
                client = Client(self.port, number)
                client.send(data)
                clients[client.socket.fileno()] = client.socket
                poll.register(client.socket, select.EPOLLIN)
            pipe.sendall(b"1")
            while True:
                for number, _ in poll.poll():
                    if clients[number].recv_into(room) == 0:
                        poll.unregister(number)
        self.children.append(Child(work))
        self.children[-1].mine.recv(1)
        self.settle()

    def hold(self, path, *fields):
        """Asks for something that is not read."""
        client = Client(self.port, len(self.held))
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.send(request("GET", SESSION + path, b"", *fields))
        self.held.append(client)
        return client

    def settle(self):
        """Waits until the server does nothing."""
        known = None
        while known != (known := sum(self.cpu())):
            time.sleep(0.15)

    def cpu(self):
        """Seconds in the server itself, and in the kernel for it."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].split()
        return [int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:13]]

    def sent(self):
        return sum(client.sent for client in [self.client, *self.held])

    def memory(self):
        """The most bytes that it has held."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.partition("VmHWM:")[2].split()[0]) * 1024

    def end(self):
        for child in [self.prober, *self.children]:
            child.end()
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


# The requests, of which many are sent one after the other.

def fan_out(name, items=4_150, streams=1_000, count=20, paths=None, fields=(), **bounds):
    @row(name, items, streams=streams, frame=bounds.pop("frame", items * 56), **bounds)
    def measure(server):
        server.open(paths or ["/events"] * streams, *fields)
        yield [post()] * 2
        yield from ([post(items // 2)] for _ in range(count))


GZIP = "Accept-Encoding: gzip"
PATCHES = "/events?patch=json-patch"
fan_out("POST beside 1,000 plain streams of 231 KiB", key="plain")
fan_out("POST beside 1,000 gzip streams of 231 KiB", fields=[GZIP], key="gzip")
fan_out("POST beside 999 views by argument", 1_000, 999, frame=0,
        paths=[f"/events?view=record&item={n}" for n in range(999)])
fan_out("POST beside one select=/items by patches, 1 MB", 18_500, 1, frame=0,
        paths=[PATCHES + "&select=/items"])
fan_out("POST beside 999 select by patches of a record each, 1 MB", 18_500, 999, frame=0,
        paths=[f"{PATCHES}&select=/items/{n}" for n in range(999)])
fan_out("POST beside 1,000 streams by patches, 1 MB", 18_500, frame=1, paths=[PATCHES] * 1_000)


def batch(name, items, places):
    @row(f"batch of 1,000 changes of {name}", items)
    def measure(server):
        text = "[" + ",".join(action(place) for place in places) + "]"
        yield from ([packed("POST", SESSION + "/actions", text)] for _ in range(4))


batch("one of 100,000 records, gzip", 100_000, [5] * 1_000)
batch("one of 18,500 records, gzip", 18_500, [5] * 1_000)
batch("1,000 of 100,000 records, gzip", 100_000, range(0, 100_000, 100))
batch("the counter beside 100,000 records, gzip", 100_000, [None] * 1_000)


def past(name, query, *fields, many=False, count=40):
    @row(f"GET ?version={name}", 18_500, many=many)
    def measure(server):
        server.ask(request("GET", SESSION + "/log"))
        for item in range(400):
            server.ask(post(item))
        gets = [request("GET", SESSION + "/state?" + query.format(n), b"", *fields)
                for n in range(1, 300 if many else count)]
        yield from ([get] for get in gets)


past(" by gzip, 1 MB", "version=300", GZIP)
past(" by gzip, another each", "version={}", GZIP)
past(", another each", "version={}")
past(", another each, of the counter", "version={}&select=/counter")
past(" by gzip, another each, at once", "version={}", GZIP, many=True)


def recording(name, *fields, posts=False, many=False):
    @row(f"GET recording {name}", 20, many=many)
    def measure(server):
        server.ask(request("GET", SESSION + "/log"))
        for _ in range(10):
            server.ask(packed("POST", SESSION + "/actions",
                              "[" + ",".join([action(5)] * 1_000) + "]"))
        get = request("GET", SESSION + "/recording", b"", *fields)
        yield from ([post(3), get] if posts else [get] for _ in range(299 if many else 30))


recording("of 10,000 entries", posts=True)
recording("by gzip", GZIP)
recording("by gzip, after a POST each", GZIP, posts=True)
recording("by gzip, at once", GZIP, many=True)


def kept(name, path, *fields, posts=False):
    """Reads what a journal has of a session with 9,000 entries."""
    @row(f"GET {name} from a journal", 20, kept=True)
    def measure(server):
        for _ in range(9):
            server.ask(packed("POST", SESSION + "/actions",
                              "[" + ",".join([action(5)] * 1_000) + "]"))
        for item in range(1_000):
            server.ask(post(item % 20))
        gets = [request("GET", SESSION + path.format(9_990 - n), b"", *fields) for n in range(40)]
        yield from ([post(3), get] if posts else [get] for get in gets)


kept("?version=, another each,", "/state?version={}")
kept("log, 1,000 entries by gzip,", "/log?after={}&limit=1000&patch=1", GZIP)
kept("recording by gzip, after a POST each,", "/recording", GZIP, posts=True)


def reading(name, method, path, *fields, items=18_500, posts=False, log=False, body=b"", count=40,
            **more):
    """Reads something again and again, after a change each where `posts`."""
    @row(name, items)
    def measure(server):
        if log:
            server.ask(request("GET", SESSION + "/log"))
        data = request(method, path, body, *fields, **more)
        yield from ([post(3), data] if posts else [data] for _ in range(count))


reading("GET ?select=/items by gzip, 1 MB", "GET", SESSION + "/state?select=/items", GZIP)
reading("GET ?select=/items by gzip, after a POST each", "GET", SESSION + "/state?select=/items",
        GZIP, posts=True)
reading("GET state by gzip, after a POST each, 1 MB", "GET", SESSION + "/state", GZIP, posts=True)
reading("POST, return=representation, 1 MB", "POST", SESSION + "/actions",
        "Prefer: return=representation", body=action(3).encode())
reading("POST", "POST", SESSION + "/actions", body=action().encode(), items=20, count=4_000)
reading("POST with a log, 1 MB", "POST", SESSION + "/actions", body=action(3).encode(), log=True,
        count=400)
reading("preflight", "OPTIONS", SESSION + "/actions", "Origin: http://localhost:1",
        "Access-Control-Request-Method: POST", items=20, count=4_000)
reading("GET /metrics", "GET", "/metrics", items=20, count=1_000)
reading("POST that makes a session of Counter", "POST", "/counter/sessions", items=20, count=4_000)
reading("POST that makes a session of Episodes", "POST", "/episodes/sessions", items=20, count=2_000)


@row("gzip body of 1 MB of meta", 20)
def meta(server):
    # No body is taken that is packed to less than a hundredth.
    text = f'{action()[:-1]},"meta":{{"text":"{os.urandom(8_000).hex()}{"x" * 1_000_000}"}}}}'
    yield from ([packed("POST", SESSION + "/actions", text)] for _ in range(20))


@row("GET state as a patch, after a POST each, 1 MB", 18_500)
def patched(server):
    fields, _ = server.ask(request("GET", SESSION + "/state"))
    for _ in range(40):
        fields, _ = yield [post(3), request(
            "GET", SESSION + "/state", b"", "Accept: application/json-patch+json",
            f"If-None-Match: {fields['etag']}")]


@row("resume of a stream by patches, after a POST each, 1 MB", 18_500)
def resumed(server):
    server.open([PATCHES])
    for _ in range(40):
        _, body = yield [post(3)]
        token = json.loads(body)["token"]
        client = Client(server.port)
        client.send(request("GET", SESSION + PATCHES, b"", f"Last-Event-ID: {token}"))
        client.receive()
        server.client.sent += client.sent


@row("PUT state of 18,000 records, turned around", 18_000)
def teleport(server):
    _, body = server.ask(request("GET", SESSION + "/state"))
    state = json.loads(body)
    server.ask(request("GET", SESSION + "/log"))
    for _ in range(6):
        state["items"].reverse()
        yield [request("PUT", SESSION + "/state", compact(state).encode())]


@row("recording posted, 10,000 entries by gzip")
def replay(server):
    server.ask(request("GET", SESSION + "/log"))
    for _ in range(10):
        server.ask(packed("POST", SESSION + "/actions", "[" + ",".join([action(5)] * 1_000) + "]"))
    _, body = server.ask(request("GET", SESSION + "/recording"))
    for _ in range(5):
        yield [packed("POST", "/benchmark/sessions?replay=step", body.decode(),
                      kind="application/x-ndjson")]


@row("GET log, 1,000 entries with patches by gzip")
def log(server):
    server.ask(request("GET", SESSION + "/log"))
    for _ in range(10):
        server.ask(packed("POST", SESSION + "/actions", "[" + ",".join([action(5)] * 1_000) + "]"))
    get = request("GET", SESSION + "/log?after=0&limit=1000&patch=1", b"", GZIP)
    yield from ([get] for _ in range(40))


@row("POST that lets 1,000 long-polls of 231 KiB go", 4_150, streams=1_000, frame=4_150 * 56)
def polls(server):
    for _ in range(5):
        fields, _ = server.ask(request("GET", SESSION + "/state"))
        server.open(["/state?wait=50"] * 1_000, f"If-None-Match: {fields['etag']}")
        yield [post(3)]


def unread(name, path, *fields, posts=0):
    """What one client makes the server hold for itself is not counted, but what more of them add."""
    @row(f"unread: 100 {name} of 10 MB", 180_000, "memory-bytes=300MiB",
         held=100 * 64 * 1024 + 10_000_000)
    def measure(server):
        server.ask(request("GET", SESSION + "/log"))
        warm = server.hold(path.format(0), *fields)
        for item in range(posts or 101):
            server.ask(post(item))
        server.settle()
        yield []
        server.held.append(warm)
        for number in range(100):
            server.hold(path.format(number), *fields)
        server.settle()
        yield from ([post(item)] for item in range(posts))


unread("plain streams", "/events", posts=5)
unread("gzip streams", "/events", GZIP, posts=5)
unread("GET ?version", "/state?version={}")


# The table.

def measure(server, bounds, requests):
    """Sends what a row yields: seconds of CPU, bytes sent, how often it has yielded, by how many bytes
    the most has grown that was held, and by how many in the second half for each byte sent there."""
    turns, answer, count, marks = requests(server), None, 0, []
    while True:
        try:
            group = turns.send(answer) if answer else next(turns)
        except StopIteration:
            break
        if count == 0:
            server.settle()
            server.prober.ask()
            start, server.client.sent, server.held = server.cpu(), 0, []
            marks.append((server.memory(), 0))
        count += 1
        if bounds.get("many"):
            server.held.append(Client(server.port))
            server.held[-1].later = group[-1]
            continue
        for data in group:
            answer = server.ask(data)
        if bounds.get("frame"):
            server.settle()
        marks.append((server.memory(), server.sent()))
    if bounds.get("many"):
        for client in server.held:
            client.send(client.later)
        for client in server.held:
            client.answer()
    server.settle()
    used = [end - begin for end, begin in zip(server.cpu(), start)]
    sent, most = server.sent(), server.memory()
    # What is sent at once, or not read, is held together, and has no second half.
    is_held = "held" in bounds or bounds.get("many")
    known, before = marks[0 if is_held else len(marks) // 2]
    rate = max(0, most - known - bounds.get("held", 0)) / (sent - before)
    return used, sent, count, most - marks[0][0], rate


def judge(binary, name, items, limits, bounds, requests):
    server = Server(binary, items, limits, bounds.get("kept", False))
    try:
        (own, kernel), sent, count, grown, rate = measure(server, bounds, requests)
        stall = server.prober.ask()
    finally:
        server.end()
    frames = -(-bounds.get("frame", 0) // (64 * 1024))
    free = min(own, 3e-6 * bounds.get("streams", 0) * frames * count)
    free += kernel if frames else 0
    figures = {"time": (own + kernel) / sent * 1e6, "counted": (own + kernel - free) / sent * 1e6,
               "memory": rate, "each": (own + kernel) / count}
    over = [figures["counted"] > 100 and "held" not in bounds and "time",
            stall > 0.1 and items <= 20_000 and "stall", rate > 1024 and "memory"]
    over = [text for text in over if text]
    print(f"| {name} | {sent / count:,.0f} | {figures['each'] * 1e3:,.2f} | {figures['time']:,.1f} "
          f"| {figures['counted']:,.1f} | {grown / MIB:,.0f} | {figures['memory']:,.0f} "
          f"| {stall * 1e3:,.0f} | {', '.join(over)} |", flush=True)
    return bounds.get("key"), figures, over


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="of the names of the rows; none: all rows")
    parser.add_argument("--binary", default=str(ROOT / ".build" / "release" / "statecast"))
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    print("| request | bytes | CPU, ms | µs a byte | without writes | memory, MiB | bytes a byte "
          "| stall, ms | above |\n|---|" + "---|" * 8)
    judged = [judge(options.binary, *each) for each in ROWS
              if not options.words or any(word in each[0] for word in options.words)]
    kinds = {key: figures["each"] for key, figures, _ in judged if key}
    failed = any(over for _, _, over in judged)
    if len(kinds) == 2:
        ratio = kinds["gzip"] / kinds["plain"]
        print(f"\n1,000 gzip streams cost a POST {ratio:.2f} times as much as plain ones.")
        failed = failed or ratio > 1.3
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
