#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz_all.sh SECONDS OUT [NAME...]: runs the fuzzers (those named, or all) for SECONDS each, as many at a time as there
# are cores ($JOBS), and prints runs, coverage and findings of each. OUT gets logs/, and findings/ with the inputs. A
# fuzzer that found something goes on with the time that is left. In a pack (fuzz_pack.sh) it stands beside bin/ and
# seeds/; in the source tree it takes build/fuzz. $WW_FUZZ_CORPUS keeps what was learned.
set -u
here=$(cd "$(dirname "$0")" && pwd)
seconds=$1 out=$2
shift 2
mkdir -p "$out/logs" "$out/findings"
out=$(cd "$out" && pwd)
if [ -d "$here/bin" ]; then
  export WW_FUZZ_SOURCE=$here/source WARPWRIGHT_RESOURCES=$here/source/resources
  export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  bin=$here/bin seeds=$here/seeds
  export ASAN_OPTIONS=symbolize=0:detect_leaks=0
else
  root=$(cd "$here/../.." && pwd)
  export WARPWRIGHT_RESOURCES=$root/resources
  bin=$root/build/fuzz/bin seeds=$root/build/fuzz/seeds
fi
export bin seeds out seconds
export corpus=${WW_FUZZ_CORPUS:-$out/corpus}
[ $# -gt 0 ] || set -- $(cd "$bin" && ls | sed -n 's/^fuzz_//p')

one() {
  local name=$1 end=$((SECONDS + seconds)) round=0 runs=0
  export TMPDIR=$out/tmp/$name
  mkdir -p "$TMPDIR" "$corpus/$name" "$seeds/$name"
  while [ $SECONDS -lt $end ] && [ $round -lt 40 ]; do
    round=$((round + 1))
    local log=$out/logs/$name.$round.txt
    "$bin/fuzz_$name" -max_total_time=$((end - SECONDS)) -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
      -artifact_prefix="$out/findings/$name-" "$corpus/$name" "$seeds/$name" > "$log" 2>&1 && break
  done
  rm -rf "$TMPDIR"
  local logs=("$out/logs/$name".*.txt)
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "${logs[@]}" | awk '{ n += $1 } END { print n + 0 }')
  local cov peak
  cov=$(grep -ho 'cov: [0-9]*' "${logs[@]}" | awk '$2 > n { n = $2 } END { print n + 0 }')
  peak=$(sed -n 's/^stat::peak_rss_mb: *//p' "${logs[@]}" | sort -n | tail -1)
  printf '%-16s %12s %8s %8s %9s\n' "$name" "$runs" "$cov" "${peak:-?}" \
    "$(find "$out/findings" -name "$name-*" | wc -l)" >> "$out/table.txt"
}
export -f one
rm -f "$out/table.txt"
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'one {}'
{
  printf '%-16s %12s %8s %8s %9s\n' fuzzer runs coverage "peak MB" findings
  sort "$out/table.txt"
} | tee "$out/summary.txt"
rm -rf "$out/tmp"
