#!/usr/bin/env python3
"""Measures servers on one PostgreSQL: posts at the server that has the sessions, and at the other one; how
long sessions in use wait for their next kept post when their server is killed; how a server is drained, and
what posts at the other one see of that; and what many watchers at two others cost the server that has the
session.

    Tests/Benchmarks/cluster.py [--rounds 3] [--seconds 3] [--sessions 1000]    behind cluster.sh, which builds
                                [--drained 10000] [--watchers 10000]

`journal-benchmark database` has the PostgreSQL. Medians of the rounds, which take turns.
"""
import argparse
import asyncio
import glob
import json
import os
import select
import signal
import socket
import statistics
import subprocess
import tempfile
import time

CONNECTIONS = 64
BODY = b'{"type":"incremented","payload":{"by":1}}'


def start(arguments, line):
    """A process that has said that it is ready, and what it said."""
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for said in process.stdout:
        if line in said:
            return process, said.strip()
    raise SystemExit(f"{arguments[0]} does not start.")


def serve(options, address, folder):
    server, said = start(
        [f"{options.binaries}/statecast", "serve", "--benchmark", "--loops", "1", "--port", "0",
         "--journal", address, "--key-file", f"{folder}/key", "--log-level", "critical",
         "--upstream", "http://127.0.0.1:9", "--public", folder, "--limit", "client-share=1",
         "--limit", "session-share=1",
         "--cluster-listen", "127.0.0.1:0", "--cluster-key-file", f"{folder}/cluster.key"],
        "serving on ")
    server.port = int(said.rpartition(":")[2])
    return server


def load(options, *arguments):
    output = subprocess.run(
        [f"{options.binaries}/load-generator", "post", "--json", "--connections", str(CONNECTIONS),
         "--sessions", str(options.sessions), "--seconds", str(options.seconds), *arguments],
        check=True, capture_output=True, text=True).stdout
    report = json.loads(output)
    if report["failedPosts"]:
        raise SystemExit(f"{report['failedPosts']} posts failed.")
    times = report["postMicroseconds"]
    return report["postsPerSecond"], times["p50"], times["p99"]


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


