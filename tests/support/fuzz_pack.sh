#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz_pack.sh [FILE]: the fuzzers of build/fuzz with their seeds and libraries as one archive (build/fuzzpack.txz) for a
# machine without a compiler: tar xf fuzzpack.txz && fuzzpack/fuzz_all.sh SECONDS OUT. It also makes build/fuzz/seeds.
set -eu
cd "$(dirname "$0")/../.."
file=${1:-build/fuzzpack.txz}
export WARPWRIGHT_RESOURCES=$PWD/resources
seeds=build/fuzz/seeds
for f in build/fuzz/bin/fuzz_*; do
  mkdir -p "$seeds/${f##*/fuzz_}"
  ASAN_OPTIONS=detect_leaks=0 timeout 60 "$f" --seeds "$seeds/${f##*/fuzz_}" -runs=0 > /dev/null 2>&1
done
cp resources/ops/*/*.op tests/support/unusual_specs.txt "$seeds/op/"
cp tests/corpus/right/* tests/corpus/wrong/* "$seeds/candidate/" 2> /dev/null || true
cp tests/simt/fixtures/*.ptx tests/corpus/*/*.ptx "$seeds/ptx/"
cp tests/simt/fixtures/*.ptx tests/corpus/*/*.ptx "$seeds/simt/"
for f in tests/simt/fixtures/*.ptx; do
  { echo '{"ptx":"k","grid":[2],"block":[40],"checks":["memory","races","init","sync"],"compare":{"rtol":1e-5},"args":[{"type":"f32","in":[1,2]},{"type":"i32","out":"00000000","in":{"count":1,"step":2}},{"bytes":64},{"value":3}]}'; cat "$f"; } > "$seeds/sim_case/${f##*/}"
done
for f in tests/corpus/right/*.cu; do { echo '```cuda'; cat "$f"; echo '```'; } > "$seeds/reply/${f##*/}"; done
printf 'event: x\nid: 1\ndata: {"a": 1}\ndata: two\n\n: comment\nretry: 10\n\n' > "$seeds/sse/events"
printf '\1Content-Length: 30\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}' > "$seeds/protocol/frame"
printf '\0\7data: {"id":"1","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' > "$seeds/provider_stream/chat"
printf '\1\7event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"a"}\n\n' > "$seeds/provider_stream/responses"
printf '\2\7event: message_start\ndata: {"type":"message_start","message":{"id":"1","usage":{"input_tokens":3}}}\n\n' > "$seeds/provider_stream/messages"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pack=$work/fuzzpack
mkdir -p "$pack/bin" "$pack/lib" "$pack/source/tests/review/fixtures" "$pack/source/tests/corpus/right"
for f in build/fuzz/bin/fuzz_*; do strip -o "$pack/bin/${f##*/}" "$f"; done
# All but the C library's own, which every machine has in a version that fits its loader.
ldd build/fuzz/bin/fuzz_* | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
  grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$pack/lib/"
cp -r resources "$pack/source/"
cp tests/review/fixtures/accepted.wwb tests/review/fixtures/receipt.json "$pack/source/tests/review/fixtures/"
cp tests/corpus/right/relu.ptx "$pack/source/tests/corpus/right/"
cp -r "$seeds" "$pack/seeds"
cp tests/support/fuzz_all.sh "$pack/"
tar -C "$work" -cf - fuzzpack | xz -T0 -6 > "$file"
ls -l "$file"
