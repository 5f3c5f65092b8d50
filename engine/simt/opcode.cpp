// SPDX-License-Identifier: Apache-2.0
#include "simt/opcode.h"
#include <algorithm>
#include <array>
#include <utility>

namespace ww::simt {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool all_digits(std::string_view s) { return !s.empty() && std::ranges::all_of(s, is_digit); }
bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// "u32", "bf16x2", "e4m3x2", "pred"; their order means something.
bool is_type(std::string_view word) {
  if (word == "pred") return true;
  std::size_t letters = 0;
  while (letters < word.size() && !is_digit(word[letters])) ++letters;
  if (!is_one_of(word.substr(0, letters), {"b", "u", "s", "f", "bf", "tf", "e", "ue"})) return false;
  std::string_view rest = word.substr(letters);
  const auto number = [&] {
    std::size_t n = 0;
    while (n < rest.size() && is_digit(rest[n])) ++n;
    rest.remove_prefix(n);
    return n > 0;
  };
  if (!number()) return false;
  if (rest.starts_with("m")) {  // of an 8-bit format
    rest.remove_prefix(1);
    if (!number()) return false;
  }
  if (rest.starts_with("x")) {
    rest.remove_prefix(1);
    if (!number()) return false;
  }
  return rest.empty();
}

bool is_shape(std::string_view word) {  // "m16n8k16", "m8n8"
  return word.size() > 3 && word[0] == 'm' && is_digit(word[1]) && word.find('n') != std::string_view::npos;
}
bool is_count(std::string_view word) { return word.size() == 2 && word[0] == 'x' && all_digits(word.substr(1)); }

constexpr int of_types = 100;

// The place of a modifier; equal ones stay in order (those of arithmetic go by name).
int rank(std::string_view base, std::string_view word) {
  if (base == "setp" || base == "set") {
    if (is_one_of(word, {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
                         "geu", "num", "nan"}))
      return 0;
    if (is_one_of(word, {"and", "or", "xor"})) return 1;
    return is_type(word) ? of_types : 2;
  }
  const bool matrix = is_one_of(base, {"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"});
  if (matrix) {
    if (base == "wmma") {
      if (is_one_of(word, {"load", "store"}) || word == "mma") return 0;
      if (is_one_of(word, {"a", "b", "c", "d"})) return 1;
    }
    if (word == "sync") return 2;
    if (word == "aligned") return 3;
    if (base == "wmma" && is_one_of(word, {"row", "col"})) return 4;
    if (is_shape(word)) return 5;
    if (is_one_of(word, {"row", "col"}) || is_count(word)) return 6;
    return is_type(word) ? of_types : 7;
  }
  return is_type(word) ? of_types : 0;
}

// Instructions whose words the decoder reads in any order, or whose order is a part of their name.
bool keeps_order(std::string_view base) {
  return is_one_of(base, {"ld",
                          "ldu",
                          "st",
                          "atom",
                          "red",
                          "cvta",
                          "isspacep",
                          "bar",
                          "barrier",
                          "bra",
                          "brx",
                          "call",
                          "ret",
                          "exit",
                          "trap",
                          "brkpt",
                          "membar",
                          "fence",
                          "cp",
                          "createpolicy",
                          "mbarrier",
                          "prefetch",
                          "prefetchu",
                          "discard",
                          "applypriority",
                          "nanosleep",
                          "griddepcontrol",
                          "setmaxnreg",
                          "mapa",
                          "getctarank",
                          "tex",
                          "tld4",
                          "suld",
                          "sust",
                          "sured",
                          "txq",
                          "suq",
                          "wgmma",
                          "tcgen05",
                          "multimem",
                          "tensormap",
                          "alloca",
                          "stacksave",
                          "stackrestore"});
}

}  // namespace

std::vector<std::string> split_words(std::string_view opcode) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= opcode.size();) {
    const std::size_t dot = std::min(opcode.find('.', at), opcode.size());
    words.emplace_back(opcode.substr(at, dot - at));
    at = dot + 1;
  }
  return words;
}

std::vector<std::string> normal_words(std::string_view opcode) {
  std::vector<std::string> words = split_words(opcode);
  const std::string base = words[0];
  if (words.size() < 3 || keeps_order(base)) return words;
  const auto key = [&](const std::string& word) {
    const int place = rank(base, word);
    // Layouts of a and b, counts and types mean what their order says.
    const bool named = place != of_types && !is_one_of(word, {"row", "col"});
    return std::pair(place, named ? std::string_view(word) : std::string_view());
  };
  std::stable_sort(words.begin() + 1, words.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return words;
}

std::string normal_opcode(std::string_view opcode) {
  std::string text;
  for (const std::string& word : normal_words(opcode)) text += (text.empty() ? "" : ".") + word;
  return text;
}

}  // namespace ww::simt
