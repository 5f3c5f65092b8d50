// SPDX-License-Identifier: Apache-2.0
#include "op/formula/parsing.h"

namespace ww::op::formula {

using Kind = Node::Kind;
using TokenKind = Token::Kind;

namespace {
constexpr int deepest = 60;
}  // namespace

Node make_node(Kind kind, std::string text, std::vector<Node> args, Span span) {
  Node n;
  n.kind = kind;
  n.text = std::move(text);
  n.args = std::move(args);
  n.span = span;
  return n;
}

Node number_node(int value, Span span) {
  Node n = make_node(Kind::number, std::to_string(value), {}, span);
  n.number = value;
  return n;
}

std::optional<Statement> Parser::run() {
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
  const bool setting = out.value.kind == Kind::name &&
                       (out.value.text == "True" || out.value.text == "False" || out.value.text == "None");
  if (setting) return std::nullopt;  // keepdim=True
  if (word_target_ && operators_ == 0 && out.target_subscripts.empty()) return std::nullopt;
  if (out.accumulates && out.target_subscripts.empty() && !indexed_) {  // x += y
    const Node self = make_node(Kind::name, out.target, {}, out.span);
    out.value = make_node(Kind::binary, "+", {self, std::move(out.value)}, out.span);
    out.target.clear();
    out.accumulates = false;
    ++operators_;
  }
  out.signs = operators_ > beside_ || !out.target.empty();
  out.operators = operators_ + (out.target.empty() ? 0 : out.value.kind == Kind::number ? 0 : 1);
  out.indexed = indexed_ || !out.target_subscripts.empty();
  if (out.indexed) {
    subscripted(out.value);
    rows_in_norms(out.value);
    own_indices(out);
    if (out.accumulates) add_to_target(out);
  } else {
    conditions_as_numbers(out.value, true);
    dots_as_products(out.value);
  }
  out.next = at().span.begin;
  out.span.end = place_ > 0 ? tokens_[place_ - 1].span.end : out.span.begin;
  return out;
}

bool Parser::is(std::string_view symbol, std::size_t ahead) const {
  return at(ahead).kind == TokenKind::symbol && at(ahead).text == symbol;
}

bool Parser::take(std::string_view symbol) {
  if (!is(symbol)) return false;
  ++place_;
  return true;
}

bool Parser::is_name(std::string_view name, std::size_t ahead) const {
  return at(ahead).kind == TokenKind::name && at(ahead).text == name;
}

std::optional<Node> Parser::refuse(std::string what) {
  operators_ += 2;
  return missing(std::move(what));
}

std::optional<Node> Parser::missing(std::string what) {
  if (problem_.empty()) problem_ = std::move(what);
  return std::nullopt;
}

bool Parser::definition(Statement& out) {
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

void Parser::target(Statement& out) {
  if (definition(out)) return;
  if (at().kind != TokenKind::name) return;
  const bool word = names_.is_word(at().text);  // "output[i] = ...", "loss = x - y", but not "stride = 2"
  if (word && names_.is_function(at().text)) return;
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
    assigned_ = true;
    word_target_ = word;
    return;
  }
  place_ = back;
}

std::vector<std::string> Parser::brackets() {
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

void Parser::split(std::string& name, std::vector<std::string>& subscripts) {
  const std::size_t bar = name.find('_');
  if (bar == std::string::npos || bar == 0 || bar + 1 == name.size() || name.size() - bar > 5) return;
  if (!std::all_of(name.begin() + static_cast<std::ptrdiff_t>(bar) + 1, name.end(), is_lower)) return;
  for (char c : name.substr(bar + 1)) subscripts.emplace_back(1, c);
  name.resize(bar);
}

void Parser::subscripted(Node& n) {
  if (n.kind == Kind::name && n.subscripts.empty()) split(n.text, n.subscripts);
  for (Node& a : n.args) subscripted(a);
  for (auto& [name, a] : n.named) subscripted(a);
}

std::optional<Node> Parser::choice() {
  if (++depth_ > deepest) return missing("The formula is nested too deeply.");
  auto out = chosen();
  --depth_;
  return out;
}

std::optional<Node> Parser::chosen() {
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
    return make_node(Kind::select, {}, {std::move(*c), std::move(*yes), std::move(*no)}, span);
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
        return make_node(Kind::select, {}, {std::move(*condition), std::move(*c), std::move(*no)}, span);
      }
    }
    place_ = back;
  }
  if (!c || !is("?")) return c;
  ++place_;
  if (auto yes = choice(); yes && take(":"))
    if (auto no = choice()) {
      ++operators_;
      return make_node(Kind::select, {}, {std::move(*c), std::move(*yes), std::move(*no)}, span);
    }
  place_ = back;  // "is it x + y?"
  return c;
}

