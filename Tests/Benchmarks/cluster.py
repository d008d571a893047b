#!/usr/bin/env python3
"""Measures servers on one PostgreSQL. Medians of the rounds, which take turns; `--only` some of

- `post`: posts at the server that has the sessions, and at the other one: as fast as 64 connections go, a
  thousand a second by 16, and one behind the other by one;
- `kill`: how long sessions in use wait for their next kept post when their server is killed;
- `drain`: how a server gives its sessions away, and what posts at the other one see of that, and streams of one
  session in twenty, half of them at that server, which come back to the other one;
- `watch`: what many watchers at two others cost the server that has the session, beside what two cost there,
  also while the others are as busy with another session; what a server does while nothing is posted is told by
  itself;
- `sleep`: a server on sessions that sleep, and what these take in the database; only where it is named.

    Tests/Benchmarks/cluster.py [--rounds 3] [--seconds 3] [--sessions 1000]    behind cluster.sh, which builds
                                [--drained 10000] [--watchers 10000] [--sleepers 1000000]
                                [--only post,kill,drain,watch]

`journal-benchmark database` has the PostgreSQL.
"""
import argparse
import asyncio
import contextlib
import glob
import json
import os
import re
import select
import signal
import socket
import statistics
import subprocess
import tempfile
import time

CONNECTIONS = 64
# Of the sessions that nobody has a server opens none.
NONE = 0.001
LOADS = {
    "64 connections": ["--connections", "64"],
    "1,000 a second by 16": ["--connections", "16", "--rate", "1000"],
    "one connection": ["--connections", "1"],
}
BODY = b'{"type":"incremented","payload":{"by":1}}'


def start(arguments, line):
    """A process that has said that it is ready, and what it said."""
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for said in process.stdout:
        if line in said:
            return process, said.strip()
    raise SystemExit(f"{arguments[0]} does not start.")


def serve(options, address, folder, share):
    begun = time.monotonic()
    server, said = start(
        [f"{options.binaries}/statecast", "serve", "--benchmark", "--loops", "1", "--port", "0",
         "--journal", address, "--key-file", f"{folder}/key", "--log-level", "critical",
         "--upstream", "http://127.0.0.1:9", "--public", folder, "--limit", "client-share=1",
         "--limit", "session-share=1",
         "--cluster-listen", "127.0.0.1:0", "--cluster-key-file", f"{folder}/cluster.key",
         "--share", str(share)],
        "serving on ")
    server.port, server.start = int(said.rpartition(":")[2]), time.monotonic() - begun
    return server


@contextlib.contextmanager
def serving(options, address, folder, *shares):
    """Servers, until the end of the block, by their shares of the sessions that nobody has."""
    servers = []
    try:
        for share in shares:
            servers.append(serve(options, address, folder, share))
        yield servers
    finally:
        for server in servers:
            server.terminate()
            server.wait()


def medians(rows):
    return [statistics.median(column) for column in zip(*rows)]


def load(options, words):
    """Posts a second, and the p50 and p99 of their microseconds."""
    output = subprocess.run(
        [f"{options.binaries}/load-generator", "post", "--json", "--sessions", str(options.sessions),
         "--seconds", str(options.seconds), *words],
        check=True, capture_output=True, text=True).stdout
    report = json.loads(output)
    if report["failedPosts"]:
        raise SystemExit(f"{report['failedPosts']} posts failed.")
    times = report["postMicroseconds"]
    return report["postsPerSecond"], times["p50"], times["p99"]


def post(options, address, folder):
    """Of each load the figures at the server that has the sessions, those at the other one, and how much
    more the p50 is there."""
    figures = []
    with serving(options, address, folder, 1, NONE) as (first, second):
        for words in LOADS.values():
            direct = load(options, [*words, "--port", str(first.port)])
            forwarded = load(
                options, [*words, "--port", str(second.port), "--made-at", str(first.port)])
            figures += [*direct, *forwarded, forwarded[1] - direct[1]]
    return figures


