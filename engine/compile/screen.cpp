// SPDX-License-Identifier: Apache-2.0
#include "compile/screen.h"
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include "base/source.h"
#include "compile/cutlass.h"

namespace ww::compile {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool name_part(char c) { return name_start(c) || (c >= '0' && c <= '9'); }

// The text with "\r\n" as '\n' and, when wanted, with line continuations removed; `origin` maps back to the original
// offsets.
struct View {
  std::string text;
  std::vector<std::size_t> origin;
  View(std::string_view code, bool join) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (join && code[i] == '\\') {
        std::size_t k = i + 1;
        if (k < code.size() && code[k] == '\r') ++k;
        if (k < code.size() && code[k] == '\n') {
          i = k;
          continue;
        }
      }
      if (code[i] == '\r') continue;
      text += code[i];
      origin.push_back(i);
    }
    origin.push_back(code.size());
  }
};

struct Macro {
  bool function_like = false;
  std::string_view body;
  std::size_t at = 0;
};

class Screen {
 public:
  Screen(std::string_view code, const std::function<bool(const std::string&)>& allowed)
      : code_(code), allowed_(allowed) {}

  Result<std::vector<std::string>> run() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const char c = code_[i];
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\v' && c != '\f')
        return refuse(i, "a control character");
      // Alone, NVRTC takes it for a blank within a directive and for a line's end in messages.
      if (c == '\r' && (i + 1 == code_.size() || code_[i + 1] != '\n'))
        return refuse(i, "a carriage return within a line");
      if (c != '\\') continue;
      std::size_t k = i + 1;
      while (k < code_.size() && blank(code_[k])) ++k;
      if (k > i + 1 && (k == code_.size() || code_[k] == '\n' || code_[k] == '\r'))
        return refuse(i, "blanks after a backslash at a line's end");
    }
    for (const char* trigraph : {"?\?=", "?\?/"})
      if (const std::size_t at = code_.find(trigraph); at != std::string_view::npos) return refuse(at, "a trigraph");
    const View physical(code_, false), joined(code_, true);
    if (!directives(physical, false) || !directives(joined, true) || !words(joined) || !clock_words(joined) ||
        !conditions(joined))
      return fail(error_);
    std::sort(includes_.begin(), includes_.end());
    includes_.erase(std::unique(includes_.begin(), includes_.end()), includes_.end());
    return includes_;
  }

 private:
  tl::unexpected<Error> refuse(std::size_t at, std::string what, std::string hint = {}) const {
    const Diagnostic d = diagnostic_at(code_, {at, at + 1}, what + " is not accepted in a candidate", std::move(hint));
    return fail(Code::compile, fmt::format("candidate.cu({}): column {}: {}", d.place.line, d.place.column, d.message),
                render(d, code_, "candidate.cu"));
  }
  bool no(const View& v, std::size_t at, std::string what, std::string hint = {}) {
    error_ = refuse(v.origin[std::min(at, v.text.size())], std::move(what), std::move(hint)).value();
    return false;
  }

  // Past blanks and comments; newlines only inside comments.
  static std::size_t skip(const std::string& t, std::size_t i) {
    for (;;) {
      while (i < t.size() && blank(t[i])) ++i;
      if (t.compare(i, 2, "/*") != 0) return i;
      const std::size_t end = t.find("*/", i + 2);
      if (end == std::string::npos) return t.size();
      i = end + 2;
    }
  }
  static std::string_view name_at(const std::string& t, std::size_t i) {
    std::size_t end = i;
    if (end < t.size() && name_start(t[end]))
      while (end < t.size() && name_part(t[end])) ++end;
    return std::string_view(t).substr(i, end - i);
  }
  // Could '#' at `i` be the first token of its line? Before it only blanks, bytes that may pass for blanks, or the end
  // of a comment.
  static bool begins_line(const std::string& t, std::size_t i) {
    for (; i > 0 && t[i - 1] != '\n'; --i) {
      if (i >= 2 && t[i - 1] == '/' && t[i - 2] == '*') return true;
      if (!blank(t[i - 1]) && static_cast<unsigned char>(t[i - 1]) < 0x80) return false;
    }
    return true;
  }

  bool directives(const View& v, bool joined) {
    const std::string& t = v.text;
    for (std::size_t i = 0; i < t.size(); ++i) {
      const bool digraph = t.compare(i, 2, "%:") == 0;
      if (t[i] != '#' && !digraph) continue;
      if (!begins_line(t, i)) continue;
      const std::size_t at = skip(t, i + (digraph ? 2 : 1));
      const std::string_view word = name_at(t, at);
      static const std::set<std::string_view> plain{"define",  "undef",    "if",   "ifdef", "ifndef", "elif",
                                                    "elifdef", "elifndef", "else", "endif", "error",  "warning"};
      if (word == "include") {
        if (!include(v, at, at + word.size())) return false;
      } else if (word == "pragma") {
        if (joined && !pragma(v, at, std::string_view(t).substr(std::min(skip(t, at + 6), t.size())))) return false;
      } else if (joined ? !(plain.contains(word) || at >= t.size() || t[at] == '\n')
                        : word.starts_with("include") || word == "import" || word == "embed" || word == "line") {
        return no(v, i, word.empty() ? "this line that begins with '#'" : fmt::format("#{}", word));
      }
      if (joined && (word == "define" || word == "undef")) {
        const std::size_t name = skip(t, at + word.size());
        if (name_at(t, name).starts_with("__"))
          return no(v, name, fmt::format("#{} of a name that begins with two underscores", word),
                    "such names are the compiler's own");
        if (word == "define") define(t, name);
      }
      if (joined && (word == "if" || word == "elif")) conditions_.push_back(line_from(t, at + word.size()));
    }
    return true;
  }

  static std::string_view line_from(const std::string& t, std::size_t begin) {
    return std::string_view(t).substr(begin, std::min(t.find('\n', begin), t.size()) - begin);
  }

  bool include(const View& v, std::size_t at, std::size_t after) {
    const std::string& t = v.text;
    const std::size_t open = skip(t, after);
    const char close = open < t.size() && t[open] == '<' ? '>' : '"';
    const std::size_t line_end = std::min(t.find('\n', open), t.size());
    const std::size_t end =
        open < t.size() && (t[open] == '<' || t[open] == '"') ? t.find(close, open + 1) : std::string::npos;
    if (end == std::string::npos || end > line_end) return no(v, at, "an #include without a plain name");
    const std::string name = t.substr(open + 1, end - open - 1);
    if (!allowed_(name))
      return no(v, at, "this #include",
                is_cutlass_name(name) ? "of CUTLASS, only headers for device code can be included, and only where "
                                        "'doctor' finds it"
                                      : "only CUDA's device headers can be included, such as <cuda_fp16.h>");
    includes_.push_back(name);
    return true;
  }

  bool pragma(const View& v, std::size_t at, std::string_view text) {
    static const std::set<std::string_view> known{"unroll",
                                                  "nounroll",
                                                  "once",
                                                  "pack",
                                                  "push_macro",
                                                  "pop_macro",
                                                  "diag_suppress",
                                                  "diag_default",
                                                  "diag_warning",
                                                  "diag_error",
                                                  "nv_diag_suppress",
                                                  "nv_diag_default",
                                                  "nv_diag_warning",
                                                  "nv_diag_error",
                                                  "nv_diag_once",
                                                  "nv_diag_remark",
                                                  "nv_diagnostic",
                                                  "nv_exec_check_disable",
                                                  "STDC",
                                                  "region",
                                                  "endregion"};
    const std::string word(name_at(std::string(text.substr(0, 64)), 0));
    return known.contains(word) || no(v, at, fmt::format("#pragma {}", word));
  }

  void define(const std::string& t, std::size_t i) {
    const std::string_view name = name_at(t, i);
    const std::string_view rest = line_from(t, i + name.size());
    macros_[std::string(name)].push_back({!rest.empty() && rest.front() == '(', rest, i});
  }

  // What is not the same from one compilation or compiler to the next, also where it could be pasted together from
  // parts.
  bool clock_words(const View& v) {
    static constexpr std::string_view clocks[] = {"__TIME__",
                                                  "__DATE__",
                                                  "__TIMESTAMP__",
                                                  "__CUDACC_RTC__",
                                                  "__CUDACC_VER_MAJOR__",
                                                  "__CUDACC_VER_MINOR__",
                                                  "__CUDACC_VER_BUILD__",
                                                  "__CUDA_API_VER_MAJOR__",
                                                  "__CUDA_API_VER_MINOR__",
                                                  "__NVCC__",
                                                  "__NVCOMPILER"};
    const std::string& t = v.text;
    std::size_t lone = std::string::npos;  // a "_" that a part such as "_TIME__" could follow
    int lines = 0;                         // "_" alone
    bool follows_one = false, follows_two = false;
    for (std::size_t i = 0; i < t.size();) {
      if (!name_part(t[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < t.size() && name_part(t[i])) ++i;
      const std::string_view word = std::string_view(t).substr(begin, i - begin);
      if (word == "_") {
        if (lines++ == 0) lone = begin;
        continue;
      }
      for (const std::string_view clock : clocks) {
        if (clock.starts_with(word) && word.starts_with("__"))
          return no(v, begin, std::string(word),
                    "a kernel is the same whenever it is compiled, and by whichever CUDA compiler");
        follows_one = follows_one || clock.substr(1).starts_with(word);
        follows_two = follows_two || clock.substr(2).starts_with(word);
      }
    }
    const bool pastes = t.find("##") != std::string::npos || t.find("%:%:") != std::string::npos;
    const bool whole = (lines > 0 && follows_one) || (lines > 1 && follows_two);
    return !pastes || !whole || no(v, lone, "_ beside a part of a name that is the compiler's own");
  }

  // Words that name files wherever they stand.
  bool words(const View& v) {
    const std::string& t = v.text;
    for (const char* word : {"__has_include", "__has_embed", "__pragma", "__include_next"})
      if (const std::size_t at = t.find(word); at != std::string::npos) return no(v, at, word);
    for (std::size_t at = t.find("_Pragma"); at != std::string::npos; at = t.find("_Pragma", at + 1)) {
      if ((at > 0 && name_part(t[at - 1])) || (at + 7 < t.size() && name_part(t[at + 7]))) continue;
      std::size_t i = skip(t, at + 7);
      if (i < t.size() && t[i] == '(')
        i = skip(t, i + 1);
      else
        return no(v, at, "_Pragma without a plain string");
      if (i >= t.size() || t[i] != '"') return no(v, at, "_Pragma without a plain string");
      if (!pragma(v, at, std::string_view(t).substr(skip(t, i + 1)))) return false;
    }
    return true;
  }

  // "__has_include" may be pasted together from parts, so that the condition of an #if would tell whether a file
  // exists. That takes a macro with arguments, of the text's own or of a header; conditions may therefore call nothing,
  // neither directly nor through a macro.
  bool conditions(const View& v) {
    for (const std::string_view c : conditions_) {
      std::set<std::string> seen;
      std::vector<std::string_view> todo{c};
      while (!todo.empty()) {
        const std::string_view text = todo.back();
        todo.pop_back();
        const std::size_t at = static_cast<std::size_t>(text.data() - v.text.data());
        if (text.find("##") != std::string_view::npos || text.find("%:") != std::string_view::npos ||
            text.find('"') != std::string_view::npos)
          return no(v, at, "a pasted or quoted name in the condition of an #if");
        for (std::size_t i = 0; i < text.size();) {
          if (text[i] >= '0' && text[i] <= '9') {  // a number with its suffix
            while (i < text.size() && name_part(text[i])) ++i;
            continue;
          }
          if (!name_start(text[i])) {
            if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/') break;
            ++i;
            continue;
          }
          const std::size_t begin = i;
          while (i < text.size() && name_part(text[i])) ++i;
          const std::string name(text.substr(begin, i - begin));
          std::size_t next = skip(v.text, at + i) - at;
          static const std::set<std::string_view> callable{
              "defined", "and", "or", "not", "__has_builtin", "__has_attribute", "__has_cpp_attribute"};
          if (next < text.size() && text[next] == '(' && !callable.contains(name))
            return no(v, at + begin, fmt::format("the call of '{}' in the condition of an #if", name),
                      "use if constexpr, or a macro without arguments");
          if (name == "defined") {  // its operand is not expanded
            while (next < text.size() && (text[next] == '(' || blank(text[next]))) ++next;
            while (next < text.size() && name_part(text[next])) ++next;
            i = std::max(i, std::min(next, text.size()));
            continue;
          }
          if (const auto m = macros_.find(name); m != macros_.end() && seen.insert(name).second)
            for (const Macro& each : m->second)
              if (!each.function_like) todo.push_back(each.body);
        }
      }
    }
    return true;
  }

  std::string_view code_;
  const std::function<bool(const std::string&)>& allowed_;
  std::vector<std::string> includes_;
  std::map<std::string, std::vector<Macro>> macros_;
  std::vector<std::string_view> conditions_;
  Error error_;
};

}  // namespace

Result<std::vector<std::string>> screen(std::string_view code, const std::function<bool(const std::string&)>& allowed) {
  return Screen(code, allowed).run();
}

}  // namespace ww::compile
