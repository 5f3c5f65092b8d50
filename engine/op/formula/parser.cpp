// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include "op/formula/text.h"

namespace ww::op::formula {
namespace {

using Kind = Node::Kind;
using TokenKind = Token::Kind;

constexpr int deepest = 60;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

Node make(Kind kind, std::string text, std::vector<Node> args, Span span) {
  Node n;
  n.kind = kind;
  n.text = std::move(text);
  n.args = std::move(args);
  n.span = span;
  return n;
}

class Parser {
 public:
  Parser(std::string_view text, std::size_t begin, const Names& names) : names_(names) {
    tokens_ = tokens_of(text.substr(begin));
    for (Token& t : tokens_) t.span.begin += begin, t.span.end += begin;
  }

  std::optional<Statement> run() {
    Statement out;
    out.span.begin = tokens_[0].span.begin;
    target(out);
    target_indices_ = out.target_subscripts;
    auto value = choice();
    if (!value) {
      if (operators_ < 2 || problem_.empty()) return std::nullopt;  // too little to be a formula for certain
      out.problem = problem_;
      out.operators = operators_;
      out.next = at().span.begin;
      return out;
    }
    out.value = std::move(*value);
    if (out.accumulates && out.target_subscripts.empty() && !indexed_) {  // x += y
      const Node self = make(Kind::name, out.target, {}, out.span);
      out.value = make(Kind::binary, "+", {self, std::move(out.value)}, out.span);
      out.target.clear();
      out.accumulates = false;
      ++operators_;
    }
    out.signs = operators_ > beside_ || !out.target.empty();
    out.operators = operators_ + (out.target.empty() ? 0 : out.value.kind == Kind::number ? 0 : 1);
    out.indexed = indexed_ || !out.target_subscripts.empty();
    if (out.indexed) subscripted(out.value);
    out.next = at().span.begin;
    out.span.end = place_ > 0 ? tokens_[place_ - 1].span.end : out.span.begin;
    return out;
  }

