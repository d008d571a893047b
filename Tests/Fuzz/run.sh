#!/bin/bash
# Fuzzes the pure parsers with libFuzzer: Tests/Fuzz/run.sh [TARGET|all] [libFuzzer options].
#   Tests/Fuzz/run.sh                                  every target for 10 seconds
#   Tests/Fuzz/run.sh JSONReader -runs=10000000        ten million executions of one
# A target is a file here; it is compiled together with the sources of its module, so that it sees
# what is internal. Findings are written to .build/fuzz; seeds come from Corpus/TARGET.
set -euo pipefail
cd "$(dirname "$0")/../.."

# target   module
table='
JSONReader     StateCoding
ActionDecoder  StateCoding
PointerSearch  StateCoding
Patches        StateCoding
RequestHeads   HTTPMessages
ChunkedBodies  HTTPMessages
FieldValues    HTTPMessages
EventStreams   HTTPMessages
Responses      HTTPMessages
'

options_of_all=(-O -wmo -parse-as-library -swift-version 6 -package-name statecast
    -enable-upcoming-feature ExistentialAny
    -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility
    -enable-upcoming-feature NonisolatedNonsendingByDefault)

wanted=${1:-all}
shift || true
options=("$@")
[ ${#options[@]} -gt 0 ] || options=(-max_total_time=10)
out=.build/fuzz
mkdir -p $out
# The floor under both modules, watched for coverage as they are.
for module in Bytes Redux Reflection; do
    mapfile -t floor < <(find "Sources/$module/" -name '*.swift')
    swiftc "${options_of_all[@]}" -sanitize=fuzzer -module-name "$module" -emit-module \
        -emit-module-path "$out/$module.swiftmodule" -c "${floor[@]}" -o "$out/$module.o"
done
found=no

while read -r target module; do
    [ -n "$target" ] || continue
    [ "$wanted" = all ] || [ "$wanted" = "$target" ] || continue
    found=yes
    echo "== $target"
    mapfile -t sources < <(find "Sources/$module/" -name '*.swift')
    swiftc "${options_of_all[@]}" -sanitize=fuzzer -module-name "$target" -I "$out" \
        "${sources[@]}" "Tests/Fuzz/$target.swift" "$out"/{Bytes,Redux,Reflection}.o \
        -o "$out/$target"
    mkdir -p "$out/corpus/$target"
    if ! "$out/$target" "$out/corpus/$target" "Tests/Fuzz/Corpus/$target" \
        -artifact_prefix="$out/" -print_final_stats=1 "${options[@]}" >"$out/$target.log" 2>&1
    then
        tail -40 "$out/$target.log"
        echo "$target: a finding, kept in $out"
        exit 1
    fi
    grep -E 'stat::(number_of_executed_units|average_exec_per_sec)' "$out/$target.log"
done <<<"$table"
[ $found = yes ] || { echo "no such target: $wanted"; exit 2; }