def tell_posts(options, rows):
    figures = medians(rows)
    print("| | posts/s | p50 µs | p99 µs | forwarded: posts/s | p50 µs | p99 µs | p50: more, µs |\n"
          "|---|---|---|---|---|---|---|---|")
    for number, name in enumerate(LOADS):
        cells = [f"{figure:,.0f}" for figure in figures[7 * number:7 * number + 7]]
        print(f"| {name} | {' | '.join(cells)} |")


class Connection:
    """Asks one request after the other; the status."""

    async def open(self, port):
        self.port = port
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        return self

    async def ask(self, method, target, body=b"", key=""):
        fields = "Content-Type: application/json\r\n" if body else ""
        fields += f"Idempotency-Key: {key}\r\n" if key else ""
        self.writer.write(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{fields}"
                          f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        head = await self.reader.readuntil(b"\r\n\r\n")
        for line in head.decode().lower().split("\r\n"):
            if line.startswith("content-length:"):
                await self.reader.readexactly(int(line[15:]))
        return int(head.split(b" ")[1])


async def share(port, targets, work):
    """Has connections do something with each target."""
    async def run(number):
        connection = await Connection().open(port)
        for target in targets[number::CONNECTIONS]:
            await work(connection, target)
    await asyncio.gather(*(run(number) for number in range(CONNECTIONS)))


async def make(port, count):
    """Sessions in use."""
    targets = [f"/benchmark/sessions/s-{time.time_ns()}-{number}" for number in range(count)]

    async def use(connection, target):
        if await connection.ask("PUT", target) != 201:
            raise SystemExit("A session is not made.")
        if await connection.ask("POST", f"{target}/actions", BODY, "one") != 200:
            raise SystemExit("A post is not kept.")

    await share(port, targets, use)
    return targets


def kill(options, address, folder):
    """Of each session the seconds from the kill of its server to a post that is kept elsewhere: p50, p99 and
    the most."""
    times = []

    async def wait(connection, target):
        while await connection.ask("POST", f"{target}/actions", BODY, "two") != 200:
            await asyncio.sleep(0.01)
        times.append(time.monotonic() - begun)

    with serving(options, address, folder, 1, NONE) as (first, second):
        targets = asyncio.run(make(first.port, options.sessions))
        os.kill(first.pid, signal.SIGKILL)
        begun = time.monotonic()
        asyncio.run(share(second.port, targets, wait))
    times.sort()
    return times[len(times) // 2], times[len(times) * 99 // 100], times[-1]


def tell_kill(options, rows):
    half, most, last = medians(rows)
    print(f"Taken over after kill -9, {options.sessions} sessions: "
          f"p50 {half:.3f} s, p99 {most:.3f} s, the last {last:.3f} s")


async def reach(port, target):
    """A server knows who has a session."""
    connection = await Connection().open(port)
    while await connection.ask("GET", f"{target}/state") != 200:
        await asyncio.sleep(0.1)


def drain(options, address, folder):
    """The seconds until a server has given its sessions away; of the posts at another one meanwhile the
    longest, in seconds, how many there were, and how many failed; of the streams the longest time without
    one, in seconds, the most reconnects of one, how many began anew, and how many have not shown all, or
    something twice; and the seconds that SIGTERM takes then."""
    with serving(options, address, folder, 1) as (first,):
        targets = asyncio.run(make(first.port, options.drained))
        with serving(options, address, folder, 1) as (second,):
            figures = asyncio.run(drain_beside(first, second, targets))
            begun = time.monotonic()
            first.terminate()
            first.wait()
            return *figures, time.monotonic() - begun


class Stream:
    """Watches a session by patches, and goes on at another server where it ends."""

    def __init__(self, target):
        self.target, self.last, self.version, self.retry = target, "", 1, 1
        self.opened, self.gap, self.twice, self.anew = 0, 0, 0, 0

    async def watch(self, port, next_port):
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            last = f"Last-Event-ID: {self.last}\r\n" if self.last else ""
            writer.write(
                f"GET {self.target}/events?patch=json-patch HTTP/1.1\r\nHost: localhost\r\n{last}\r\n".encode())
            try:
                await self.read(reader)
            finally:
                writer.close()
            port, self.ended = next_port, time.monotonic()
            await asyncio.sleep(self.retry)

    async def read(self, reader):
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n")[0]:
            return
        if self.opened:
            self.gap = max(self.gap, time.monotonic() - self.ended)
        self.opened += 1
        rest = b""
        while data := await reader.read(1 << 16):
            *blocks, rest = (rest + data).split(b"\n\n")
            for block in blocks:
                if found := re.search(rb"retry: (\d+)", block):
                    self.retry = int(found[1]) / 1000
                name = re.search(rb"event: (\w+)", block)
                self.anew += name is not None and name[1] == b"snapshot" and bool(self.last)
                if found := re.search(rb"id: ([^\r\n]+)", block):
                    self.last = found[1].decode()
                    version = int(self.last.rpartition("-")[2])
                    # An id alone says that there is nothing new.
                    self.twice += name is not None and version <= self.version and self.version > 1
                    self.version = version


async def drain_beside(first, second, targets):
    await reach(second.port, targets[0])
    times, failed, is_over = [], 0, False
    streams = [Stream(target) for target in targets[::20]]
    watching = [asyncio.create_task(stream.watch((first, second)[number % 2].port, second.port))
                for number, stream in enumerate(streams)]
    while not all(stream.last for stream in streams):
        await asyncio.sleep(0.1)

    async def post(number):
        nonlocal failed
        connection = await Connection().open(second.port)
        while not is_over:
            target = targets[(number + len(times) * 7919) % len(targets)]
            begun = time.monotonic()
            failed += await connection.ask("POST", f"{target}/actions", BODY) != 200
            times.append(time.monotonic() - begun)
            await asyncio.sleep(0.01)

    posts = asyncio.gather(*(post(number) for number in range(16)))
    await asyncio.sleep(1)
    connection = await Connection().open(first.port)
    begun = time.monotonic()
    status = await connection.ask("POST", "/cluster/drain")
    seconds = time.monotonic() - begun
    if status != 204:
        raise SystemExit(f"The drain is answered with {status}.")
    await asyncio.sleep(1)
    is_over = True
    await posts
    await asyncio.sleep(1)
    missed = 0
    for stream in streams:
        connection.writer.write(f"GET {stream.target}/state HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = (await connection.reader.readuntil(b"\r\n\r\n")).decode()
        await connection.reader.readexactly(int(re.search("(?i)content-length: (\\d+)", head)[1]))
        missed += stream.last not in re.search("(?i)etag: (.*)", head)[1] or stream.twice > 0
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    reconnects = max(stream.opened for stream in streams) - 1
    anew = sum(stream.anew for stream in streams)
    return (seconds, max(times), len(times), failed,
            max(stream.gap for stream in streams), reconnects, anew, missed)


def tell_drain(options, rows):
    seconds, longest, count, _, gap, reconnects, _, _, stop = medians(rows)
    failed, anew, missed = (sum(row[column] for row in rows) for column in (3, 6, 7))
    print(f"Drained, {options.drained} sessions: {seconds:.1f} s; of {count:,.0f} posts at the other server "
          f"{failed} failed in all rounds, the longest {longest * 1000:.0f} ms; of {options.drained // 20:,} streams each came back {reconnects:.0f} times at most, within "
          f"{gap * 1000:.0f} ms, {anew} anew, {missed} with something missing or twice in all rounds; "
          f"then SIGTERM: {stop:.2f} s")


class Watchers:
    """Streams of sessions, which are opened again where they end."""

    def __init__(self):
        self.poll, self.streams = select.epoll(), {}

    def open(self, port, target):
        stream = socket.create_connection(("127.0.0.1", port))
        stream.sendall(f"GET {target}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.streams[stream.fileno()] = stream, port, target
        self.poll.register(stream, select.EPOLLIN)

    def read(self, seconds):
        """The events of so many seconds."""
        count, end = 0, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for descriptor, _ in self.poll.poll(left):
                stream, port, target = self.streams[descriptor]
                data = stream.recv(1 << 16)
                count += data.count(b"\ndata: ")
                if not data:
                    del self.streams[descriptor]
                    stream.close()
                    self.open(port, target)
        return count

    def close(self):
        for stream, _, _ in self.streams.values():
            stream.close()


def cpu(process):
    """The seconds that a process has computed."""
    files = glob.glob(f"/proc/{process.pid}/task/*/schedstat")
    return sum(int(open(file).read().split()[0]) for file in files) / 1e9


def shown(server, streams, posted, seconds):
    """The CPU of a server while there are streams, each a port and a target: in µs a second while nothing is
    posted, and beside that in µs a post to each of some targets, five a second; and the share of the events
    that came."""
    watchers = Watchers()
    # A server follows a session from its sixteenth stream on.
    for part in (streams[:64], streams[64:]):
        for stream in part:
            watchers.open(*stream)
        watchers.read(3)
    begun = cpu(server)
    watchers.read(seconds)
    idle = (cpu(server) - begun) / seconds
    posters = [(socket.create_connection(("127.0.0.1", port)), target) for port, target in posted]
    count, events, begun, start = int(seconds * 5), 0, cpu(server), time.monotonic()
    for _ in range(count):
        for poster, target in posters:
            poster.sendall(
                f"POST {target}/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY)
        events += watchers.read(0.2)
        for poster, _ in posters:
            poster.recv(1 << 16)
    used = cpu(server) - begun - idle * (time.monotonic() - start)
    events += watchers.read(2)
    watchers.close()
    return idle * 1e6, used / count * 1e6, events / count / len(streams)


def watch(options, address, folder):
    """What it costs the server that has a session to show it to two, while another one shows another session
    to nobody, and to many; and to many at two others."""
    with serving(options, address, folder, NONE) as (second,):
        other = asyncio.run(make(second.port, 1))[0]
        with serving(options, address, folder, 1, NONE) as (first, third):
            target = asyncio.run(make(first.port, 1))[0]
            for server in (second, third):
                asyncio.run(reach(server.port, target))
                asyncio.run(reach(server.port, other))
            ports = [second.port, third.port] * (options.watchers // 2)
            few, many, beside = (
                [(first.port, target)] * 2, [(port, target) for port in ports],
                [(port, other) for port in ports])
            posted, seconds = [(first.port, target), (second.port, other)], 3 * options.seconds
            return (*shown(first, few, posted[:1], seconds),
                    *shown(first, few + beside, posted, seconds),
                    *shown(first, many, posted[:1], seconds))


def tell_watch(options, rows):
    figures = medians(rows)
    print("| watchers | CPU of the server that has their session: µs a second of nothing | µs a post beside "
          "that | events that came |\n|---|---|---|---|")
    for number, name in enumerate((
            "2 there", f"2 there, {options.watchers} of another session elsewhere",
            f"{options.watchers} at two others")):
        idle, used, came = figures[3 * number:3 * number + 3]
        print(f"| {name} | {idle:,.0f} | {used:,.0f} | {came:.1%} |")


def look(options, address, folder, count):
    """Of a server on a database the seconds of its start, its memory in MiB and its CPU in µs a second while
    nothing is asked; and the ms of the first GET of a session that sleeps, and of a further one."""
    with serving(options, address, folder, 1) as (server,):
        # As every six hours, it first looks through all of them, 4,096 a second.
        time.sleep(10 + count / 4_096)
        begun = cpu(server)
        time.sleep(20)
        idle = (cpu(server) - begun) / 20 * 1e6
        status = open(f"/proc/{server.pid}/status").read()
        memory = int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1024

        async def get(numbers):
            connection, begun = await Connection().open(server.port), time.monotonic()
            for number in numbers:
                await connection.ask("GET", f"/benchmark/sessions/s{number}/state")
            return (time.monotonic() - begun) * 1000 / len(numbers)

        return (server.start, memory, idle, asyncio.run(get([7])), asyncio.run(get(range(100, 1100))))


# Behind each session that sleeps so many copies, which are as large.
COPY = """
    WITH made AS (
        INSERT INTO session(name, epoch, history, created, maker, schema, lease, head, at, chain)
        SELECT name || '-' || number, epoch, history, created, maker, schema, lease, head, at, chain
        FROM session, generate_series(1, %d) AS number RETURNING id, split_part(name, '-', 1) AS original)
    INSERT INTO snapshot(session, version, at, changed, schema, chain, state, sum)
    SELECT made.id, s.version, s.at, changed, s.schema, s.chain, state, sum
    FROM made JOIN session x ON x.name = original JOIN snapshot s ON s.session = x.id ORDER BY made.id"""


def sleep(options, address, folder):
    """What a server is without and with sessions that sleep, and the bytes that each of these takes in the
    database: of a table, and of its indexes."""
    def ask(statement, place):
        return subprocess.run(["psql", "-XAtc", statement, place], check=True, capture_output=True,
                              text=True).stdout

    name = f"sleepers{time.time_ns()}"
    ask(f"CREATE DATABASE {name}", address)
    place = address.replace("/postgres?", f"/{name}?")
    without, made = look(options, place, folder, 0), min(options.sleepers, 10_000)
    subprocess.run([f"{options.binaries}/journal-benchmark", "sleepers", place, str(made)], check=True)
    ask("SET search_path = statecast; " + COPY % (options.sleepers // made - 1), place)
    ask("VACUUM ANALYZE", place)
    sizes = [
        int(ask(f"SELECT pg_{part}_size('statecast.{table}')", place)) / options.sleepers
        for table in ("session", "snapshot") for part in ("table", "indexes")]
    return *without, *look(options, place, folder, options.sleepers), *sizes


def tell_sleep(options, rows):
    figures = medians(rows)
    print("| sessions that sleep | start, s | memory, MiB | CPU µs a second | first GET, ms | a further, ms |\n"
          "|---|---|---|---|---|---|")
    for number, row in (0, figures[:5]), (options.sleepers, figures[5:10]):
        cells = [f"{figure:,.2f}" for figure in row]
        print(f"| {number:,} | {' | '.join(cells if number else [*cells[:3], '–', '–'])} |")
    session, its_indexes, snapshot, its_index = figures[10:]
    print(f"\nBytes of each: its row {session:,.0f}, in indexes {its_indexes:,.0f}; its state {snapshot:,.0f}, in "
          f"the index {its_index:,.0f}")


PARTS = {
    "post": (post, tell_posts), "kill": (kill, tell_kill), "drain": (drain, tell_drain),
    "watch": (watch, tell_watch), "sleep": (sleep, tell_sleep),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default=".build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--sessions", type=int, default=1_000)
    parser.add_argument("--drained", type=int, default=10_000)
    parser.add_argument("--watchers", type=int, default=10_000)
    parser.add_argument("--sleepers", type=int, default=1_000_000)
    parser.add_argument("--only", default="post,kill,drain,watch")
    options = parser.parse_args()
    parts = {name: [] for name in options.only.split(",")}
    database, address = start([f"{options.binaries}/journal-benchmark", "database"], "postgresql:")
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/cluster.key", "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(16))
        for _ in range(options.rounds):
            for name, rows in parts.items():
                rows.append(PARTS[name][0](options, address, folder))
    database.stdin.close()
    database.wait()
    for name, rows in parts.items():
        PARTS[name][1](options, rows)
        print()


if __name__ == "__main__":
    main()
