// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any two texts side by side, in each form. A NUL byte divides them; the first byte chooses the form. All
// lines are in the rows, in order.
#include "diff/lines.h"
#include "diff/texts.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::diff;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    using namespace std::string_literals;
    return fuzz::Seeds{
        "aone\ntwo\nthree\n\0one\n2\nthree\nfour\n"s,
        "b.loc 1 2 3\nmov.b32 %r1, %r2;\n$L1:\nbra $L1;\n\0mov.b32 %r7, %r2;\nadd.s32 %r1, %r1, 4;\n"s,
        "c  /*0010*/  IMAD R1, R2, 0x4, RZ ;\n  /*0020*/ @!P0 BRA `(.L_1) ;\n\0  /*0010*/  MOV R1, R3 ;\n"s};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::view(data + 1, size - 1);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const std::string_view left = text.substr(0, cut), right = text.substr(std::min(cut + 1, text.size()));
  const Rules rules{data[0] % 3 == 'a' % 3   ? Form::text
                    : data[0] % 3 == 'b' % 3 ? Form::ptx
                                             : Form::sass,
                    (data[0] & 16) != 0};
  const TextDiff d = compare_texts(left, right, rules);
  int l = 0, r = 0;
  for (const Row& row : d.rows) {
    fuzz::require((row.left < 0 || row.left == l) && (row.right < 0 || row.right == r));
    l += row.left >= 0;
    r += row.right >= 0;
    if (row.left < 0 || row.right < 0) continue;
    const std::string_view a = d.left.line(row.left), b = d.right.line(row.right);
    const Words words = compare_words(a, b, rules);
    for (const Span& s : words.left) fuzz::require(s.begin <= s.end && s.end <= static_cast<int>(a.size()));
    for (const Span& s : words.right) fuzz::require(s.begin <= s.end && s.end <= static_cast<int>(b.size()));
  }
  fuzz::require(l == static_cast<int>(d.left.lines.size()) && r == static_cast<int>(d.right.lines.size()));
  fuzz::require(left != right || diff_lines(left, right).empty());
  (void)instructions_of(left, rules.form);
  return 0;
}
