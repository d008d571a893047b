#!/usr/bin/env python3
"""Counts the instructions of a POST with and without `--crash-recording`, by valgrind's callgrind.

    Tests/Benchmarks/crash.py                       a few minutes, after `run.sh --build`
    Tests/Benchmarks/crash.py --binary .build/debug/statecast --posts 100

A server of one loop and a journal in memory takes one post after the other of one client. What the start
and the end cost goes out by the difference of two runs, of which one takes three times as many posts.
Needs Debian's `valgrind`; nothing else of the machine counts.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

from lopsided import ROOT, SESSION, Client, post, request


def instructions(binary, count, *options):
    """Those of a server's whole life, with so many posts in it."""
    with tempfile.TemporaryDirectory() as folder:
        # Valgrind 3.19 ends where it meets DWARF that it does not know, and where the main thread rests in
        # libdispatch, whose mask of signals it writes to.
        subprocess.run(["strip", "-o", f"{folder}/statecast", binary], check=True)
        subprocess.run(["clang", "-shared", "-fPIC", "-xc", "-", "-o", f"{folder}/rest.so"],
                       input=b"int pause(void); int sigsuspend(void *mask) { return pause(); }",
                       check=True)
        crashes = ["--crash-recording", f"{folder}/crashes"] if options else []
        server = subprocess.Popen(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
             f"{folder}/statecast", "serve", "--benchmark", "--loops", "1", "--no-io-uring",
             "--journal", "memory", "--port", "0", "--public", folder,
             "--upstream", "http://127.0.0.1:9", "--log-level", "critical", *crashes],
            env={**os.environ, "LD_PRELOAD": f"{folder}/rest.so"}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        line = next((line for line in server.stdout if line.startswith("serving on ")), None)
        if line is None:
            sys.exit(f"The server does not start: {server.stderr.read()}")
        client = Client(int(line.rpartition(":")[2]))
        client.ask(request("PUT", SESSION))
        for _ in range(count):
            client.ask(post())
        client.socket.close()
        server.terminate()
        _, told = server.communicate()
        return int(re.search(r"Collected : (\d+)", told)[1])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / ".build" / "release" / "statecast"))
    parser.add_argument("--posts", type=int, default=2_000)
    options = parser.parse_args()
    print("| crash recording | instructions a POST |\n|---|---|", flush=True)
    for name, words in (("off", ()), ("on", ("on",))):
        few, many = (instructions(options.binary, count, *words)
                     for count in (options.posts, 3 * options.posts))
        print(f"| {name} | {(many - few) / (2 * options.posts):,.0f} |", flush=True)


if __name__ == "__main__":
    main()
