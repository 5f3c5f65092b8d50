// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/notation.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include "base/ascii.h"
#include "base/dtype.h"
#include "base/name_chars.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using Texts = std::vector<std::string>;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::array<std::array<std::string_view, 4>, 4> usual_sizes = {
    {{"N"}, {"R", "C"}, {"B", "R", "C"}, {"N", "C", "H", "W"}}};

// A place in the text that moves on over what it is asked for.
class Cursor {
 public:
  Cursor(std::string_view text, std::size_t at) : text_(text), at_(at) {}
  std::size_t at() const { return at_; }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void spaces() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }
  bool take(std::string_view sign) {
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }
  bool take_spaced(std::string_view sign) {
    const std::size_t back = at_;
    spaces();
    if (take(sign)) {
      spaces();
      return true;
    }
    at_ = back;
    return false;
  }
  bool take_any(std::initializer_list<std::string_view> signs) {
    return std::any_of(signs.begin(), signs.end(), [&](std::string_view s) { return take_spaced(s); });
  }
  std::string name() {
    if (!letter(next())) return {};
    const std::size_t from = at_;
    while (in_name(next())) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }
  std::string number() {
    const std::size_t from = at_;
    while (digit(next()) || (next() == '.' && at_ > from && at_ + 1 < text_.size() && digit(text_[at_ + 1]))) ++at_;
    if (in_name(next())) at_ = from;  // 3x, 1e5
    return std::string(text_.substr(from, at_ - from));
  }
  std::string size() {
    std::string out = number();
    return out.empty() ? name() : out;
  }
  // "(64, 32)", "[64, 32]", "64, 32" of numbers or of names; nothing where it is not that.
  Texts list(bool numbers) {
    const std::size_t back = at_;
    const char close = take("(") ? ')' : take("[") ? ']' : '\0';
    Texts out;
    for (spaces();; spaces()) {
      std::string item = numbers ? number() : name();
      if (item.empty()) break;
      out.push_back(std::move(item));
      if (!take_any({",", "×"}) && !(numbers && take_spaced("x"))) break;
    }
    if (close && !take_spaced(std::string_view(&close, 1))) out.clear();
    if (out.empty()) at_ = back;
    return out;
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

std::string joined(const Texts& parts, std::string_view between) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : std::string(between)) + p;
  return out;
}

class Notation {
 public:
  Notation(const Library& library, std::string_view text)
      : tables_(library.vocabulary().tables()), text_(text), lower_(ascii_lower(std::string(text))) {}

