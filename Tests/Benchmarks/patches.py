#!/usr/bin/env python3
"""Measures streams of patches beside streams of states, in one run, after `run.sh --build`.

    Tests/Benchmarks/patches.py                          1,000 watchers of 1 MB; some minutes
    Tests/Benchmarks/patches.py --items 20 --watchers 100 --repetitions 1 --seconds 3

Two changes: the counter in front of the records, and a number in the middle one. Each run starts the
server anew; the repetitions are the outer loop, and the table shows the medians.
"""
import argparse
import json
import resource
import socket
import statistics
import subprocess
import time
from pathlib import Path

BINARIES = Path(__file__).resolve().parents[2] / ".build" / "release"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=18_500, help="records of about 57 bytes")
    parser.add_argument("--watchers", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--rate", type=float, default=20, help="changes a second of the paced runs")
    return parser.parse_args()


def server(items):
    """The server's process and port, once it listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    process = subprocess.Popen(
        [BINARIES / "statecast", "serve", "--benchmark", "--benchmark-items", str(items),
         "--loops", "1", "--log-level", "error", "--port", str(port)],
        stdout=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, port
        except OSError:
            time.sleep(0.05)
    process.kill()
    raise SystemExit("The server does not listen after 10 s.")


def report(options, action, extra):
    """One run's report. A change of states takes a second, and more of them make a figure."""
    seconds = options.seconds * (1 if extra else 2)
    process, port = server(options.items)
    try:
        run = subprocess.run(
            [BINARIES / "load-generator", "fan-out", "--json", "--port", str(port),
             "--pid", str(process.pid), "--watchers", str(options.watchers),
             "--seconds", str(seconds), "--action", action, *extra],
            check=True, capture_output=True, text=True)
    finally:
        process.terminate()
        process.wait()
    return json.loads(run.stdout)


def table(options, reports):
    figures = [
        ("bytes an event", lambda r: r["bytesPerEvent"]),
        ("server CPU an event, µs", lambda r: r["serverCPUMicrosecondsPerEvent"]),
        ("events a second", lambda r: r["eventsPerSecond"]),
        ("changes a second", lambda r: r["postsPerSecond"]),
        ("p50 from post to event, ms", lambda r: r["eventMicroseconds"]["p50"] / 1_000),
        ("p99 from post to event, ms", lambda r: r["eventMicroseconds"]["p99"] / 1_000),
        ("server memory, MB", lambda r: r["serverResidentBytes"] / 1_048_576),
    ]
    counts = [
        ("versions missed", lambda r: r["missingEvents"]),
        ("events doubled", lambda r: r["doubledEvents"]),
        ("snapshots instead of a patch", lambda r: r.get("patches", {}).get("snapshots", 0)),
        ("patches that do not lead on", lambda r: r.get("patches", {}).get("broken", 0)),
        ("posts failed", lambda r: r["failedPosts"]),
    ]
    names = list(reports)
    print("| | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for name, value in figures:
        medians = [statistics.median(map(value, reports[kind])) for kind in names]
        cells = [number(median) for median in medians]
        if name in ("bytes an event", "server CPU an event, µs"):
            cells = [cell if kind.startswith("states") else f"{cell} ({median / medians[0]:.2%})"
                     for kind, cell, median in zip(names, cells, medians)]
        print(f"| {name} | " + " | ".join(cells) + " |")
    for name, value in counts:
        print(f"| {name}, all runs | "
              + " | ".join(str(sum(map(value, reports[kind]))) for kind in names) + " |")


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main():
    options = arguments()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    paced = ["--rate", str(options.rate)]
    kinds = {"states": [], "patches": ["--patches"],
             f"patches, {options.rate:g}/s": ["--patches", *paced]}
    actions = {
        "the counter": '{"type":"incremented","payload":{"by":1}}',
        "the middle record":
            json.dumps({"type": "counted", "payload": {"item": options.items // 2}}),
    }
    reports = {change: {kind: [] for kind in kinds} for change in actions}
    for _ in range(options.repetitions):
        for change, action in actions.items():
            for kind, extra in kinds.items():
                reports[change][kind].append(report(options, action, extra))
    for change, measured in reports.items():
        print(f"\n{change} of {options.items:,} records changes, "
              f"{options.watchers:,} watchers\n")
        table(options, measured)


main()
