#!/usr/bin/env python3
"""Measures what other clients notice of one that sends actions as fast as it can.

    Tests/Benchmarks/flood.py                       half a minute, after `run.sh --build`
    Tests/Benchmarks/flood.py --binary .build/debug/statecast --rounds 3

Eight clients post to sessions of their own, 100 times a second together, first by themselves and then
beside the flood, in turns: sixteen connections from one network, which send sixteen requests at a time
and do not wait for what Retry-After says. The server, of one loop, takes 100 actions a second from each
client (`client-actions`). The command ends with 1 where the others' p99 beside the flood, the median of
all rounds, is more than 1.5 times what it is without.
"""
import argparse
import json
import select
import statistics
import sys
import time

from lopsided import ROOT, Child, Client, Server, request

LIMITS = ["client-actions=100"]
CONNECTIONS, PIPELINED, OTHERS, PAUSE = 16, 16, 8, 0.01
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


def flood(port):
    """Sends to the server as much as it takes, and reads what it answers."""
    def work(_):
        poll, clients = select.epoll(), {}
        burst = post("flooded") * PIPELINED
        for _ in range(CONNECTIONS):
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
    parser.add_argument("--unlimited", action="store_true", help="no bound: how it would be")
    options = parser.parse_args()
    server = Server(options.binary, 20, [] if options.unlimited else LIMITS, False)
    server.prober.end()
    server.prober = others(server.port)
    print("| | p50, ms | p99, ms | server's CPU, s |\n|---|---|---|---|")
    ratios = []
    for _ in range(options.rounds):
        tails = []
        for name in ["alone", "beside the flood"]:
            child = flood(server.port) if name != "alone" else None
            time.sleep(0.5)
            latencies(server.prober)
            before = sum(server.cpu())
            time.sleep(options.seconds)
            times = latencies(server.prober)
            if child:
                child.end()
            tails.append(p99(times))
            print(f"| {name} | {statistics.median(times) * 1e3:.2f} | {tails[-1] * 1e3:.2f} "
                  f"| {sum(server.cpu()) - before:.2f} |")
        ratios.append(tails[1] / tails[0])
    server.end()
    ratio = statistics.median(ratios)
    print(f"\nBeside the flood the others' p99 is {ratio:.2f} times what it is without.")
    sys.exit(1 if ratio > 1.5 else 0)


if __name__ == "__main__":
    main()
