#!/usr/bin/env bash
# Measures what it costs that several servers share PostgreSQL, in one run: the writer beside bare libpq, a
# file and SQLite; a server with each of these journals; a post at the wrong server; how long a killed
# server's sessions wait; the drain of 10,000 sessions; and 10,000 watchers at two other servers. Needs
# Debian's `postgresql`; some minutes. Below `$DIR`, else in the folder for temporary files; PostgreSQL below
# /tmp.
#   Tests/Benchmarks/cluster.sh [ROUNDS [SECONDS]]    three rounds of three seconds
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-3} seconds=${2:-3}
for product in journal-benchmark load-generator statecast; do
    swift build -c release --static-swift-stdlib --product $product
done
binaries=$(swift build -c release --static-swift-stdlib --show-bin-path)
DIR=$(mktemp -d -p "${DIR:-${TMPDIR:-/tmp}}")
export DIR
trap 'rm -rf "$DIR"' EXIT
ulimit -n "$(ulimit -Hn)"
benchmark=$binaries/journal-benchmark
echo "# The writer, 64 in flight over 1,000 sessions"
"$benchmark" "$seconds" "$rounds" 1
echo "# Durable actions"
"$binaries/load-generator" compare --only keep --repetitions "$rounds" --seconds "$seconds" \
    "file=$benchmark serve file {PORT}" \
    "SQLite=$benchmark serve sqlite {PORT}" \
    "PostgreSQL=$benchmark serve postgresql {PORT}"
echo "# Two servers on one PostgreSQL"
Tests/Benchmarks/cluster.py --binaries "$binaries" --rounds "$rounds" --seconds "$seconds"
