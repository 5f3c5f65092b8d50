// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>
#include <set>
#include "base/hash.h"
#include "candidate/candidate.h"
#include "candidate/cursor.h"
#include "candidate/directives.h"
#include "candidate/text.h"
#include "op/names.h"

namespace ww::candidate {
namespace {

constexpr std::size_t max_diagnostics = 50, max_axes = 32, max_values = 256, max_temps = 64, max_launches = 64,
                      max_args = 128, max_rank = 8, max_requires = 64, max_line = 4096;

class Reader {
 public:
  Reader(std::string_view text, Language language) : text_(text) { out_.language = language; }

  std::vector<Diagnostic> diagnostics;

  Candidate read() {
    for (auto d = next_directive(text_); d; d = next_directive(text_, d->line.end)) line(*d);
    const Span first{0, std::min(text_.find('\n'), text_.size())};
    if (out_.op.empty() && diagnostics.empty())
      error(first, "the candidate has no \"//@ candidate OP\" line",
            "begin the file with //@ candidate and the op's name");
    else if (out_.launches.empty() && diagnostics.empty())
      error(first, "the candidate launches nothing", "add a line //@ launch KERNEL grid(…) block(…) args(…)");
    if (diagnostics.empty()) check_kernels();
    out_.text = std::string(text_);
    out_.hash = Hasher().field(language_name(out_.language)).field(text_).hex();
    return std::move(out_);
  }

 private:
  void error(Span at, std::string message, std::string hint = {}) {
    if (diagnostics.size() < max_diagnostics)
      diagnostics.push_back(diagnostic_at(text_, at, std::move(message), std::move(hint)));
  }

  void line(const Directive& d) {
    const auto [at, end] = d.span;
    if (d.span.end - d.line.begin > max_line)
      return error({at, at + 3}, fmt::format("a directive may have at most {} bytes", max_line));
    // A backslash would join the next line to this comment, and so hide it from the compiler.
    if (text_[end - 1] == '\\') return error({end - 1, end}, "a directive cannot end with a backslash");
    Cursor c(text_, {at + 3, end});
    const Span word = c.here();
    const std::string_view what = c.name();
    static const std::vector<std::string> known{"candidate", "title",  "structure", "tune",  "temp",
                                                "zero",      "launch", "require",   "option"};
    if (std::find(known.begin(), known.end(), what) == known.end()) {
      const std::string meant = op::did_you_mean(what, known);
      return error(word, what.empty() ? "a directive's name is missing" : fmt::format("unknown directive '{}'", what),
                   meant.empty() ? "the directives are " + fmt::format("{}", fmt::join(known, ", ")) : meant);
    }
    if (what != "candidate" && out_.op.empty() && !missing_name_reported_) {
      missing_name_reported_ = true;
      error(word, "the first directive must be \"//@ candidate OP\"");
    }
    if (what == "candidate")
      candidate(c, word);
    else if (what == "title")
      title(c, word);
    else if (what == "structure")
      structure(c, word);
    else if (what == "tune")
      tune(c);
    else if (what == "temp")
      temp(c);
    else if (what == "zero")
      zero(c);
    else if (what == "launch")
      launch(c, {at, end});
    else if (what == "require")
      require(c);
    else
      option(c);
  }

  bool ends(Cursor& c) {
    if (c.at_end()) return true;
    error(c.here(), fmt::format("unexpected '{}' after the directive", c.text(c.here())));
    return false;
  }

  void candidate(Cursor& c, Span word) {
    const Span at = c.here();
    const std::string_view name = c.name();
    if (name.empty()) return error(at, "the op's name is missing", "write //@ candidate OP");
    if (!out_.op.empty()) return error(word, "a second \"candidate\" line");
    out_.op = name;
    ends(c);
  }

  void title(Cursor& c, Span word) {
    if (!out_.title.empty()) return error(word, "a second \"title\" line");
    out_.title = c.rest();
    if (out_.title.empty()) error(word, "the title is empty");
  }

  void structure(Cursor& c, Span word) {
    if (!out_.structure.empty()) return error(word, "a second \"structure\" line");
    const Span at = c.here();
    out_.structure = c.word();
    const bool good =
        !out_.structure.empty() && out_.structure.size() <= 64 &&
        std::all_of(out_.structure.begin(), out_.structure.end(), [](char x) { return is_name_part(x) || x == '-'; });
    if (!good) return error(at, "the structure is one word of letters, digits, '-' and '_'");
    ends(c);
  }

