#!/usr/bin/env bash
# Measures what it costs to keep sessions, in one run: the writer beside a file and bare SQLite; a server
# with the journal in memory, in one file, and in SQLite, the last also with 10,000 records a state; and
# a restart. Some minutes; below `$DIR`, else in the folder for temporary files.
#   Tests/Benchmarks/journal.sh            all of it, three times
#   Tests/Benchmarks/journal.sh ROUNDS [SECONDS [SESSIONS [ENTRIES]]]
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-3} seconds=${2:-3} sessions=${3:-100000} entries=${4:-1000000}
for product in journal-benchmark load-generator; do
    swift build -c release --static-swift-stdlib --product $product
done
binaries=$(swift build -c release --static-swift-stdlib --show-bin-path)
DIR=$(mktemp -d -p "${DIR:-${TMPDIR:-/tmp}}")
export DIR
trap 'rm -rf "$DIR"' EXIT
ulimit -n "$(ulimit -Hn)"
benchmark=$binaries/journal-benchmark
echo "# The writer"
"$benchmark" "$seconds" "$rounds"
echo "# Durable actions"
"$binaries/load-generator" compare --only keep --repetitions "$rounds" --seconds "$seconds" \
    "memory=$benchmark serve memory {PORT}" \
    "file=$benchmark serve file {PORT}" \
    "SQLite=$benchmark serve sqlite {PORT}" \
    "memory, 10,000 records=$benchmark serve memory {PORT} 10000" \
    "SQLite, 10,000 records=$benchmark serve sqlite {PORT} 10000"
rm -rf "${DIR:?}"/*
echo "# A restart after a crash: $sessions sessions of 1 KB, and one with $entries entries"
"$benchmark" fill "$DIR/kept" "$sessions" "$entries"
"$benchmark" restart "$DIR/kept"
rm -rf "${DIR:?}"/*
echo "# A million sessions that sleep"
"$benchmark" sleep "$DIR" 1000000 300
