#!/usr/bin/env bash
# The program on the first screen of the README compiles, runs, and prints the derivative that a
# difference of two scenes gives.
# plain build only
set -euo pipefail
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0 failed=0
check() { # check NAME COMMAND...
    if "${@:2}"; then echo "ok   $1"; passed=$((passed + 1)); else echo "FAIL $1"; failed=$((failed + 1)); fi
}

sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '1d;$d' > "$work/program.c"
lines=$(grep -c ';' "$work/program.c")

compiles() {
    ${CC:-cc} -std=c17 -Wall -I"$source/include" "$work/program.c" -o "$work/program" \
        "$build/libtactus.a" $(pkg-config --libs libxml-2.0) -lpthread -lm
}
runs() { (cd "$source" && "$work/program" > "$work/out") && grep -q 'm from the glass' "$work/out"; }

# distance at the README's point with the bowl's radius r
distance() {
    sed "s/name=\"bowl\" size=\".13 /name=\"bowl\" size=\"$1 /" "$source/scenes/first_light.xml" > "$work/moved.xml"
    "$build/tactus" sdf "$work/moved.xml" --shape goblet --at ".16 0 .37" | tail -n 1 | cut -d, -f4
}
slope_is_right() {
    local printed plus minus
    printed=$(sed -n 's/.*, \(-\{0,1\}[0-9.]*\) by its radius/\1/p' "$work/out")
    plus=$(distance .130001) minus=$(distance .129999)
    awk -v p="$printed" -v a="$plus" -v b="$minus" 'BEGIN { d = p - (a - b)/2e-6; exit !(d*d < 1e-10) }'
}

check "README program compiles" compiles
check "README program runs" runs
check "README gradient equals a difference of scenes" slope_is_right
check "README program is short ($lines lines of statements)" test "$lines" -le 12
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