std::optional<Node> Parser::comparison() {
  auto left = sum();
  for (const char* op : {"<", ">", "<=", ">=", "==", "!="}) {
    if (!left || !is(op)) continue;
    ++place_;
    auto right = sum();
    if (!right) return missing("Something is missing after '" + std::string(op) + "'.");
    ++operators_;
    const Span span{left->span.begin, right->span.end};
    return make_node(Kind::binary, op, {std::move(*left), std::move(*right)}, span);
  }
  return left;
}

std::optional<Node> Parser::sum() {
  return chain({"+", "-"}, [&] { return product(); });
}

std::optional<Node> Parser::product() {
  static constexpr const char* signs[] = {"*", "/", "@", "·", "×", "⊙", "∘", "⊗", "%"};
  auto left = side_by_side();
  while (left) {
    const auto sign = std::find_if(std::begin(signs), std::end(signs), [&](const char* s) { return is(s); });
    if (sign == std::end(signs)) break;
    const bool slash = is("/"), tight = !at().spaced && !at(1).spaced;
    ++place_;
    ++operators_;
    bool open = false;
    auto right = slash ? divisor(*left, tight, open) : side_by_side();
    if (!right) return missing("Something is missing after '" + std::string(*sign) + "'.");
    const Span span{left->span.begin, right->span.end};
    left = make_node(Kind::binary, *sign, {std::move(*left), std::move(*right)}, span);
    left->open = open;
    if (!slash || !factor_follows(*left)) continue;
    const std::size_t back = place_, begin = at().span.begin;
    const bool group = is("(");
    auto factor = side_by_side();
    if (!factor && group) {  // "x/2 (64, 128)"
      place_ = back;
      problem_.clear();
      break;
    }
    left = beside(std::move(*left), begin, std::move(factor));
  }
  return left;
}

namespace {

// 2, 2 pi, sqrt(2)
bool is_constant(const Node& n) {
  if (n.kind == Kind::number) return true;
  if (n.kind == Kind::name) return n.text == "pi" || n.text == "π";
  const bool made = n.kind == Kind::binary || n.kind == Kind::negate || (n.kind == Kind::call && n.text == "sqrt");
  return made && n.named.empty() && std::all_of(n.args.begin(), n.args.end(), is_constant);
}

}  // namespace

// In "1/2 x" the divisor is 2; what it is in "1/2x" and "1 / 2 x" is open.
std::optional<Node> Parser::divisor(const Node& above, bool tight, bool& open) {
  auto alone = unary();
  if (!alone) return alone;
  const bool constant = is_constant(*alone), fraction = constant || (alone->kind == Kind::name && is_constant(above));
  if (fraction && tight && at().spaced && factor_follows(*alone)) return alone;
  const std::size_t behind = place_;
  auto whole = with_factors(std::move(alone));
  open = whole && constant && place_ > behind;
  return whole;
}

bool Parser::factor_follows(const Node& left) const {
  if (left.kind == Kind::name && !tensor_like(left.text)) return false;
  return begins_operand() || (is("(") && at().spaced);
}

// The product of two factors without a sign between.
std::optional<Node> Parser::beside(Node left, std::size_t begin, std::optional<Node> right) {
  if (!right) return std::nullopt;
  ++operators_;
  ++beside_;
  const Span span{left.span.begin, right->span.end};
  Node out = make_node(Kind::binary, "", {std::move(left), std::move(*right)}, span);
  out.right = begin;
  return out;
}

std::optional<Node> Parser::side_by_side() { return with_factors(unary()); }