  // Names that reach the compiler as macros must not disturb the language or the compiler's own macros.
  bool macro_name(std::string_view name, Span at) {
    static const std::set<std::string_view> words{
        "alignas",  "alignof",   "asm",       "auto",     "bool",     "break",    "case",     "char",   "class",
        "const",    "constexpr", "continue",  "decltype", "default",  "defined",  "delete",   "do",     "double",
        "else",     "enum",      "extern",    "false",    "float",    "for",      "goto",     "if",     "inline",
        "int",      "long",      "namespace", "new",      "operator", "private",  "public",   "return", "short",
        "signed",   "sizeof",    "static",    "struct",   "switch",   "template", "this",     "true",   "typedef",
        "typename", "union",     "unsigned",  "using",    "virtual",  "void",     "volatile", "while"};
    if (name.size() == 1)
      return error(at, fmt::format("the tuned name '{}' is too short", name),
                   "give it two letters or more: single ones are template parameters in NVIDIA's headers, which a "
                   "macro would break"),
             false;
    if (name.front() == '_')
      return error(at, fmt::format("the name '{}' begins with '_', which is reserved for the compiler", name)), false;
    if (words.contains(name)) return error(at, fmt::format("'{}' is a keyword and cannot be tuned", name)), false;
    return true;
  }

  void tune(Cursor& c) {
    const Span at = c.here();
    const std::string_view name = c.name();
    if (name.empty()) return error(at, "the tuned name is missing", "write //@ tune NAME = 128 | 256");
    if (!macro_name(name, at)) return;
    if (declared(name, at)) return;
    if (!c.take('=')) return error(c.here(), "'=' expected", "write //@ tune NAME = 128 | 256");
    TuneAxis axis;
    axis.name = name;
    const std::size_t begin = c.position();
    do {
      const Span value_at = c.here();
      const auto value = c.integer();
      if (!value) return error(value_at, fmt::format("a value of '{}' is not an integer", name));
      if (std::find(axis.values.begin(), axis.values.end(), *value) != axis.values.end())
        return error(value_at, fmt::format("the value {} is given twice", *value));
      axis.values.push_back(*value);
      if (axis.values.size() > max_values) return error(value_at, fmt::format("more than {} values", max_values));
      axis.span = c.since(begin);
    } while (c.take('|'));
    if (!ends(c)) return;
    if (out_.tune.size() == max_axes) return error(at, fmt::format("more than {} tune lines", max_axes));
    names_.insert(std::string(name));
    out_.tune.push_back(std::move(axis));
  }

  bool declared(std::string_view name, Span at) {
    if (!names_.contains(std::string(name))) return false;
    error(at, fmt::format("'{}' is declared twice", name));
    return true;
  }

  op::ExprPtr expression(Span span, std::string_view what) {
    if (span.begin == span.end) {
      error({span.begin, span.begin + 1}, fmt::format("{} is empty", what));
      return nullptr;
    }
    auto parsed = op::parse_integer_expr(text_.substr(span.begin, span.end - span.begin));
    if (parsed) return *parsed;
    const Error& wrong = parsed.error();
    const std::size_t at = span.begin + (wrong.place ? static_cast<std::size_t>(wrong.place->column) - 1 : 0);
    error({std::min(at, span.end - 1), span.end},
          fmt::format("{} is not an integer expression: {}", what, wrong.message), wrong.hint);
    return nullptr;
  }

  void temp(Cursor& c) {
    const Span at = c.here();
    const std::string_view name = c.name();
    if (name.empty()) return error(at, "the temporary's name is missing", "write //@ temp NAME: f32[R, C]");
    if (declared(name, at)) return;
    if (!c.take(':')) return error(c.here(), "':' and a dtype expected", "write //@ temp NAME: f32[R, C]");
    Temp t;
    t.name = name;
    const Span type_at = c.here();
    const std::string_view type = c.name();
    const auto dtype = dtype_from_name(type);
    if (!dtype) return error(type_at, fmt::format("'{}' is not a dtype", type), std::string(dtype_list));
    t.dtype = *dtype;
    if (!c.at_end()) {
      const Span open = c.here();
      const auto dims = c.group('[', ']');
      if (!dims) return error(open, "the shape needs brackets: [R, C]");
      if (dims->empty() || dims->size() > max_rank)
        return error(open, fmt::format("a shape has 1 to {} dimensions", max_rank));
      for (const Span d : *dims) {
        auto e = expression(d, "a dimension");
        if (!e) return;
        t.shape.push_back(std::move(e));
      }
    }
    if (!ends(c)) return;
    if (out_.temps.size() == max_temps) return error(at, fmt::format("more than {} temporaries", max_temps));
    names_.insert(std::string(name));
    out_.temps.push_back(std::move(t));
  }

  void zero(Cursor& c) {
    const Span at = c.here();
    const std::string_view name = c.name();
    if (name.empty()) return error(at, "the tensor's name is missing", "write //@ zero NAME");
    if (std::find(out_.zeroed.begin(), out_.zeroed.end(), name) != out_.zeroed.end())
      return error(at, fmt::format("'{}' is zeroed twice", name));
    if (out_.zeroed.size() == max_temps) return error(at, fmt::format("more than {} zero lines", max_temps));
    out_.zeroed.emplace_back(name);
    ends(c);
  }

