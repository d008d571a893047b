#!/usr/bin/env python3
"""Measures two servers on one PostgreSQL: posts at the server that has the sessions, and at the other one;
and how long sessions in use wait for their next kept post when their server is killed.

    Tests/Benchmarks/cluster.py [--rounds 3] [--seconds 3] [--sessions 1000]    behind cluster.sh, which builds

`journal-benchmark database` has the PostgreSQL. Medians of the rounds, which take turns.
"""
import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import tempfile
import time

CONNECTIONS = 64


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
         "--upstream", "http://127.0.0.1:9", "--public", folder,
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
        fields = f"Content-Type: application/json\r\nIdempotency-Key: {key}\r\n" if body else ""
        self.writer.write(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{fields}"
                          f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        head = await self.reader.readuntil(b"\r\n\r\n")
        for line in head.decode().lower().split("\r\n"):
            if line.startswith("content-length:"):
                await self.reader.readexactly(int(line[15:]))
        return int(head.split(b" ")[1])


async def take_over(first, second, count):
    """Of each session the seconds from the kill of its server to a post that is kept elsewhere."""
    targets = [f"/benchmark/sessions/taken-{time.time_ns()}-{number}" for number in range(count)]
    body = b'{"type":"incremented","payload":{"by":1}}'

    async def share(port, work):
        async def run(number):
            connection = await Connection().open(port)
            for target in targets[number::CONNECTIONS]:
                await work(connection, target)
        await asyncio.gather(*(run(number) for number in range(CONNECTIONS)))

    async def use(connection, target):
        if await connection.ask("PUT", target) != 201:
            raise SystemExit("A session is not made.")
        if await connection.ask("POST", f"{target}/actions", body, "one") != 200:
            raise SystemExit("A post is not kept.")

    await share(first.port, use)
    os.kill(first.pid, signal.SIGKILL)
    begun, times = time.monotonic(), []

    async def wait(connection, target):
        while await connection.ask("POST", f"{target}/actions", body, "two") != 200:
            await asyncio.sleep(0.01)
        times.append(time.monotonic() - begun)

    await share(second.port, wait)
    times.sort()
    return times[len(times) // 2], times[len(times) * 99 // 100], times[-1]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", default=".build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--sessions", type=int, default=1_000)
    options = parser.parse_args()
    direct, forwarded, taken = [], [], []
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


if __name__ == "__main__":
    main()