async def take_over(first, second, count):
    """Of each session the seconds from the kill of its server to a post that is kept elsewhere."""
    targets = await make(first.port, count)
    os.kill(first.pid, signal.SIGKILL)
    begun, times = time.monotonic(), []

    async def wait(connection, target):
        while await connection.ask("POST", f"{target}/actions", BODY, "two") != 200:
            await asyncio.sleep(0.01)
        times.append(time.monotonic() - begun)

    await share(second.port, targets, wait)
    times.sort()
    return times[len(times) // 2], times[len(times) * 99 // 100], times[-1]


async def reach(port, target):
    """A server knows who has a session."""
    connection = await Connection().open(port)
    while await connection.ask("GET", f"{target}/state") != 200:
        await asyncio.sleep(0.1)


async def drain(options, address, folder):
    """The seconds until a server has given its sessions away; of the posts at another one meanwhile the
    longest, in seconds, how many there were, and how many failed."""
    first = serve(options, address, folder)
    targets = await make(first.port, options.drained)
    second = serve(options, address, folder)
    await reach(second.port, targets[0])
    times, failed, is_over = [], 0, False

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
    await asyncio.sleep(0.5)
    is_over = True
    await posts
    begun = time.monotonic()
    first.terminate()
    first.wait()
    stop = time.monotonic() - begun
    second.terminate()
    second.wait()
    return seconds, max(times), len(times), failed, stop


class Watchers:
    """Streams of a session, which are opened again where they end."""

    def __init__(self, target):
        self.request = f"GET {target}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        self.poll, self.streams = select.epoll(), {}

    def open(self, port):
        stream = socket.create_connection(("127.0.0.1", port))
        stream.sendall(self.request)
        self.streams[stream.fileno()] = stream, port
        self.poll.register(stream, select.EPOLLIN)

    def read(self, seconds):
        """The events of so many seconds."""
        count, end = 0, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for descriptor, _ in self.poll.poll(left):
                stream, port = self.streams[descriptor]
                data = stream.recv(1 << 16)
                count += data.count(b"\ndata: ")
                if not data:
                    del self.streams[descriptor]
                    stream.close()
                    self.open(port)
        return count

    def close(self):
        for stream, _ in self.streams.values():
            stream.close()


def cpu(process):
    """The seconds that a process has computed."""
    files = glob.glob(f"/proc/{process.pid}/task/*/schedstat")
    return sum(int(open(file).read().split()[0]) for file in files) / 1e9


def watch(options, address, folder):
    """The CPU of the server that has a session, in microseconds a post: for two watchers there, and for many
    at two others; and the share of the events of those that came."""
    first = serve(options, address, folder)
    target = asyncio.run(make(first.port, 1))[0]
    others = [serve(options, address, folder) for _ in range(2)]
    for server in others:
        asyncio.run(reach(server.port, target))

    def measure(ports):
        watchers = Watchers(target)
        # A server follows the session from its sixteenth stream on.
        for part in (ports[:64], ports[64:]):
            for port in part:
                watchers.open(port)
            watchers.read(3)
        poster = socket.create_connection(("127.0.0.1", first.port))
        posts, events, begun = int(options.seconds * 5), 0, cpu(first)
        for _ in range(posts):
            poster.sendall(f"POST {target}/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                           f"application/json\r\nContent-Length: {len(BODY)}\r\n\r\n".encode() + BODY)
            events += watchers.read(0.2)
            poster.recv(1 << 16)
        used = cpu(first) - begun
        events += watchers.read(2)
        share = events / posts / len(watchers.streams)
        watchers.close()
        return used / posts * 1e6, share

    few, _ = measure([first.port] * 2)
    many, share = measure([server.port for server in others] * (options.watchers // 2))
    for server in [first] + others:
        server.terminate()
        server.wait()
    return few, many, share


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default=".build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--sessions", type=int, default=1_000)
    parser.add_argument("--drained", type=int, default=10_000)
    parser.add_argument("--watchers", type=int, default=10_000)
    options = parser.parse_args()
    direct, forwarded, taken, drained, watched = [], [], [], [], []
    database, address = start([f"{options.binaries}/journal-benchmark", "database"], "postgresql:")
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/cluster.key", "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(16))
        for _ in range(options.rounds):
            first, second = (serve(options, address, folder) for _ in range(2))
            direct.append(load(options, "--port", str(first.port)))
            forwarded.append(
                load(options, "--port", str(second.port), "--made-at", str(first.port)))
            taken.append(asyncio.run(take_over(first, second, options.sessions)))
            second.terminate()
            second.wait()
            drained.append(asyncio.run(drain(options, address, folder)))
            watched.append(watch(options, address, folder))
    database.stdin.close()
    database.wait()

    def medians(rows):
        return [statistics.median(column) for column in zip(*rows)]

    print("| | posts/s | p50 µs | p99 µs |\n|---|---|---|---|")
    for name, rows in (("direct", direct), ("forwarded", forwarded)):
        rate, half, most = medians(rows)
        print(f"| {name} | {rate:,.0f} | {half:,.0f} | {most:,.0f} |")
    half, most, last = medians(taken)
    print(f"\nTaken over after kill -9, {options.sessions} sessions: "
          f"p50 {half:.3f} s, p99 {most:.3f} s, the last {last:.3f} s")
    seconds, longest, count, _, stop = medians(drained)
    print(f"\nDrained, {options.drained} sessions: {seconds:.1f} s; of {count:,.0f} posts at the other server "
          f"{sum(row[3] for row in drained)} failed (in all rounds), the longest {longest * 1000:.0f} ms; "
          f"then SIGTERM: {stop:.2f} s")
    few, many, arrived = medians(watched)
    print(f"\nCPU a post of the server that has a session: {few:,.0f} µs with 2 watchers, {many:,.0f} µs with "
          f"{options.watchers} at two others, of whose events {arrived:.1%} came")


if __name__ == "__main__":
    main()
