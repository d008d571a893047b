#!/usr/bin/env bash
# Measures Statecast beside the least server in C, and Node's where there is one, in one run.
#   Tests/Benchmarks/run.sh                       all works, three times; some minutes
#   Tests/Benchmarks/run.sh --only post           options of `load-generator compare`
#   Tests/Benchmarks/run.sh 'NAME=COMMAND {PORT}'  measures further servers in the same run
#   Tests/Benchmarks/run.sh --build               builds what is measured, and measures nothing
set -euo pipefail
cd "$(dirname "$0")/../.."
out=.build/benchmarks
mkdir -p $out
clang -O2 -o $out/least Tests/Benchmarks/least.c
swift build -c release --static-swift-stdlib --product statecast
swift build -c release --static-swift-stdlib --product load-generator
binaries=$(swift build -c release --static-swift-stdlib --show-bin-path)
[ "${1:-}" != --build ] || exit 0
ulimit -n "$(ulimit -Hn)"
servers=(
    "least=$out/least {PORT}"
    "statecast=$binaries/statecast serve --benchmark --loops 1 --log-level error --port {PORT}"
)
command -v node >/dev/null && servers+=("node=node Tests/Benchmarks/node.mjs {PORT}")
options=()
for argument in "$@"; do
    case "$argument" in
    [a-z]*=*"{PORT}"*) servers+=("$argument") ;;
    *) options+=("$argument") ;;
    esac
done
"$binaries/load-generator" compare "${options[@]}" "${servers[@]}"
