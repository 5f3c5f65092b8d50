// SPDX-License-Identifier: Apache-2.0
#include "candidate/bare_kernel.h"
#include <algorithm>
#include <charconv>
#include "candidate/cursor.h"

namespace ww::candidate {
namespace {

struct Word {
  std::string_view text;  // a name, a number or one character
  std::size_t at = 0;
};

std::vector<Word> words_of(std::string_view code) {
  std::vector<Word> out;
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i + 1;
    if (is_name_part(code[i]))
      while (end < code.size() && is_name_part(code[end])) ++end;
    if (!is_blank(code[i]) && code[i] != '\n') out.push_back({code.substr(i, end - i), i});
    i = end;
  }
  return out;
}

std::optional<DType> dtype_of(const std::vector<std::string_view>& type) {
  const auto has = [&](std::string_view word) { return std::find(type.begin(), type.end(), word) != type.end(); };
  const bool is_unsigned = has("unsigned");
  if (has("float")) return DType::f32;
  if (has("double")) return DType::f64;
  if (has("half") || has("__half")) return DType::f16;
  if (has("__nv_bfloat16") || has("nv_bfloat16")) return DType::bf16;
  if (has("__nv_fp8_e4m3")) return DType::e4m3;
  if (has("__nv_fp8_e5m2")) return DType::e5m2;
  if (has("bool")) return DType::boolean;
  if (has("uint8_t") || (is_unsigned && has("char"))) return DType::u8;
  if (has("uint16_t") || (is_unsigned && has("short"))) return DType::u16;
  if (has("uint32_t") || (is_unsigned && !has("long"))) return DType::u32;
  if (has("int8_t") || has("char")) return DType::i8;
  if (has("uint64_t") || is_unsigned) return DType::u64;
  if (has("int64_t") || has("long")) return DType::i64;
  if (has("int") || has("int32_t")) return DType::i32;
  return {};
}

class KernelReader {
 public:
  explicit KernelReader(std::string_view text) : text_(text), code_(code_only(text)), words_(words_of(code_)) {}

  std::vector<BareKernel> read() const {
    std::vector<BareKernel> out;
    const bool dynamic = dynamic_shared();
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (word(i) == "__global__")
        if (auto kernel = kernel_at(i)) {
          kernel->dynamic_shared = dynamic;
          out.push_back(std::move(*kernel));
        }
    return out;
  }
  const std::vector<Word>& words() const { return words_; }

 private:
  std::string_view word(std::size_t i) const { return i < words_.size() ? words_[i].text : std::string_view(); }

  bool dynamic_shared() const {  // in one declaration: `extern "C"` before a kernel says nothing of its arrays
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (word(i) == "extern")
        for (std::size_t j = i + 1; j < words_.size() && word(j) != ";" && word(j) != "{"; ++j)
          if (word(j) == "__shared__") return true;
    return false;
  }

  std::size_t closed(std::size_t i) const {  // after the bracket that closes the one at i
    int depth = 0;
    for (; i < words_.size(); ++i) {
      if (word(i) == "(" || word(i) == "[" || word(i) == "{") ++depth;
      if ((word(i) == ")" || word(i) == "]" || word(i) == "}") && --depth == 0) return i + 1;
    }
    return words_.size();
  }

  std::optional<BareKernel> kernel_at(std::size_t i) const {
    BareKernel out;
    out.at = words_[i].at;
    std::size_t before = i;  // the words of this declaration
    while (before > 0 && word(before - 1) != ";" && word(before - 1) != "}") --before;
    for (std::size_t j = before; j < i; ++j) {
      out.extern_c |= word(j) == "extern" && word(j + 1) == "\"";
      out.is_template |= word(j) == "template";
    }
    for (++i; i < words_.size() && word(i + 1) != "("; ++i)
      if (word(i) == ";" || word(i) == "{") return {};
    if (word(i) == "__launch_bounds__") {
      std::int64_t most = 0;
      const std::string_view n = word(i + 2);
      const auto [stop, error] = std::from_chars(n.data(), n.data() + n.size(), most);
      if (error == std::errc{} && stop == n.data() + n.size() && most > 0 && most <= 1024) out.most_threads = most;
      for (i = closed(i + 1); i < words_.size() && word(i + 1) != "("; ++i)
        if (word(i) == ";" || word(i) == "{") return {};
    }
    if (i >= words_.size() || !is_name_start(word(i).empty() ? ' ' : word(i)[0])) return {};
    out.name = word(i);
    const std::size_t end = closed(i + 1);
    if (word(end) != "{") return {};
    parameters(i + 2, end - 1, out.parameters);
    return out;
  }

  void parameters(std::size_t from, std::size_t to, std::vector<KernelParameter>& out) const {
    int depth = 0;
    std::vector<std::size_t> part;
    for (std::size_t i = from; i <= to; ++i) {
      if (i < to && (word(i) == "<" || word(i) == "(" || word(i) == "[")) ++depth;
      if (i < to && (word(i) == ">" || word(i) == ")" || word(i) == "]")) --depth;
      if (i < to && (word(i) != "," || depth > 0)) {
        part.push_back(i);
        continue;
      }
      if (!part.empty() && !(part.size() == 1 && word(part[0]) == "void")) out.push_back(parameter(part));
      part.clear();
    }
  }

  KernelParameter parameter(const std::vector<std::size_t>& part) const {
    KernelParameter out;
    std::vector<std::string_view> type;
    std::size_t name = part.size();  // its place
    for (std::size_t i = 0; i < part.size(); ++i)
      if (is_name_start(word(part[i])[0])) name = i;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::string_view w = word(part[i]);
      if (w == "=") break;
      if (w == "*" || w == "[") out.pointer = true;
      if (w == "const" && !out.pointer) out.constant = true;
      if (i != name || part.size() == 1) type.push_back(w);
    }
    if (name > 0 && name < part.size()) out.name = word(part[name]);
    out.dtype = dtype_of(type);
    const std::size_t begin = words_[part.front()].at;
    const std::size_t end =
        name > 0 && name < part.size() ? words_[part[name]].at : words_[part.back()].at + word(part.back()).size();
    out.type = text_.substr(begin, end - begin);
    while (!out.type.empty() && is_blank(out.type.back())) out.type.pop_back();
    return out;
  }

  std::string_view text_;
  std::string code_;
  std::vector<Word> words_;
};

}  // namespace

std::string code_only(std::string_view text) {
  std::string out(text);
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      blank(i, end = std::min(text.find('\n', i), text.size()));
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      blank(i, end = close == text.npos ? text.size() : close + 2);
    } else if (text[i] == '"') {
      while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      blank(i + 1, end);
      end = std::min(end + 1, text.size());
    }
    i = end;
  }
  return out;
}

std::vector<BareKernel> bare_kernels(std::string_view cuda) { return KernelReader(cuda).read(); }

}  // namespace ww::candidate
