#!/usr/bin/env python3
"""Measures what other clients notice of one that sends actions as fast as it can.

    Tests/Benchmarks/flood.py                       a minute, after `run.sh --build`
    Tests/Benchmarks/flood.py --connections 256 --rounds 9
    Tests/Benchmarks/flood.py --binary .build/debug/statecast --seconds 1

Eight clients post to sessions of their own, 100 times a second together: by themselves, beside the flood
at a server that takes 100 actions a second from each client (`client-actions`), and beside the flood at
one that takes what comes, by turns. The flood comes from one network, over many connections, which send
sixteen requests at a time and do not wait for what Retry-After says. Both servers have one loop. The
command ends with 1 where the others' p99 beside the limited flood, the median of all rounds, is more than
1.5 times what it is without.
"""
import argparse
import json
import select
import statistics
import sys
import time

from lopsided import ROOT, Child, Client, Server, request

LIMITS = ["client-actions=100"]
PIPELINED, OTHERS, PAUSE = 16, 8, 0.01
NETWORK = 15
ACTION = b'{"type":"incremented","payload":{"by":1}}'


def post(session):
    return request("POST", f"/benchmark/sessions/{session}/actions", ACTION)


def others(port):
    """Posts one action after the other; tells the latencies since it was asked last, in seconds."""
    def work(pipe):
        clients = [Client(port, number) for number in range(OTHERS)]
        for number, client in enumerate(clients):
            client.ask(request("PUT", f"/benchmark/sessions/other-{number}"))
        times, number = [], 0
        while True:
            start = time.monotonic()
            clients[number].ask(post(f"other-{number}"))
            times.append(time.monotonic() - start)
            number = (number + 1) % OTHERS
            if select.select([pipe], [], [], PAUSE)[0]:
                pipe.recv(1)
                text = json.dumps(times).encode()
                pipe.sendall(len(text).to_bytes(8, "big") + text)
                times = []
    return Child(work)


def latencies(child):
    child.mine.sendall(b"?")

    def read(count):
        data = b""
        while len(data) < count:
            data += child.mine.recv(count - len(data))
        return data
    return sorted(json.loads(read(int.from_bytes(read(8), "big"))))


def flood(port, connections):
    """Sends to the server as much as it takes, and reads what it answers."""
    def work(_):
        poll, clients = select.epoll(), {}
        burst = post("flooded") * PIPELINED
        for _ in range(connections):
            client = Client(port, NETWORK)
            client.ask(request("PUT", "/benchmark/sessions/flooded"))
            client.socket.setblocking(False)
            clients[client.socket.fileno()] = [client.socket, 0, b""]
            poll.register(client.socket, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        while True:
            for number, _ in poll.poll():
                entry = clients[number]
                try:
                    while True:
                        if entry[1] <= 0:
                            entry[0].sendall(burst)
                            entry[1] = PIPELINED
                        entry[1] -= entry[0].recv(1 << 16).count(b"HTTP/1.1 ")
                except BlockingIOError:
                    pass
    return Child(work)


def p99(times):
    return times[len(times) * 99 // 100]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / ".build" / "release" / "statecast"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--connections", type=int, default=16, help="of the flood")
    options = parser.parse_args()
    limited, free = [Server(options.binary, 20, limits, False) for limits in (LIMITS, [])]
    for server in (limited, free):
        server.prober.end()
        server.prober = others(server.port)
    ways = {"alone": limited, "beside the flood": limited, "beside the flood, no limit": free}
    rows = {name: [] for name in ways}
    print("| | p50, ms | p99, ms | server's CPU, % |\n|---|---|---|---|")
    for _ in range(options.rounds):
        for name, server in ways.items():
            child = flood(server.port, options.connections) if name != "alone" else None
            time.sleep(0.5)
            latencies(server.prober)
            before = sum(server.cpu())
            time.sleep(options.seconds)
            times = latencies(server.prober)
            if child:
                child.end()
            rows[name].append((statistics.median(times) * 1e3, p99(times) * 1e3,
                               (sum(server.cpu()) - before) / options.seconds * 100))
            print(f"| {name} | {rows[name][-1][0]:.2f} | {rows[name][-1][1]:.2f} "
                  f"| {rows[name][-1][2]:.0f} |", flush=True)
            server.settle()
    limited.end()
    free.end()
    print(f"\nMedians of {options.rounds} rounds, {options.connections} connections of the flood:\n")
    medians = {name: [statistics.median(column) for column in zip(*row)]
               for name, row in rows.items()}
    for name, (middle, tail, cpu) in medians.items():
        print(f"| {name} | {middle:.2f} | {tail:.2f} | {cpu:.0f} |")
    ratios = [tail / medians["alone"][1] for _, tail, _ in medians.values()]
    print(f"\nBeside the flood the others' p99 is {ratios[1]:.2f} times what it is without, "
          f"and {ratios[2]:.1f} times where there is no limit.")
    sys.exit(1 if ratios[1] > 1.5 else 0)


if __name__ == "__main__":
    main()
