// SPDX-License-Identifier: Apache-2.0
#include "identity/structure.h"
#include <algorithm>
#include <cmath>

namespace ww::identity {
namespace {

enum Feature : std::uint8_t {
  kernels,
  launches,
  temps,
  axes,
  dynamic_shared,
  clusters,
  cooperative,
  shared,
  vectors,
  async,
  cache,
  atomics,
  barriers,
  warp_sync,
  shuffles,
  tensor,
  half,
  fast,
  assembly,
  loops,
  branches,
  unroll,
  functions,
  words,
};
static_assert(words + 1 == Shape::count);

constexpr std::array<double, Shape::count> weights = {
    2, 1,   1,   0.5, 1.5, 2, 2,  // plan
    2, 2,   2,   1,   1.5,        // memory
    1, 1,   2,   3,               // together
    1, 0.5, 1,                    // arithmetic
    1, 0.5, 0.5, 0.5, 0.5,        // flow
};
constexpr double word_weight = 3;

struct Word {
  std::string_view begins;  // of the word; with `whole` all of it
  Feature feature;
  bool whole;
};
constexpr Word table[] = {
    {"__global__", kernels, true},
    {".entry", kernels, true},
    {"__shared__", shared, true},
    {".shared", shared, true},
    {"__syncthreads", barriers, false},
    {"bar.", barriers, false},
    {"barrier.", barriers, false},
    {"mbarrier", barriers, false},
    {"grid.sync", barriers, true},
    {"__syncwarp", warp_sync, true},
    {"warp.sync", warp_sync, false},
    {"tile.sync", warp_sync, false},
    {"__shfl", shuffles, false},
    {"shfl.", shuffles, false},
    {"__reduce_", shuffles, false},
    {"redux.", shuffles, false},
    {"__ballot", shuffles, false},
    {"vote.", shuffles, false},
    {"__any_sync", shuffles, true},
    {"__all_sync", shuffles, true},
    {"__match_", shuffles, false},
    {"mma", tensor, false},
    {"wmma", tensor, false},
    {"wgmma", tensor, false},
    {"ldmatrix", tensor, false},
    {"tcgen05", tensor, false},
    {"cp.async", async, false},
    {"__pipeline_", async, false},
    {"memcpy_async", async, false},
    {"__nv_memcpy_async", async, false},
    {"__ldg", cache, false},
    {"__ldc", cache, false},
    {"__ldlu", cache, false},
    {"__stc", cache, false},
    {"__stwt", cache, false},
    {"createpolicy", cache, false},
    {"prefetch", cache, false},
    {"ld.global.nc", cache, false},
    {"__builtin_nontemporal", cache, false},
    {"atomic", atomics, false},
    {"atom.", atomics, false},
    {"red.", atomics, false},
    {"half", half, true},
    {"half2", half, true},
    {"__half", half, false},
    {"__hfma", half, false},
    {"__nv_bfloat", half, false},
    {"bf16", half, false},
    {"fma", fast, false},
    {"__fma", fast, false},
    {"__exp", fast, false},
    {"exp2f", fast, true},
    {"ex2.", fast, false},
    {"rsqrt", fast, false},
    {"__frsqrt", fast, false},
    {"__fdividef", fast, true},
    {"__log", fast, false},
    {"rcp.", fast, false},
    {"__frcp", fast, false},
    {"__sinf", fast, true},
    {"__cosf", fast, true},
    {"asm", assembly, true},
    {"for", loops, true},
    {"while", loops, true},
    {"do", loops, true},
    {"bra", branches, false},
    {"if", branches, true},
    {"unroll", unroll, true},
    {"__device__", functions, true},
    {"__forceinline__", functions, true},
    {".func", functions, true},
};
constexpr std::string_view vector_types[] = {"float",     "int",   "uint",   "double", "longlong",
                                             "ulonglong", "short", "ushort", "char",   "uchar"};

bool is_vector(std::string_view word) {
  if (word.size() < 2) return false;
  if (word.find(".v2") != std::string_view::npos || word.find(".v4") != std::string_view::npos ||
      word.find(".v8") != std::string_view::npos)
    return true;
  const char last = word.back();
  if (last != '2' && last != '4' && last != '8') return false;
  const std::string_view type = word.substr(0, word.size() - 1);
  return std::find(std::begin(vector_types), std::end(vector_types), type) != std::end(vector_types);
}

void count_word(std::string_view word, Shape& shape) {
  ++shape.counts[words];
  if (is_vector(word)) ++shape.counts[vectors];
  if (word.starts_with("ld.shared") || word.starts_with("st.shared")) return;
  for (const Word& entry : table)
    if (word[0] == entry.begins[0] && (entry.whole ? word == entry.begins : word.starts_with(entry.begins))) {
      ++shape.counts[entry.feature];
      return;
    }
}

void count_directive(std::string_view line, Shape& shape) {
  const auto from = line.find_first_not_of(" \t");
  if (from == std::string_view::npos) return;
  line.remove_prefix(from);
  if (line.starts_with("launch ")) {
    ++shape.counts[launches];
    if (line.find(" shared(") != std::string_view::npos) ++shape.counts[dynamic_shared];
    if (line.find(" cluster(") != std::string_view::npos) ++shape.counts[clusters];
    if (line.find(" cooperative") != std::string_view::npos) ++shape.counts[cooperative];
  } else if (line.starts_with("temp ")) {
    ++shape.counts[temps];
  } else if (line.starts_with("tune ")) {
    ++shape.counts[axes];
  }
}

bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

}  // namespace

Shape shape_of(std::string_view text, std::string_view word) {
  Shape shape;
  shape.word = word;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      if (i + 2 < text.size() && text[i + 2] == '@') count_directive(text.substr(i + 3, end - i - 3), shape);
      i = end;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
    } else if (starts_word(c) || (c == '.' && i + 1 < text.size() && starts_word(text[i + 1]))) {
      // Instructions of PTX go on through their dots, inside of asm strings too.
      std::size_t end = i + 1;
      while (end < text.size() && (continues_word(text[end]) ||
                                   (text[end] == '.' && end + 1 < text.size() && continues_word(text[end + 1]))))
        ++end;
      count_word(text.substr(i, end - i), shape);
      i = end;
    } else if (c >= '0' && c <= '9') {  // numbers, with their letters: 0x1f, 1.0f
      while (i < text.size() && (continues_word(text[i]) || text[i] == '.')) ++i;
    } else {
      ++i;
    }
  }
  return shape;
}

double distance(const Shape& a, const Shape& b) {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < Shape::count; ++i) {
    if (a.counts[i] == b.counts[i]) {
      weight += a.counts[i] > 0 ? weights[i] : 0;
      continue;
    }
    weight += weights[i];
    if (a.counts[i] == 0 || b.counts[i] == 0) {
      sum += weights[i];
      continue;
    }
    const double la = std::log2(1.0 + a.counts[i]), lb = std::log2(1.0 + b.counts[i]);
    sum += weights[i] * 0.5 * std::abs(la - lb) / std::max(la, lb);
  }
  if (!a.word.empty() || !b.word.empty()) {
    weight += word_weight;
    if (a.word != b.word) sum += word_weight;
  }
  return weight > 0 ? sum / weight : 0;
}

}  // namespace ww::identity