  std::optional<PlainNotation> run() {
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t end = step(i);
      i = std::max(end, i + 1);
    }
    if (auto groups = groups_of_channels(text_); groups && edits_.empty()) edits_.push_back(std::move(*groups));
    spellings();
    newaxis();
    started();
    piped();
    if (edits_.empty()) return std::nullopt;
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edited::Edit& a, const Edited::Edit& b) { return a.span.begin < b.span.begin; });
    if (!moved_.empty()) edits_.push_back({{text_.size(), text_.size()}, moved_, {}});
    return PlainNotation{Edited(text_, std::move(edits_)), std::move(sizes_)};
  }

 private:
  bool at_start(std::size_t i) const { return i == 0 || !(in_name(text_[i - 1]) || text_[i - 1] == '.'); }
  char before(std::size_t i) const {  // the last sign in front
    while (i > 0 && blank(text_[i - 1])) --i;
    return i > 0 ? text_[i - 1] : '\0';
  }
  std::size_t edit(std::size_t from, std::size_t to, std::string text, std::string reading = {}) {
    edits_.push_back({{from, to}, std::move(text), std::move(reading)});
    return to;
  }
  std::string_view rest(std::size_t i) const { return text_.substr(i); }

  // What is put plainly at `i`: its end; `i` where nothing is.
  std::size_t step(std::size_t i) {
    const char c = text_[i];
    if (c == '#') return comment(i);
    if (c == '(' && i > 0 && text_[i - 1] == ')') return applied(i);
    if (c == '\'') return prime(i);
    if (c == ':' || c == '<' || c == '\\' || c == '\xE2') return arrow(i);
    if (!at_start(i)) return i;
    for (const auto read :
         {&Notation::separated, &Notation::declared, &Notation::typed_shape, &Notation::operands, &Notation::members,
          &Notation::dimensions, &Notation::chain, &Notation::glued, &Notation::tuple})
      if (const std::size_t end = (this->*read)(i); end > i) return end;
    return i;
  }

  // "torch.relu(x)  # x is a matrix": words beside the call.
  std::size_t comment(std::size_t i) {
    const bool code = text_.substr(0, i).find_first_of("(=@[") != std::string_view::npos;
    if (!code || i == 0 || !blank(text_[i - 1]) || rest(i).find('\n') != std::string_view::npos) return i;
    Cursor c(text_, i + 1);
    c.spaces();
    const std::string word = c.name();
    if (word == "NCHW" || word == "BCHW") return edit(i, c.at(), ", shape (N, C, H, W)");
    return edit(i, i + 1, ",", {});
  }

  // nn.ReLU()(x): a layer and its input.
  std::size_t applied(std::size_t i) {
    std::size_t open = i - 1;
    for (int depth = 1; open > 0 && depth > 0;) {
      --open;
      depth += text_[open] == ')' ? 1 : text_[open] == '(' ? -1 : 0;
    }
    std::size_t from = open;
    while (from > 0 && (in_name(text_[from - 1]) || text_[from - 1] == '.')) --from;
    const std::size_t dot = text_.substr(from, open - from).rfind('.');
    const std::size_t name = dot == std::string_view::npos ? from : from + dot + 1;
    const bool layer = dot != std::string_view::npos && letter(text_[name]) && text_[name] >= 'A' && text_[name] <= 'Z';
    Cursor c(text_, i + 1);
    const std::string input = c.name();
    return layer && !input.empty() && c.take(")") ? edit(i, c.at(), {}, "the input") : i;
  }

  // u'[i] = ..., x'_i = ...: another tensor than u.
  std::size_t prime(std::size_t i) {
    if (i == 0 || !letter(text_[i - 1])) return i;
    const bool index = i > 2 && text_[i - 2] == '_' && letter(text_[i - 3]) && at_start(i - 3);  // w_i'
    if (i > 1 && in_name(text_[i - 2]) && !index) return i;
    if (index) {
      if (!Cursor(text_, i + 1).take_spaced("=")) return i;
      edit(i - 2, i - 2, "new");
      return edit(i, i + 1, {});
    }
    Cursor c(text_, i + 1);
    while (c.next() == '[' || c.next() == '_') {
      const bool below = c.take("_");
      const char close = c.take("[") ? ']' : c.take("{") ? '}' : '\0';
      const std::size_t end = close ? text_.find(close, c.at()) : c.at() + (below ? 1 : 0);
      if (end == std::string_view::npos) return i;
      c = Cursor(text_, end + (close ? 1 : 0));
    }
    return c.take_spaced("=") && c.next() != '=' ? edit(i, i + 1, "new") : i;
  }

  // w <- w - g, w ← w - g, w := w - g
  std::size_t arrow(std::size_t i) {
    for (const std::string_view sign : {"<-", "←", ":=", "\\leftarrow", "\\gets"}) {
      if (!rest(i).starts_with(sign) ||
          (letter(sign.back()) && i + sign.size() < text_.size() && letter(text_[i + sign.size()])))
        continue;
      std::size_t from = i;
      while (from > 0 && !(text_[from - 1] == ';' || text_[from - 1] == ':' || text_[from - 1] == '\n')) --from;
      Cursor c(text_, from);
      c.spaces();
      const bool name = !c.name().empty() && before(i) != '\0' &&
                        text_.substr(from, i - from).find_first_of("<>=+*/") == std::string_view::npos;
      const bool apart = sign != "<-" || (blank(text_[i - 1]) && i + 2 < text_.size() && blank(text_[i + 2]));
      if (name && apart) return edit(i, i + sign.size(), "=");
    }
    return i;
  }

  // x = torch.randn(64, 32); in front of what is computed.
  std::size_t declared(std::size_t i) {
    static constexpr std::string_view makers[] = {"randn", "rand", "ones", "zeros", "empty", "normal", "random"};
    if (const char c = before(i); c != '\0' && c != ';' && (i == 0 || text_[i - 1] != '\n')) return i;
    Cursor c(text_, i);
    const std::string name = c.name();
    if (name.empty() || !c.take_spaced("=")) return i;
    const std::string library = c.name();
    if ((library != "torch" && library != "np" && library != "jnp" && library != "numpy") || !c.take(".")) return i;
    std::string maker = c.name();
    if (c.take(".")) maker = c.name();
    if (std::find(std::begin(makers), std::end(makers), maker) == std::end(makers)) return i;
    const std::size_t open = c.at();
    if (!c.take("(")) return i;
    const bool inner = c.next() == '(' || c.next() == '[';
    const Texts sizes = inner ? c.list(true) : Cursor(text_, open + 1).list(true);
    if (sizes.empty()) return i;
    const std::size_t close = text_.find(')', c.at());
    if (close == std::string_view::npos) return i;
    const std::string_view more = text_.substr(c.at(), close - c.at());
    std::string type;
    if (const std::size_t dtype = more.find("dtype="); dtype != std::string_view::npos) {
      Cursor t(more, dtype + 6);
      type = t.name();
      if (t.take(".")) type = t.name();
    }
    Cursor end(text_, close + 1);
    while (blank(end.next()) && end.next() != '\n') end = Cursor(text_, end.at() + 1);
    if (end.next() != ';' && end.next() != '\n') return i;
    end = Cursor(text_, end.at() + 1);
    end.spaces();
    if (end.next() == '\0') return i;
    moved_ += ", " + name + ": (" + joined(sizes, ", ") + ")" + (type.empty() ? type : ", " + type);
    return edit(i, end.at(), {}, name + " is " + joined(sizes, " x "));
  }

  // tensor<64x32xf16>
  std::size_t typed_shape(std::size_t i) {
    Cursor c(text_, i);
    const std::string kind = c.name();
    const bool beside = before(i) == ':' && text_.substr(0, i).find_first_of("(@=+*") != std::string_view::npos;
    if (beside && dtype_from_name(kind) && c.next() == '[') {  // x.sum(1), x: f32[64, 32]
      const Texts given = c.list(true);
      return given.empty() ? i : edit(i, c.at(), "[" + joined(given, ", ") + "] " + kind);
    }
    if ((kind != "tensor" && kind != "memref" && kind != "vector") || !c.take("<")) return i;
    Texts sizes;
    std::string type;
    while (digit(c.next())) {
      std::size_t end = c.at();
      while (end < text_.size() && digit(text_[end])) ++end;
      sizes.emplace_back(text_.substr(c.at(), end - c.at()));
      c = Cursor(text_, end);
      if (!c.take("x")) return i;
    }
    type = c.name();
    if (sizes.empty() || !dtype_from_name(type) || !c.take(">")) return i;
    return edit(i, c.at(), "[" + joined(sizes, ", ") + "] " + type);
  }

  struct Operand {
    std::string type;
    Texts sizes;
  };
  std::optional<Operand> operand(Cursor& c) const {
    Operand out;
    if (letter(c.next())) out.type = c.name();
    if (!out.type.empty() && (!dtype_from_name(out.type) || c.next() != '[')) return std::nullopt;
    if (c.next() != '(' && c.next() != '[') return std::nullopt;
    out.sizes = c.list(true);
    if (out.sizes.empty() || (out.type.empty() && out.sizes.size() < 2)) return std::nullopt;
    return out;
  }
  // f32[1024] + f32[1024], (8, 64, 32) @ (8, 32, 16): shapes in place of the tensors.
  std::size_t operands(std::size_t i) {
    Cursor c(text_, i);
    const auto first = operand(c);
    if (!first) return i;
    std::string sign;
    for (const std::string_view s : {"@", "+", "-", "*", "/"})
      if (sign.empty() && c.take_spaced(s)) sign = s;
    const auto second = sign.empty() ? std::nullopt : operand(c);
    if (!second || first->type != second->type) return i;
    const std::size_t end = c.at();
    if (sign != "@" && c.take_spaced("->")) {
      const auto result = operand(c);
      if (!result || result->sizes != first->sizes || result->type != first->type) return i;
    }
    return edit(i, std::max(end, c.at()),
                "a " + sign + " b, a: (" + joined(first->sizes, ", ") + "), b: (" + joined(second->sizes, ", ") + ")" +
                    (first->type.empty() ? "" : ", " + first->type));
  }

  // Whether a list of names may begin here: behind a sign or a word, not behind a factor: "A x, A ∈ …".
  bool begins_list(std::size_t i) const {
    std::size_t end = i;
    while (end > 0 && blank(text_[end - 1])) --end;
    if (end == 0 || std::string_view(",;:$").find(text_[end - 1]) != std::string_view::npos) return true;
    return end > 1 && letter(text_[end - 1]) && letter(text_[end - 2]) && (end < 3 || text_[end - 3] != '_');
  }

  // Q, K ∈ ℝ^{64×32}
  std::size_t members(std::size_t i) {
    Cursor c(text_, i);
    Texts names;
    do { names.push_back(c.name()); } while (!names.back().empty() && c.take_any({",", "and "}));
    if (names.back().empty() || !c.take_any({"∈", "\\in", "in"})) return i;
    if (names.size() > 1 && !begins_list(i)) return i;
    const bool reals = c.take("ℝ") || c.take("\\mathbb{R}") || c.take("\\mathbb R") || c.take("\\R") || c.take("R");
    if (!reals || (c.next() != '^' && c.next() != '\xE2')) return i;
    Texts sizes;
    if (c.take("ⁿ")) {
      sizes = {"n"};
    } else {
      c.take("^");
      const bool braced = c.take("{");
      do {
        c.spaces();
        sizes.push_back(size_of(c, braced));
      } while (braced && !sizes.back().empty() && (c.take_any({"×", "\\times", ",", "*"}) || c.take_spaced("x")));
      if (sizes.back().empty() || (braced && !c.take_spaced("}"))) return i;
    }
    c.take("$");
    std::string out;
    for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n + ": (" + joined(sizes, ", ") + ")";
    const bool quoted = i > 0 && text_[i - 1] == '$';
    return edit(quoted ? i - 1 : i, c.at(), out);
  }
  std::string size_of(Cursor& c, bool braced) const {
    if (!digit(c.next())) return braced ? c.name() : letter(c.next()) ? std::string(1, take_one(c)) : std::string();
    std::size_t end = c.at();
    while (end < text_.size() && digit(text_[end])) ++end;
    std::string out(text_.substr(c.at(), end - c.at()));
    c = Cursor(text_, end);
    return out;
  }
  char take_one(Cursor& c) const {
    const char out = c.next();
    c = Cursor(text_, c.at() + 1);
    return out;
  }

  // x.ndim == 2
  std::size_t dimensions(std::size_t i) {
    Cursor c(text_, i);
    const std::string name = c.name();
    if (name.empty() || !(c.take(".ndim") || c.take(".dim()")) || !c.take_spaced("==")) return i;
    const std::string count = c.number();
    if (count.size() != 1 || count[0] < '1' || count[0] > '4') return i;
    Texts sizes;
    for (const std::string_view s : usual_sizes[static_cast<std::size_t>(count[0] - '1')])
      if (!s.empty()) sizes.emplace_back(s);
    return edit(i, c.at(), name + ": (" + joined(sizes, ", ") + ")");
  }

  void keep(const std::string& name, const std::string& number) {
    std::int64_t value = 0;
    const auto r = std::from_chars(number.data(), number.data() + number.size(), value);
    if (r.ec == std::errc() && r.ptr == number.data() + number.size() && value > 0) sizes_.emplace_back(name, value);
  }
  bool ends(const Cursor& c) const {
    Cursor d = c;
    d.spaces();
    const char n = d.next();
    return n == '\0' || n == ',' || n == ';' || n == ')' || n == '.' || n == ':' || (letter(n) && n != 'x');
  }
  bool begins(std::size_t i) const {
    const char c = before(i);
    return c != '=' && c != '_' && c != '{' && c != '^' && c != '<' && c != '>' && c != '!' && c != '+' && c != '*';
  }

  // "4k", "1M"
  std::string thousands(Cursor& c) const {
    std::size_t end = c.at();
    while (end < text_.size() && digit(text_[end])) ++end;
    const bool suffix =
        end > c.at() && end < text_.size() && (text_[end] == 'k' || text_[end] == 'K' || text_[end] == 'M');
    if (!suffix || end - c.at() > 5 || (end + 1 < text_.size() && in_name(text_[end + 1]))) return {};
    const std::int64_t count = std::stoll(std::string(text_.substr(c.at(), end - c.at())));
    const double unit = phrases::unit_of_count(static_cast<double>(count), text_[end] == 'M' ? 2 : 1);
    c = Cursor(text_, end + 1);
    return std::to_string(count * static_cast<std::int64_t>(unit));
  }

  // 1_000_000, 1'000'000, 1.000.000: of one point alone, 1.000 is a decimal.
  std::size_t separated(std::size_t i) {
    constexpr std::size_t group = 3, most_digits = 18;
    std::string digits;
    std::size_t end = i;
    while (end < text_.size() && digit(text_[end])) digits += text_[end++];
    if (digits.empty() || digits.size() > group || end >= text_.size()) return i;
    const char sign = text_[end];
    std::size_t groups = 0;
    for (; end + group < text_.size() && text_[end] == sign; ++groups) {
      const std::string_view next = text_.substr(end + 1, group);
      if (next.size() < group || !std::all_of(next.begin(), next.end(), digit)) break;
      digits += next;
      end += group + 1;
    }
    const bool known = sign == '_' || sign == '\'' || (sign == '.' && groups > 1);
    const bool over = end >= text_.size() || (!in_name(text_[end]) && text_[end] != sign);
    return known && groups > 0 && over && digits.size() <= most_digits ? edit(i, end, digits) : i;
  }

  // MxNxK = 128x256x512
  std::size_t glued(std::size_t i) {
    Cursor c(text_, i);
    const std::string written = c.name();
    Texts names, values;
    for (std::size_t k = 0; k < written.size(); k += 2) {
      if (written[k] < 'A' || written[k] > 'Z' || (k + 1 < written.size() && written[k + 1] != 'x')) return i;
      names.emplace_back(1, written[k]);
    }
    if (names.size() < 2 || written.size() % 2 == 0 || !c.take_spaced("=")) return i;
    do {
      values.push_back(size_of(c, false));
    } while (!values.back().empty() && digit(values.back()[0]) && c.take("x"));
    return values.size() == names.size() && ends(c) ? sizes_at(i, c.at(), names, values) : i;
  }
  std::size_t sizes_at(std::size_t from, std::size_t to, const Texts& names, const Texts& values) {
    std::string out;
    for (std::size_t k = 0; k < names.size(); ++k) {
      out += (k ? ", " : "") + names[k] + " = " + values[k];
      keep(names[k], values[k]);
    }
    return edit(from, to, out);
  }

  // M = N = K = 2048
  std::size_t chain(std::size_t i) {
    Cursor c(text_, i);
    Texts names;
    std::string value;
    while (true) {
      const std::string name = c.name();
      if (name.empty()) break;
      names.push_back(name);
      if (!c.take_spaced("=")) return i;
    }
    value = c.number();
    if (value.empty()) value = thousands(c);
    if (names.size() < 2 || value.empty() || !ends(c) || !begins(i)) return i;
    return sizes_at(i, c.at(), names, Texts(names.size(), value));
  }

  // (M, N, K) = (64, 32, 16); M, N = 64, 32
  std::size_t tuple(std::size_t i) {
    Cursor c(text_, i);
    const bool bracketed = c.next() == '(' || c.next() == '[';
    const Texts names = c.list(false);
    if (names.size() < 2 || !c.take_spaced("=") ||
        (!bracketed && (before(i) == ',' || before(i) == '(' || before(i) == '[')))
      return i;
    const Texts values = c.list(true);
    if (values.size() != names.size() || !ends(c) || !begins(i)) return i;
    return sizes_at(i, c.at(), names, values);
  }

  // The spellings of spellings.txt, where nothing else was put plainly.
  void spellings() {
    for (const auto& [written, plain, as_written] : tables_.spellings) {
      const std::string_view text = as_written ? text_ : std::string_view(lower_);
      for (std::size_t at = text.find(written); at != std::string::npos; at = text.find(written, at + 1)) {
        const std::size_t end = at + written.size();
        const bool inside = (at > 0 && in_name(lower_[at - 1])) || (end < lower_.size() && in_name(lower_[end]));
        const bool taken = std::any_of(edits_.begin(), edits_.end(),
                                       [&](const Edited::Edit& e) { return e.span.begin < end && at < e.span.end; });
        if (!inside && !taken) edit(at, end, plain);
      }
    }
  }

  // x @ w1 -> gelu -> @ w2 as (gelu(x @ w1)) @ w2
  void piped() {
    std::size_t at = text_.find("->");
    if (at == std::string_view::npos || !edits_.empty()) return;
    std::string out(trimmed(text_.substr(0, at)));
    if (out.find('@') == std::string::npos || out.find_first_of(",;:") != std::string::npos) return;
    bool product = false;
    while (at != std::string_view::npos) {
      const std::size_t end = text_.find("->", at + 2);
      const std::size_t stop = end == std::string_view::npos ? text_.size() : end;
      const std::string part(trimmed(text_.substr(at + 2, stop - at - 2)));
      Cursor c(part, 0);
      const bool sign = c.take("@") || c.take("+") || c.take("*");
      c.spaces();
      const std::string name = c.name();
      if (name.empty() || c.next() != '\0') return;
      out = sign ? "(" + out + ") " + part : name + "(" + out + ")";
      product = product || sign;
      at = end;
    }
    if (product) edit(0, text_.size(), out);
  }

  // a[:, None] - b[None, :] as y_ij = a_i - b_j: each name with the indices of its dimensions.
  void newaxis() {
    static constexpr std::pair<std::string_view, std::string_view> forms[] = {
        {"[:,None]", "_i"}, {"[None,:]", "_j"}, {"[:,np.newaxis]", "_i"}, {"[np.newaxis,:]", "_j"}};
    if (text_.find("None") == std::string_view::npos && text_.find("newaxis") == std::string_view::npos) return;
    std::string out;
    bool found = false;
    for (Cursor c(text_, 0); c.next() != '\0';) {
      const std::string name = c.name();
      if (name.empty()) {
        const char sign = c.next();
        if (sign == '[' || sign == '=' || sign == ';' || sign == '.') return;
        out += take_one(c);
        if (digit(sign))
          while (digit(c.next()) || c.next() == '.') out += take_one(c);
        continue;
      }
      out += name;
      if (c.next() == '.') return;
      if (c.next() == '(') continue;
      std::size_t close = c.next() == '[' ? text_.find(']', c.at()) : std::string_view::npos;
      if (close == std::string_view::npos) {
        if (name.size() > 2) return;
        out += "_ij";
        continue;
      }
      std::string index(text_.substr(c.at(), close + 1 - c.at()));
      std::erase(index, ' ');
      const auto form =
          std::find_if(std::begin(forms), std::end(forms), [&](const auto& f) { return f.first == index; });
      if (form == std::end(forms)) return;
      out += form->second;
      found = true;
      c = Cursor(text_, close + 1);
    }
    if (found && edits_.empty()) edit(0, text_.size(), "y_ij = " + out);
  }

  // "y_t = 0.9 y_{t-1} + x_t with y_{-1} = 0", "u = 0 outside the grid": what stands beyond the ends of a tensor.
  void started() {
    for (std::size_t at = text_.find('='); at != std::string_view::npos; at = text_.find('=', at + 1)) {
      std::size_t end = at;
      while (end > 0 && blank(text_[end - 1])) --end;
      std::size_t from = end;
      while (from > 0 &&
             (in_name(text_[from - 1]) || std::string_view("{}[]-").find(text_[from - 1]) != std::string_view::npos))
        --from;
      Cursor c(text_, from);
      std::string name = c.name();
      const bool zero = name.size() > 2 && name.ends_with("_0");
      if (zero) name.resize(name.size() - 2);
      if (name.ends_with("_")) name.pop_back();
      const std::string below(text_.substr(c.at(), end - c.at()));
      Cursor v(text_, at + 1);
      v.spaces();
      const std::string value = v.number();
      if (name.empty() || value.empty() || from == 0) continue;
      const bool first = zero ? below.empty() : below == "{-1}" || below == "[-1]" || below == "{0}";
      static constexpr std::string_view places[] = {" outside the grid", " outside the domain", " outside",
                                                    " beyond the ends",  " beyond the borders", " at the borders"};
      const auto place = std::find_if(std::begin(places), std::end(places),
                                      [&](std::string_view p) { return rest(v.at()).starts_with(p); });
      const bool outside = below.empty() && !zero && place != std::end(places);
      if (!first && !outside) continue;
      while (from > 0 && (blank(text_[from - 1]) || text_[from - 1] == ',')) --from;
      for (const std::string_view word : {"with", "where", "and", "given"})
        if (from >= word.size() && text_.substr(from - word.size(), word.size()) == word) from -= word.size();
      while (from > 0 && (blank(text_[from - 1]) || text_[from - 1] == ',')) --from;
      if (!padded(name, value, from)) continue;
      edit(from, v.at() + (outside ? place->size() : 0), {}, name + " is " + value + " beyond its ends");
      return;
    }
  }
  // Puts pad(…) around the shifted reads of `name` in front of `end`; false where there is none.
  bool padded(const std::string& name, const std::string& value, std::size_t end) {
    bool any = false;
    for (std::size_t at = text_.find(name); at < end; at = text_.find(name, at + 1)) {
      std::size_t open = at + name.size();
      if (!at_start(at) || open + 1 >= text_.size()) continue;
      if (text_[open] == '_' && text_[open + 1] == '{') ++open;
      if (text_[open] != '{' && text_[open] != '[') continue;
      const std::size_t close = text_.find(text_[open] == '{' ? '}' : ']', open);
      if (close == std::string_view::npos || close >= end) continue;
      if (text_.substr(open, close - open).find_first_of("+-") == std::string_view::npos) continue;
      edit(at, at, "pad(");
      edit(close + 1, close + 1, ", " + value + ")");
      any = true;
    }
    return any;
  }

  const formula::Tables& tables_;
  std::string_view text_;
  std::string lower_;
  std::vector<Edited::Edit> edits_;
  std::string moved_;  // behind the text: what was said in front
  std::vector<std::pair<std::string, std::int64_t>> sizes_;
};

}  // namespace

std::optional<PlainNotation> in_plain_notation(const Library& library, std::string_view sentence) {
  return Notation(library, sentence).run();
}

}  // namespace ww::op