  void launch(Cursor& c, Span span) {
    Launch l;
    l.span = span;
    const Span at = c.here();
    l.kernel = c.name();
    if (l.kernel.empty())
      return error(at, "the kernel's name is missing", "write //@ launch KERNEL grid(…) block(…) args(…)");
    std::set<std::string_view> seen;
    while (!c.at_end()) {
      const Span part_at = c.here();
      const std::string_view part = c.name();
      static const std::vector<std::string> parts{"grid",        "block",    "shared", "cluster",
                                                  "cooperative", "carveout", "args"};
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
        const std::string meant = op::did_you_mean(part, parts);
        return error(part_at, fmt::format("unknown part '{}' of a launch", c.text(part_at)),
                     meant.empty()
                         ? "a launch has grid(…) block(…) [shared(…)] [cluster(…)] [cooperative] [carveout(…)] args(…)"
                         : meant);
      }
      if (!seen.insert(part).second) return error(part_at, fmt::format("'{}' is given twice", part));
      if (part == "cooperative") {
        l.cooperative = true;
        continue;
      }
      const Span open = c.here();
      const auto pieces = c.group('(', ')');
      if (!pieces) return error(open, fmt::format("'{}' needs a closed list in parentheses", part));
      if (part == "args") {
        if (pieces->size() > max_args) return error(part_at, fmt::format("more than {} arguments", max_args));
        for (const Span p : *pieces) {
          auto e = expression(p, "an argument");
          if (!e) return;
          l.args.push_back(std::move(e));
        }
      } else if (part == "shared") {
        if (pieces->size() != 1) return error(part_at, "'shared' expects one number of bytes");
        if (!(l.shared = expression((*pieces)[0], "shared"))) return;
      } else if (part == "carveout") {
        if (pieces->size() != 1) return error(part_at, "'carveout' expects one number, in per cent");
        if (!(l.carveout = expression((*pieces)[0], "carveout"))) return;
      } else {
        if (pieces->empty() || pieces->size() > 3)
          return error(part_at, fmt::format("'{}' expects 1 to 3 numbers, not {}", part, pieces->size()));
        auto& into = part == "grid" ? l.grid : part == "block" ? l.block : l.cluster;
        for (std::size_t i = 0; i < pieces->size(); ++i)
          if (!(into[i] = expression((*pieces)[i], part))) return;
      }
    }
    for (const char* needed : {"grid", "block", "args"})
      if (!seen.contains(needed)) return error(at, fmt::format("the launch of '{}' has no {}(…)", l.kernel, needed));
    if (out_.launches.size() == max_launches) return error(at, fmt::format("more than {} launches", max_launches));
    out_.launches.push_back(std::move(l));
    kernel_at_.push_back(at);
  }

  void require(Cursor& c) {
    const std::size_t begin = c.position();
    const std::string_view rest = c.rest();
    if (out_.requires_.size() == max_requires)
      return error({begin, begin + rest.size()}, fmt::format("more than {} require lines", max_requires));
    if (auto e = expression({begin, begin + rest.size()}, "a condition")) out_.requires_.push_back(std::move(e));
  }

  void option(Cursor& c) {
    const std::size_t begin = c.position();
    const std::string_view rest = c.rest();
    const Span at{begin, begin + std::max<std::size_t>(rest.size(), 1)};
    if (auto good = check_option(rest); !good) return error(at, good.error().message);
    const std::string_view kind = rest.substr(0, rest.find('='));
    for (const std::string& o : out_.options)
      if (std::string_view(o).substr(0, o.find('=')) == kind)
        return error(at, fmt::format("the option '{}' is given twice", kind));
    out_.options.emplace_back(rest);
  }

  // A launched kernel must be named in the code; that it is a kernel is the compiler's to say.
  void check_kernels() {
    const std::set<std::string_view> words = code_words(text_);
    for (std::size_t i = 0; i < out_.launches.size(); ++i)
      if (!words.contains(out_.launches[i].kernel))
        error(kernel_at_[i], fmt::format("the code has no kernel '{}'", out_.launches[i].kernel),
              out_.language == Language::cuda ? "kernels are declared extern \"C\" __global__ void NAME(…)"
                                              : "kernels are declared .visible .entry NAME(…)");
  }

  std::string_view text_;
  Candidate out_;
  std::set<std::string> names_;
  std::vector<Span> kernel_at_;
  bool missing_name_reported_ = false;
};

}  // namespace

std::string_view language_name(Language language) { return enum_name(language); }

Result<Language> language_from_name(std::string_view name) {
  if (name == "cuda") return Language::cuda;
  if (name == "ptx") return Language::ptx;
  return fail(Code::invalid_argument, "'" + std::string(name) + "' is not a language of candidates (cuda, ptx)");
}

Result<Candidate> parse(std::string_view text, Language language, std::string_view name) {
  if (const auto mark = byte_order_mark(text)) return fail(parse_error({*mark}, text, name));
  WW_TRY(check_text(text));
  Reader reader(text, language);
  Candidate out = reader.read();
  if (reader.diagnostics.empty()) return out;
  return fail(parse_error(reader.diagnostics, text, name));
}

}  // namespace ww::candidate
