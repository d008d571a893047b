#!/usr/bin/env bash
# Measures what it takes to write a whole state as JSON and to read it: ours, Foundation's, Node's.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=(swift build -c release --static-swift-stdlib)
"${build[@]}" --product store-benchmark
"$("${build[@]}" --show-bin-path)/store-benchmark" "whole,"
node Tests/Benchmarks/whole.mjs
