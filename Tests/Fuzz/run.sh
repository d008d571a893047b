#!/bin/bash
# Fuzzes the pure parsers with libFuzzer: Tests/Fuzz/run.sh [TARGET|all] [libFuzzer options].
#   Tests/Fuzz/run.sh                                  every target for 10 seconds
#   Tests/Fuzz/run.sh JSONReader -runs=10000000        ten million executions of one
# A target is a file here, which sees what is internal in its module. The modules' targets are built
# and run side by side. Findings are written to .build/fuzz; seeds come from Corpus/TARGET.
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A targets=(
    [StateCoding]="JSONReader ActionDecoder PointerSearch Patches"
    [HTTPMessages]="RequestHeads ChunkedBodies FieldValues EventStreams Responses"
)
wanted=${1:-all}
shift || true
options=("$@")
[ ${#options[@]} -gt 0 ] || options=(-max_total_time=10)
out=.build/fuzz
mkdir -p $out

compile() { # the module's name, its sources, what else the compiler is told
    swiftc -O -wmo -parse-as-library -swift-version 6 -package-name statecast \
        -enable-upcoming-feature ExistentialAny \
        -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature NonisolatedNonsendingByDefault \
        -sanitize=fuzzer -I $out -module-name "$@"
}

module() { # a module, watched for coverage, whose internal declarations are seen
    mapfile -t sources < <(find "Sources/$1/" -name '*.swift')
    compile "$1" "${sources[@]}" -enable-testing -emit-module \
        -emit-module-path "$out/$1.swiftmodule" -c -o "$out/$1.o"
}

fuzz() { # a module, and its targets
    local module=$1 target
    shift
    module "$module"
    for target; do
        compile "$target" "Tests/Fuzz/$target.swift" "$out"/{Bytes,Redux,Reflection}.o \
            "$out/$module.o" -o "$out/$target"
        mkdir -p "$out/corpus/$target"
        if ! "$out/$target" "$out/corpus/$target" "Tests/Fuzz/Corpus/$target" \
            -artifact_prefix="$out/" -print_final_stats=1 "${options[@]}" >"$out/$target.log" 2>&1
        then
            tail -40 "$out/$target.log"
            echo "$target: a finding, kept in $out"
            exit 1
        fi
        echo "== $target" "$(grep -oE '(number_of_executed_units|average_exec_per_sec): *[0-9]+' \
            "$out/$target.log" | tr -s ' \n' ' ')"
    done
}

# The floor under both modules.
for floor in Bytes Redux Reflection; do module $floor; done
jobs=()
for module in "${!targets[@]}"; do
    read -ra all <<<"${targets[$module]}"
    for target in "${all[@]}"; do
        [ "$wanted" = "$target" ] && all=("$target")
    done
    [ "$wanted" = all ] || [ "$wanted" = "${all[*]}" ] || continue
    fuzz "$module" "${all[@]}" &
    jobs+=($!)
done
[ ${#jobs[@]} -gt 0 ] || { echo "no such target: $wanted"; exit 2; }
for job in "${jobs[@]}"; do wait "$job"; done
