#!/usr/bin/env bash
# The program on the first screen of the README compiles, runs, and prints the derivative that a
# difference of two runs gives.
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
runs() { (cd "$source" && "$work/program" > "$work/out") && grep -q 'contacts; 1 mm higher' "$work/out"; }

# columns of the state after 500 steps, then speed of the upper figure a step later if it stands
# higher by $1 metres
run() { "$build/tactus" run "$source/scenes/figures.xml" "$@" > "$work/log"; }
faster() {
    local row qpos qvel
    row=$(tail -n 1 "$work/state.csv")
    qpos=$(awk -F, -v d="$1" '{ $12 = sprintf("%.17g", $12 + d); for (i = 3; i <= 16; ++i) printf "%s ", $i }' <<< "$row")
    qvel=$(awk -F, '{ for (i = 17; i <= 28; ++i) printf "%s ", $i }' <<< "$row")
    run --qpos "$qpos" --qvel "$qvel" --steps 1 -o "$work/next.csv"
    tail -n 1 "$work/next.csv" | cut -d, -f25
}
slope_is_right() {
    local printed plus minus
    printed=$(sed -n 's/.* faster by \(-\{0,1\}[0-9.]*\) mm.s.*/\1/p' "$work/out")
    run --steps 500 -o "$work/state.csv"
    plus=$(faster 1e-7) minus=$(faster -1e-7)
    awk -v p="$printed" -v a="$plus" -v b="$minus" 'BEGIN { d = p - (a - b)/2e-7; exit !(d*d < 1e-10*(1 + p*p)) }'
}

check "README program compiles" compiles
check "README program runs" runs
check "README gradient equals a difference of runs" slope_is_right
check "README program is short ($lines lines of statements)" test "$lines" -le 12
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