 private:
  const Token& at(std::size_t ahead = 0) const { return tokens_[std::min(place_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view symbol, std::size_t ahead = 0) const {
    return at(ahead).kind == TokenKind::symbol && at(ahead).text == symbol;
  }
  bool take(std::string_view symbol) {
    if (!is(symbol)) return false;
    ++place_;
    return true;
  }
  bool is_name(std::string_view name, std::size_t ahead = 0) const {
    return at(ahead).kind == TokenKind::name && at(ahead).text == name;
  }
  std::optional<Node> missing(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
    return std::nullopt;
  }

  // "f(x, y) =": the name of the function does not count.
  bool definition(Statement& out) {
    const std::size_t back = place_;
    if (at().kind == TokenKind::name && is("(", 1)) {
      place_ += 2;
      while (at().kind == TokenKind::name) {
        ++place_;
        if (!take(",") && !take("||") && !take("|") && !take(";")) break;
      }
      if (tokens_[place_ - 1].kind == TokenKind::name && take(")")) {
        if (at().kind == TokenKind::name && at().text[0] == '_' && is("=", 1)) {  // softmax(x)_i =
          for (char c : at().text.substr(1)) out.target_subscripts.emplace_back(1, c);
          ++place_;
        }
        if (take("=")) return true;
        out.target_subscripts.clear();
      }
    }
    place_ = back;
    return false;
  }

  // "y =", "C[i, j] +=", "y_{ij} ="
  void target(Statement& out) {
    if (definition(out)) return;
    if (at().kind != TokenKind::name || names_.is_word(at().text)) return;
    const std::size_t back = place_;
    std::string name = at().text;
    ++place_;
    std::vector<std::string> subscripts = brackets();
    if (subscripts.empty()) split(name, subscripts);
    const bool accumulates = is("+=");
    if (take("=") || take("+=")) {
      out.accumulates = accumulates;
      out.target = name;
      out.target_subscripts = subscripts;
      return;
    }
    place_ = back;
  }

  // "[i, j]" or "[i][j]"; nothing consumed where that is not it.
  std::vector<std::string> brackets() {
    std::vector<std::string> out;
    while (is("[")) {
      const std::size_t back = place_;
      ++place_;
      std::vector<std::string> some;
      while (at().kind == TokenKind::name && at().text.size() == 1 && is_lower(at().text[0])) {
        some.push_back(at().text);
        ++place_;
        if (!take(",")) break;
      }
      if (some.empty() || !take("]")) {
        place_ = back;
        break;
      }
      out.insert(out.end(), some.begin(), some.end());
    }
    return out;
  }

  // x_ij: the name x with the subscripts i and j.
  static void split(std::string& name, std::vector<std::string>& subscripts) {
    const std::size_t bar = name.find('_');
    if (bar == std::string::npos || bar == 0 || bar + 1 == name.size() || name.size() - bar > 5) return;
    if (!std::all_of(name.begin() + static_cast<std::ptrdiff_t>(bar) + 1, name.end(), is_lower)) return;
    for (char c : name.substr(bar + 1)) subscripts.emplace_back(1, c);
    name.resize(bar);
  }
  static void subscripted(Node& n) {
    if (n.kind == Kind::name && n.subscripts.empty()) split(n.text, n.subscripts);
    for (Node& a : n.args) subscripted(a);
    for (auto& [name, a] : n.named) subscripted(a);
  }

  // if c then a else b; c ? a : b
  std::optional<Node> choice() {
    if (++depth_ > deepest) return missing("The formula is nested too deeply.");
    auto out = chosen();
    --depth_;
    return out;
  }
  std::optional<Node> chosen() {
    const Span span = at().span;
    if (is_name("if") && !is("(", 1)) {
      ++place_;
      auto c = comparison();
      if (!c || !is_name("then")) return missing("An 'if' needs 'then' and 'else'.");
      ++place_;
      auto yes = choice();
      if (!yes || !is_name("else")) return missing("An 'if' needs 'then' and 'else'.");
      ++place_;
      auto no = choice();
      if (!no) return missing("An 'if' needs 'then' and 'else'.");
      ++operators_;
      return make(Kind::select, {}, {std::move(*c), std::move(*yes), std::move(*no)}, span);
    }
    auto c = comparison();
    const std::size_t back = place_;
    if (c && is_name("if")) {  // a if a > b else b
      ++place_;
      auto condition = comparison();
      if (condition && is_name("else")) {
        ++place_;
        if (auto no = choice()) {
          ++operators_;
          return make(Kind::select, {}, {std::move(*condition), std::move(*c), std::move(*no)}, span);
        }
      }
      place_ = back;
    }
    if (!c || !is("?")) return c;
    ++place_;
    if (auto yes = choice(); yes && take(":"))
      if (auto no = choice()) {
        ++operators_;
        return make(Kind::select, {}, {std::move(*c), std::move(*yes), std::move(*no)}, span);
      }
    place_ = back;  // "is it x + y?"
    return c;
  }

  std::optional<Node> comparison() {
    auto left = sum();
    for (const char* op : {"<", ">", "<=", ">=", "==", "!="}) {
      if (!left || !is(op)) continue;
      ++place_;
      auto right = sum();
      if (!right) return missing("Something is missing after '" + std::string(op) + "'.");
      ++operators_;
      const Span span{left->span.begin, right->span.end};
      return make(Kind::binary, op, {std::move(*left), std::move(*right)}, span);
    }
    return left;
  }

  template <class Next>
  std::optional<Node> chain(const std::vector<std::string_view>& signs, const Next& next) {
    auto left = next();
    while (left) {
      const auto sign = std::find_if(signs.begin(), signs.end(), [&](std::string_view s) { return is(s); });
      if (sign == signs.end()) break;
      ++place_;
      ++operators_;
      auto right = next();
      if (!right) return missing("Something is missing after '" + std::string(*sign) + "'.");
      const Span span{left->span.begin, right->span.end};
      left = make(Kind::binary, std::string(*sign), {std::move(*left), std::move(*right)}, span);
    }
    return left;
  }
  std::optional<Node> sum() {
    return chain({"+", "-"}, [&] { return product(); });
  }
  std::optional<Node> product() {
    return chain({"*", "/", "@", "·", "×", "⊙", "∘", "⊗", "%"}, [&] { return side_by_side(); });
  }

  // Wx, Q K^T, 2x
  std::optional<Node> side_by_side() {
    auto left = unary();
    // Only names of one letter and brackets stand side by side: anything else is a word.
    const auto joins = [&] { return left->kind != Kind::name || tensor_like(left->text); };
    while (left && joins()) {
      const bool group = is("(") && operators_ > 0 && at().spaced && is_data(*left);
      if (!begins_operand() && !group) break;
      const std::size_t back = place_;
      auto right = unary();
      if (!right && group) {
        place_ = back;
        problem_.clear();
        break;
      }
      if (!right) return std::nullopt;
      ++operators_;
      ++beside_;
      const Span span{left->span.begin, right->span.end};
      left = make(Kind::binary, "", {std::move(*left), std::move(*right)}, span);
    }
    return left;
  }
  // 0.5 x (1 + tanh(x))
  static bool is_data(const Node& n) {
    const Node& last = n.kind == Kind::binary && n.text.empty() ? n.args[1] : n;
    return last.kind == Kind::name && (last.text == "x" || last.text == "y" || last.text == "z");
  }
  bool begins_operand() const {
    if (is("(")) {  // behind a call or a group: softmax(...)(V) is no product
      const Token& before = tokens_[place_ - 1];
      return before.kind == TokenKind::number || (before.text == "}" && at(1).kind != TokenKind::number) ||
             (before.text == ")" && at().spaced);
    }
    if (is("√") || is("\\sum") || is("\\frac")) return true;
    if (at().kind != TokenKind::name) return false;
    const std::string& name = at().text;
    if (name == "a" && at(1).spaced && (at(1).kind == TokenKind::name || at(1).kind == TokenKind::number || is("[", 1)))
      return false;  // the article
    if (name == "x" && at(1).kind == TokenKind::number) return false;
    if (name == "I") return false;
    if (name.starts_with("max_") || name.starts_with("sum_")) return true;
    if (names_.is_function(name)) {
      const bool log = name == "log" || name == "exp" || name == "ln";
      return (is("(", 1) && !at(1).spaced) || (log && is("\\frac", 1));
    }
    return tensor_like(name) && !names_.is_word(name);
  }
  static bool tensor_like(const std::string& name) {
    const std::string base = name.substr(0, name.find('_'));
    if (base.size() == 1 || (base.size() == 2 && base[1] >= '0' && base[1] <= '9')) return true;
    if (weight_in(name) > 0 ||
        ((base.size() == 4 || base.size() == 6) && (base.ends_with("hat") || base.ends_with("bar"))))
      return true;
    if (base.size() <= 3 && is_upper(base[0]) &&
        std::all_of(base.begin(), base.end(), [](char c) { return is_upper(c) || is_lower(c); }))
      return true;
    for (const char* greek : {"alpha", "beta", "gamma", "mu", "sigma", "lambda", "eps", "tau"})
      if (base == greek) return true;
    return false;
  }

  std::optional<Node> unary() {
    const Span span = at().span;
    if (take("-")) {
      ++operators_;
      auto value = unary();
      if (!value) return missing("Something is missing after '-'.");
      if (value->kind == Kind::number) {
        value->number = -value->number;
        --operators_;
        return value;
      }
      return make(Kind::negate, {}, {std::move(*value)}, span);
    }
    if (take("√")) {
      ++operators_;
      auto value = is("{") ? group("{", "}") : power();
      if (!value) return missing("Something is missing under the root.");
      return make(Kind::call, "sqrt", {std::move(*value)}, span);
    }
    return power();
  }

  std::optional<Node> power() {
    auto base = postfix();
    if (!base || !is("^")) return base;
    ++place_;
    ++operators_;
    if (is_name("T") || (is("{") && is_name("T", 1) && is("}", 2))) {
      place_ += is_name("T") ? 1 : 3;
      const Span span = base->span;
      auto turned = make(Kind::transpose, {}, {std::move(*base)}, span);
      return turned;
    }
    auto exponent = is("{") ? group("{", "}") : unary();
    if (!exponent) return missing("Something is missing after '^'.");
    const Span span = base->span;
    if (base->kind == Kind::name && base->text == "e") return make(Kind::call, "exp", {std::move(*exponent)}, span);
    return make(Kind::binary, "^", {std::move(*base), std::move(*exponent)}, span);
  }

  std::optional<Node> group(const char* open, const char* close) {
    if (!take(open)) return missing("A bracket is missing.");
    auto inner = choice();
    if (!inner || !take(close)) return missing("A closing bracket is missing.");
    return inner;
  }

  std::optional<Node> postfix() {
    auto value = primary();
    if (value) pair_part(*value);
    while (value && is(".") && at(1).kind == TokenKind::name && !at(1).spaced) {
      const std::string name = at(1).text;
      const Span span = at(1).span;
      if (name == "T" || name == "mT") {
        place_ += 2;
        ++operators_;
        const Span whole{value->span.begin, span.end};
        value = make(Kind::transpose, {}, {std::move(*value)}, whole);
        continue;
      }
      if (!is("(", 2)) return missing("'." + name + "' is not understood.");
      place_ += 2;
      ++operators_;
      Node call = make(Kind::call, name, {}, span);
      call.exact = true;
      call.args.push_back(std::move(*value));
      if (!arguments(call)) return std::nullopt;
      value = std::move(call);
    }
    return value;
  }

  // "(" already seen.
  bool arguments(Node& call) {
    take("(");
    while (!is(")")) {
      if (at().kind == TokenKind::name && is("=", 1)) {
        std::string name = at().text;
        place_ += 2;
        auto value = argument();
        if (!value) return false;
        call.named.push_back({std::move(name), std::move(*value)});
      } else {
        auto value = argument();
        if (!value) return false;
        call.args.push_back(std::move(*value));
      }
      if (!take(",")) break;
      if (is(")")) {
        missing("An argument is missing in the call of '" + call.text + "'.");
        return false;
      }
    }
    if (take(")")) return true;
    missing("A closing bracket is missing in the call of '" + call.text + "'.");
    return false;
  }
  // cat([a, b])
  std::optional<Node> list(Span span) {
    Node out = make(Kind::tuple, {}, {}, span);
    take("[");
    do {
      auto value = choice();
      if (!value) return std::nullopt;
      out.args.push_back(std::move(*value));
    } while (take(","));
    if (!take("]")) return missing("A closing bracket is missing.");
    return out;
  }
  // max(x, 1).values, max(x, 1)[0]: the values or the positions of a maximum along a dimension.
  bool pair_part(Node& call) {
    const bool pair = call.kind == Kind::call && (call.text == "max" || call.text == "min") && call.exact &&
                      (call.named.size() == 1 ? call.args.size() == 1 && call.named[0].name == "dim"
                                              : call.args.size() == 2 && call.args[1].kind == Kind::number);
    if (!pair) return false;
    const bool field = is(".") && (is_name("values", 1) || is_name("indices", 1)) && !is("(", 2);
    const bool number = is("[") && at(1).kind == TokenKind::number && is("]", 2);
    if (!field && !(number && (at(1).number == 0 || at(1).number == 1))) return false;
    if (field ? is_name("indices", 1) : at(1).number == 1) call.text = "arg" + call.text;
    place_ += field ? 2 : 3;
    return true;
  }
  std::optional<Node> argument() {
    const Span span = at().span;
    if (at().kind == TokenKind::quoted || is_name("True") || is_name("False") || is_name("None")) {
      ++place_;
      return make(Kind::word, tokens_[place_ - 1].text, {}, span);
    }
    if (at().kind == TokenKind::name && names_.is_namespace(at().text) && is(".", 1) && is_name("inf", 2)) {
      place_ += 3;
      return make(Kind::word, "inf", {}, span);
    }
    if (is("[") && at(1).kind == TokenKind::name) return list(span);
    const char* close = is("[") ? "]" : ")";
    if (is("(") || is("[")) {
      const std::size_t back = place_;
      ++place_;
      Node list = make(Kind::tuple, {}, {}, span);
      bool comma = false;
      const auto size = [&] {
        const bool number = at().kind == TokenKind::number || (is("-") && at(1).kind == TokenKind::number);
        return number ||
               (at().kind == TokenKind::name && (is(",", 1) || is(close, 1)) && !names_.is_function(at().text));
      };
      while (size()) {
        if (at().kind == TokenKind::name) {
          list.args.push_back(make(Kind::word, at().text, {}, at().span));
          ++place_;
        } else {
          auto value = unary();
          list.args.push_back(std::move(*value));
        }
        if (!take(",")) break;
        comma = true;
      }
      if (!list.args.empty() && (comma || close[0] == ']') && take(close)) return list;
      place_ = back;
    }
    return choice();
  }

  std::optional<Node> primary() {
    const Token& t = at();
    if (t.kind == TokenKind::number) return number();
    if (is("(")) return group("(", ")");
    if (is("\\frac")) return fraction();
    if (is("\\sum")) return total(t.span);
    if (is("|") || is("||")) return bars(t.text);
    if (is("⌊")) return rounded("floor", "⌊", "⌋");
    if (is("⌈")) return rounded("ceil", "⌈", "⌉");
    if (t.kind != TokenKind::name) return missing("Something is missing in the formula.");
    if (t.text == "sum" && at(1).kind == TokenKind::name && !is("(", 1)) return missing("");
    for (const std::string_view how : {"sum_", "max_", "min_", "prod_"})
      if (t.text.starts_with(how) && t.text.size() > how.size() && !names_.is_function(t.text)) return total(t.span);
    return named();
  }

  std::optional<Node> number() {
    const Token& t = at();
    Node n = make(Kind::number, t.text, {}, t.span);
    n.number = t.number;
    ++place_;
    const bool shape = !at().spaced && at().kind == TokenKind::name && (at().text[0] == 'x' || at().text[0] == 'X') &&
                       at().text.size() > 1 && at().text[1] >= '0' && at().text[1] <= '9';
    const bool sizes = is("×") && at(1).kind == TokenKind::number;
    const bool by = is_name("x") && at(1).kind == TokenKind::number;
    if (shape || sizes || by) return missing("");  // 512x1024
    return n;
  }
  std::optional<Node> fraction() {
    const Span span = at().span;
    ++place_;
    ++operators_;
    auto above = group("{", "}");
    if (!above) return std::nullopt;
    auto below = group("{", "}");
    if (!below) return std::nullopt;
    return make(Kind::binary, "/", {std::move(*above), std::move(*below)}, span);
  }

  // Σ_i ..., sum_k ...: everything behind it up to + or -.
  std::optional<Node> total(Span span) {
    std::vector<std::string> over;
    std::string name = at().text;
    ++place_;
    if (name[0] != '\\') split(name, over);
    const std::string how = name == "sum" || name[0] == '\\' ? std::string() : name;
    if (name == "\\sum" && at().kind == TokenKind::name && at().text.size() > 1 && at().text[0] == '_') {
      for (char c : at().text.substr(1, at().text.find_first_of("=<\\") - 1)) over.emplace_back(1, c);
      ++place_;
      if (take("{")) {  // \sum_{i}: the scanner leaves the braces of a lone subscript
        while (at().kind == TokenKind::name) over.emplace_back(at().text), ++place_;
        if (!take("}")) return missing("A closing brace is missing.");
      }
    } else if (name == "\\sum" && is_name("_") && is("{", 1)) {
      place_ += 2;
      while (at().kind == TokenKind::name || is(",")) {
        if (!is(","))
          for (char c : at().text) over.emplace_back(1, c);
        ++place_;
      }
      if (!take("}")) return missing("A closing brace is missing.");
    }
    if (take("^")) {  // the upper limit is the size
      if (is("{")) {
        while (!is("}") && at().kind != TokenKind::end) ++place_;
        if (!take("}")) return missing("A closing brace is missing.");
      } else {
        ++place_;
      }
    }
    ++operators_;
    indexed_ = true;
    auto body = product();
    if (!body) return missing("Something is missing after the sum sign.");
    while ((is("+") || is("-")) && !over.empty()) {  // \sum_i a_i b_i + c_i: no other sum has this index
      const std::size_t back = place_, operators = operators_;
      const std::string sign = at().text;
      ++place_;
      auto more = product();
      if (!more || !bound_by(*more, over)) {
        place_ = back;
        operators_ = operators;
        break;
      }
      ++operators_;
      const Span both{body->span.begin, more->span.end};
      body = make(Kind::binary, sign, {std::move(*body), std::move(*more)}, both);
    }
    Node out = make(Kind::sum, how, {std::move(*body)}, span);
    out.subscripts = std::move(over);
    return out;
  }

  // Whether `n` has one of these indices, outside sums of its own and where the left side lacks it.
  bool bound_by(const Node& n, const std::vector<std::string>& indices) const {
    if (n.kind == Kind::sum) return false;
    Node own = n;
    own.args.clear();
    own.named.clear();
    subscripted(own);
    for (const std::string& s : own.subscripts) {
      const bool summed = std::find(indices.begin(), indices.end(), s) != indices.end();
      const bool left = std::find(target_indices_.begin(), target_indices_.end(), s) != target_indices_.end();
      if (summed && !left) return true;
    }
    return std::any_of(n.args.begin(), n.args.end(), [&](const Node& a) { return bound_by(a, indices); });
  }

  std::optional<Node> rounded(const char* name, const char* open, const char* close) {
    const Span span = at().span;
    auto inner = group(open, close);
    if (!inner) return std::nullopt;
    ++operators_;
    return make(Kind::call, name, {std::move(*inner)}, span);
  }

  std::optional<Node> bars(const std::string& bar) {
    const Span span = at().span;
    ++place_;
    auto inner = sum();
    if (!inner || !take(bar)) return missing("A closing '" + bar + "' is missing.");
    ++operators_;
    Node out = make(Kind::call, bar == "|" ? "abs" : "norm", {std::move(*inner)}, span);
    if (bar == "||" && (is_name("_2") || is_name("_F"))) {
      ++place_;
      out.text = "frobenius_norm";
    }
    return out;
  }

  std::optional<Node> named() {
    const Token first = at();
    std::string name = first.text;
    ++place_;
    bool exact = false;
    const std::string prefix = name;
    while (names_.is_namespace(name) && is(".") && at(1).kind == TokenKind::name) {
      name = at(1).text;
      place_ += 2;
      exact = true;
    }
    if (is("(") && (exact || !at().spaced || names_.is_function(name))) {
      const bool tensor = name.size() == 1 && !names_.is_function(name) && at().spaced;
      if (!tensor) {
        Node call = make(Kind::call, name, {}, {first.span.begin, at().span.begin});
        call.exact = exact;
        if (exact) call.library = prefix;
        ++operators_;
        if (!arguments(call)) return std::nullopt;
        return call;
      }
    }
    static const std::set<std::string> unary_functions = {"log", "ln", "exp"};
    const bool operand = is("\\frac") || is("√") || is("|") ||
                         (begins_operand() && at().text.size() <= 4 && !names_.is_function(at().text));
    if (!exact && unary_functions.count(name) && operand) {  // log p_i, log \frac{p}{q}
      ++operators_;
      auto argument = unary();
      if (!argument) return std::nullopt;
      return make(Kind::call, name, {std::move(*argument)}, {first.span.begin, at().span.begin});
    }
    if (exact) return missing("'" + name + "' needs its arguments in brackets.");
    if (names_.is_word(name)) return missing("");
    Node out = make(Kind::name, name, {}, first.span);
    out.subscripts = brackets();
    if (!out.subscripts.empty()) {
      indexed_ = true;
      return out;
    }
    if (is("[")) return missing("");  // x[128, 256] is a shape
    return letters(std::move(out));
  }

  // A hyphen and a number without white space, as in the name of a method.
  bool numbered_name() const {
    const bool hyphen = is("-") && !tokens_[place_].spaced;
    return hyphen && tokens_[place_ + 1].kind == Token::Kind::number && !tokens_[place_ + 1].spaced;
  }

  // "xW", "hW_1", "xW1", "W1x": where the second of two names begins, of which one is a capital letter; else 0.
  static std::size_t weight_in(const std::string& name) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    static const std::string data = "xhzuvq";
    if (name.size() < 2) return 0;
    if (data.find(name[0]) != std::string::npos && is_upper(name[1])) {
      const bool tail = name.size() == 2 || name[2] == '_' || (name.size() == 3 && digit(name[2]));
      return tail ? 1 : 0;
    }
    const bool numbered = name.size() == 3 && is_upper(name[0]) && digit(name[1]);
    return numbered && data.find(name[2]) != std::string::npos ? 2 : 0;
  }

  // QK, Wx: one letter per tensor.
  std::optional<Node> letters(Node out) {
    const std::string& name = out.text;
    if (const std::size_t second = weight_in(name); second > 0) {  // xW, xW1
      ++operators_;
      ++beside_;
      Node left = make(Kind::name, name.substr(0, second), {}, {out.span.begin, out.span.begin + second});
      Node right = make(Kind::name, name.substr(second), {}, {out.span.begin + second, out.span.end});
      if (is("^") && is_name("T", 1)) {
        place_ += 2;
        right = make(Kind::transpose, {}, {std::move(right)}, out.span);
      }
      return make(Kind::binary, "", {std::move(left), std::move(right)}, out.span);
    }
    const std::string base = name.substr(0, name.find('_'));
    const bool several = base.size() == name.size() && name.size() >= 2 && name.size() <= 3 && is_upper(name[0]) &&
                         std::all_of(name.begin(), name.end(), [](char c) { return is_upper(c) || is_lower(c); });
    if (!several) return out;
    if (numbered_name()) return missing("");  // SHA-256
    // The last letter takes what follows: QK^T is Q (K^T).
    Node left = make(Kind::name, std::string(1, name[0]), {}, {out.span.begin, out.span.begin + 1});
    for (std::size_t i = 1; i < name.size(); ++i) {
      Node letter = make(Kind::name, std::string(1, name[i]), {}, {out.span.begin + i, out.span.begin + i + 1});
      if (i + 1 == name.size() && is("^") && is_name("T", 1)) {
        place_ += 2;
        letter = make(Kind::transpose, {}, {std::move(letter)}, out.span);
      }
      ++operators_;
      ++beside_;
      left = make(Kind::binary, "", {std::move(left), std::move(letter)}, out.span);
    }
    return left;
  }

  const Names& names_;
  std::vector<Token> tokens_;
  std::size_t place_ = 0, operators_ = 0, beside_ = 0;  // beside_: operators without a sign
  int depth_ = 0;
  bool indexed_ = false;
  std::vector<std::string> target_indices_;
  std::string problem_;
};

}  // namespace

std::optional<Statement> parse_statement(std::string_view text, std::size_t begin, const Names& names) {
  return Parser(text, begin, names).run();
}

}  // namespace ww::op::formula