std::optional<Node> Parser::with_factors(std::optional<Node> left) {
  // Only names of one letter and brackets stand side by side: anything else is a word.
  const auto joins = [&] { return left->kind != Kind::name || tensor_like(left->text); };
  while (left && joins()) {
    const bool group = is("(") && (place_ == factor_ || (operators_ > 0 && at().spaced && is_data(*left)));
    if (!begins_operand() && !group) break;
    const std::size_t back = place_, begin = at().span.begin;
    auto right = unary();
    if (!right && group) {
      place_ = back;
      problem_.clear();
      break;
    }
    left = beside(std::move(*left), begin, std::move(right));
  }
  return left;
}

bool Parser::is_data(const Node& n) {
  const Node& last = n.kind == Kind::binary && n.text.empty() ? n.args[1] : n;
  const bool indexed = !last.subscripts.empty() || last.text.find('_') == 1;  // w_i (x_i - y_i)
  return last.kind == Kind::name && (indexed || last.text == "x" || last.text == "y" || last.text == "z");
}

bool Parser::begins_operand() const {
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
    const bool element = at(1).kind == TokenKind::name && at(1).text.find('_') != std::string::npos;  // p_i
    const bool same = place_ > 0 && tokens_[place_ - 1].text == at(1).text;                           // p log p
    return (is("(", 1) && !at(1).spaced) ||
           (log && (is("\\frac", 1) || ((element || same) && tensor_like(at(1).text))));
  }
  if (name == "log_2" || name == "log_10") return true;
  return tensor_like(name) && !names_.is_word(name);
}

bool Parser::tensor_like(const std::string& name) {
  const std::string base = name.substr(0, name.find('_'));
  if (base.size() == 1 || (base.size() == 2 && base[1] >= '0' && base[1] <= '9')) return true;
  if (weight_in(name) > 0 ||
      ((base.size() == 4 || base.size() == 6) && (base.ends_with("hat") || base.ends_with("bar"))))
    return true;
  if (base.size() <= 3 && is_upper(base[0]) &&
      std::all_of(base.begin(), base.end(), [](char c) { return is_upper(c) || is_lower(c); }))
    return true;
  for (const char* greek : {"alpha", "beta", "gamma", "mu", "sigma", "lambda", "eps", "tau", "delta", "eta", "theta",
                            "kappa", "rho", "phi", "psi", "omega", "pi"})
    if (base == greek) return true;
  return false;
}

std::optional<Node> Parser::unary() {
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
    return make_node(Kind::negate, {}, {std::move(*value)}, span);
  }
  if (take("√")) {
    ++operators_;
    auto value = is("{") ? group("{", "}") : power();
    if (!value) return missing("Something is missing under the root.");
    if (is("(") && !at().spaced) factor_ = place_;  // √(2/π)(x + y)
    return make_node(Kind::call, "sqrt", {std::move(*value)}, span);
  }
  return power();
}

std::optional<Node> Parser::power() {
  auto base = postfix();
  if (!base || !is("^")) return base;
  const bool python = at().span.end - at().span.begin == 2;  // **
  ++place_;
  ++operators_;
  if (is_name("T") || (is("{") && is_name("T", 1) && is("}", 2))) {
    place_ += is_name("T") ? 1 : 3;
    const Span span = base->span;
    auto turned = make_node(Kind::transpose, {}, {std::move(*base)}, span);
    return turned;
  }
  auto exponent = is("{") ? group("{", "}") : unary();
  if (!exponent) return missing("Something is missing after '^'.");
  const Span span{base->span.begin, tokens_[place_ - 1].span.end};
  if (base->kind == Kind::name && base->text == "e") return make_node(Kind::call, "exp", {std::move(*exponent)}, span);
  Node out = make_node(Kind::binary, "^", {std::move(*base), std::move(*exponent)}, span);
  out.exact = python;
  return out;
}

std::optional<Node> Parser::group(const char* open, const char* close) {
  if (!take(open)) return missing("A bracket is missing.");
  auto inner = choice();
  if (!inner || !take(close)) return missing("A closing bracket is missing.");
  return inner;
}

std::optional<Statement> parse_statement(std::string_view text, std::size_t begin, const Names& names) {
  return Parser(text, begin, names).run();
}

}  // namespace ww::op::formula
