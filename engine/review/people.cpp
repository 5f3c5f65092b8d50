// SPDX-License-Identifier: Apache-2.0
#include "review/people.h"
#include <algorithm>
#include "base/visible.h"

namespace ww::review {
namespace {

struct Mark {
  char32_t mark;
  std::u32string_view bases, composed;
};
// Canonical compositions of U+00C0 to U+017F (Unicode 15).
constexpr Mark marks[] = {
    {0x300, U"AEIOUaeiou", U"ÀÈÌÒÙàèìòù"},
    {0x301, U"AEIOUYaeiouyCcLlNnRrSsZz", U"ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹź"},
    {0x302, U"AEIOUaeiouCcGgHhJjSsWwYy", U"ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷ"},
    {0x303, U"ANOanoIiUu", U"ÃÑÕãñõĨĩŨũ"},
    {0x304, U"AaEeIiOoUu", U"ĀāĒēĪīŌōŪū"},
    {0x306, U"AaEeGgIiOoUu", U"ĂăĔĕĞğĬĭŎŏŬŭ"},
    {0x307, U"CcEeGgIZz", U"ĊċĖėĠġİŻż"},
    {0x308, U"AEIOUaeiouyY", U"ÄËÏÖÜäëïöüÿŸ"},
    {0x30a, U"AaUu", U"ÅåŮů"},
    {0x30b, U"OoUu", U"ŐőŰű"},
    {0x30c, U"CcDdEeLlNnRrSsTtZz", U"ČčĎďĚěĽľŇňŘřŠšŤťŽž"},
    {0x327, U"CcGgKkLlNnRrSsTt", U"ÇçĢģĶķĻļŅņŖŗŞşŢţ"},
    {0x328, U"AaEeIiUu", U"ĄąĘęĮįŲų"},
};

struct Alike {
  std::u32string_view letters, latin;
};
// Letters of other scripts by the small Latin letter that they look like in most fonts.
constexpr Alike alike[] = {
    {U"аеорсухіјѕһԁԛԝкмтпгьвн", U"aeopcyxijshdqwkmtnrbbh"},  // Cyrillic, small
    {U"АВЕКМНОРСТУХІЈЅԌԚԜҮЬ", U"abekmhopctyxijsgqwyb"},      // Cyrillic, capital
    {U"αβγεικνορτυχωηµ", U"abyeikvoptuxwnu"},                // Greek, small
    {U"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", U"abezhikmnoptyx"},                  // Greek, capital
    {U"ıłøđħŧŁØĐĦŦßſ", U"ilodhtlodhtss"},                    // Latin without a decomposition
    {U"0135|!", U"oleslll"},                                 // digits and signs, as far as they are letters' doubles
};

char32_t base_of(char32_t c) {
  for (const Mark& m : marks)
    if (const std::size_t at = m.composed.find(c); at != m.composed.npos) return m.bases[at];
  return c;
}

bool blank(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

bool combining(char32_t c) {
  return (c >= 0x300 && c <= 0x36f) || (c >= 0x1ab0 && c <= 0x1aff) || (c >= 0x20d0 && c <= 0x20ff);
}

}  // namespace

std::string normal_name(std::string_view name) {
  std::u32string out;
  for (const char32_t c : code_points(name)) {
    if (blank(c)) {
      if (!out.empty() && out.back() != ' ') out += ' ';
      continue;
    }
    if (is_invisible(c)) continue;
    if (combining(c) && !out.empty()) {
      const auto* mark = std::find_if(std::begin(marks), std::end(marks), [&](const Mark& m) { return m.mark == c; });
      const std::size_t at = mark == std::end(marks) ? std::u32string_view::npos : mark->bases.find(out.back());
      if (at != std::u32string_view::npos) {
        out.back() = mark->composed[at];
        continue;
      }
    }
    out += c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return utf8(out);
}

std::string name_shape(std::string_view name) {
  std::u32string out;
  for (char32_t c : code_points(name)) {
    if (c >= 0xff01 && c <= 0xff5e) c -= 0xfee0;  // full width
    c = base_of(c);
    for (const Alike& a : alike)
      if (const std::size_t at = a.letters.find(c); at != a.letters.npos) {
        c = a.latin[at];
        break;
      }
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
    if (letter && !blank(c) && !combining(c) && !is_invisible(c)) out += c;
  }
  return utf8(out);
}

}  // namespace ww::review
