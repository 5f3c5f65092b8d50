// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string_view>
#include "search/source.h"

namespace ww::search {
namespace {

constexpr std::string_view reserved_words =
    "alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const constexpr "
    "const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false "
    "float for friend goto if inline int long mutable namespace new noexcept not nullptr operator or private "
    "protected public register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename union "
    "unsigned using virtual void volatile wchar_t while xor threadIdx blockIdx blockDim gridDim warpSize dim3 "
    "half half2 float2 float4 int2 int4 main std exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan "
    "atan atan2 sinh cosh tanh erf pow abs fabs floor ceil round rint trunc min max fmin fmax fmod isnan isinf "
    "sign clamp signbit y0 y1 yn j0 j1 jn gamma_ assert printf memcpy memset malloc free time clock index "
    "size_t uint ulong ushort linux unix inf nan abort exit div norm norm3d normf hypot __half __nv_bfloat16 "
    "NULL INFINITY NAN lgamma tgamma erfc frexp ldexp remainder fma cbrt squared cubed to_the_fourth sign_of "
    "abs_of integer_power INF mi nj lane_column ";

std::set<std::string_view> split(std::string_view text) {  // each word is followed by a blank
  std::set<std::string_view> words;
  for (std::size_t at = 0, end; (end = text.find(' ', at)) != text.npos; at = end + 1)
    words.insert(text.substr(at, end - at));
  return words;
}

bool reserved_beginning(const std::string& word) {
  for (const char* prefix : {"warp_", "block_", "floor_", "__"})
    if (word.starts_with(prefix)) return true;
  return false;
}

}  // namespace

bool reserved_identifier(const std::string& word) {
  static const std::set<std::string_view> words = split(reserved_words);
  return reserved_beginning(word) || words.contains(word);
}

std::string free_beginning(const std::string& word) { return reserved_beginning(word) ? "v" + word : word; }

}  // namespace ww::search
