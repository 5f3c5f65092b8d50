// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <iterator>
#include <map>
#include "op/formula/parsing.h"

namespace ww::op::formula {

using Kind = Node::Kind;
using TokenKind = Token::Kind;

std::optional<Node> Parser::postfix() {
  auto value = primary();
  if (value) pair_part(*value);
  if (value && is("!") && !at().spaced && (value->kind != Kind::name || tensor_like(value->text)))
    return refuse("A factorial ('!') is not understood; write the formula without it.");
  while (value && (slice(*value) || (is(".") && at(1).kind == TokenKind::name && !at(1).spaced))) {
    if (value->kind == Kind::slice && !is(".")) continue;
    if (size_of(*value)) continue;
    const std::string name = at(1).text;
    const Span span = at(1).span;
    if (name == "T" || name == "mT") {
      place_ += 2;
      ++operators_;
      const Span whole{value->span.begin, span.end};
      value = make_node(Kind::transpose, {}, {std::move(*value)}, whole);
      continue;
    }
    if (!is("(", 2)) return missing("'." + name + "' is not understood.");
    place_ += 2;
    ++operators_;
    Node call = make_node(Kind::call, name, {}, span);
    call.exact = true;
    call.args.push_back(std::move(*value));
    if (!arguments(call)) return std::nullopt;
    sizes_as_words(call);
    pair_part(call);
    value = std::move(call);
  }
  return value;
}

// x.shape[0], as x.size(0)
bool Parser::size_of(Node& value) {
  if (!is(".") || !is_name("shape", 1) || !is("[", 2)) return false;
  const std::size_t number = is("-", 3) ? 4 : 3;
  if (at(number).kind != TokenKind::number || !is("]", number + 1)) return false;
  Node dim = make_node(Kind::number, at(number).text, {}, at(number).span);
  dim.number = number == 4 ? -at(number).number : at(number).number;
  const Span span{value.span.begin, at(number + 1).span.end};
  place_ += number + 2;
  ++operators_;
  value = make_node(Kind::call, "size", {std::move(value), std::move(dim)}, span);
  value.exact = true;
  return true;
}

namespace {

// "H*D" of H * D, "B" of B; empty where it is no size.
std::string size_words(const Node& n) {
  if (n.kind == Kind::name && n.subscripts.empty()) return n.text;
  if (n.kind == Kind::word) return n.text == "None" ? std::string() : n.text;
  if (n.kind == Kind::number && n.number >= 1 && n.number == static_cast<double>(static_cast<int>(n.number)))
    return std::to_string(static_cast<int>(n.number));
  if (n.kind != Kind::binary || n.text != "*") return {};
  const std::string left = size_words(n.args[0]), right = size_words(n.args[1]);
  return left.empty() || right.empty() ? std::string() : left + "*" + right;
}

}  // namespace

// The new sizes of x.view(B, T, H*D) are no tensors.
void Parser::sizes_as_words(Node& call) {
  if (!call.exact || (call.text != "view" && call.text != "reshape")) return;
  for (std::size_t i = 1; i < call.args.size(); ++i) {
    Node& a = call.args[i];
    if (a.kind != Kind::name && a.kind != Kind::binary) continue;
    const std::string text = size_words(a);
    if (!text.empty()) a = make_node(Kind::word, text, {}, a.span);
  }
}

bool Parser::arguments(Node& call) {
  ++calls_;
  const bool read = arguments_of(call);
  --calls_;
  return read;
}

bool Parser::arguments_of(Node& call) {
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
  call.close = at().span.begin;
  if (take(")")) return true;
  missing("A closing bracket is missing in the call of '" + call.text + "'.");
  return false;
}

std::optional<Node> Parser::list(Span span) {
  Node out = make_node(Kind::tuple, {}, {}, span);
  take("[");
  do {
    auto value = choice();
    if (!value) return std::nullopt;
    out.args.push_back(std::move(*value));
  } while (take(","));
  if (!take("]")) return missing("A closing bracket is missing.");
  return out;
}

bool Parser::pair_part(Node& call) {
  static const std::map<std::string, std::string> values = {
      {"max", "amax"}, {"min", "amin"}, {"cummax", "cummax"}, {"cummin", "cummin"}};
  const auto own = values.find(call.text);
  const bool dimension = call.args.size() == 2 && call.args[1].kind == Kind::number;
  const bool named =
      std::any_of(call.named.begin(), call.named.end(), [](const NamedArgument& a) { return a.name == "dim"; });
  if (call.kind != Kind::call || own == values.end() || !call.exact || (!dimension && !named)) return false;
  const bool field = is(".") && (is_name("values", 1) || is_name("indices", 1)) && !is("(", 2);
  const bool number = is("[") && at(1).kind == TokenKind::number && is("]", 2);
  if (!field && !(number && (at(1).number == 0 || at(1).number == 1))) return false;
  const bool positions = field ? is_name("indices", 1) : at(1).number == 1;
  if (positions && call.text.starts_with("cum")) return false;
  call.text = positions ? "arg" + call.text : own->second;
  call.exact = false;  // no longer both of them
  call.library.clear();
  call.module.clear();
  place_ += field ? 2 : 3;
  return true;
}

std::optional<Node> Parser::argument() {
  const Span span = at().span;
  if (at().kind == TokenKind::quoted || is_name("True") || is_name("False") || is_name("None")) {
    ++place_;
    return make_node(Kind::word, tokens_[place_ - 1].text, {}, span);
  }
  const bool member = at().kind == TokenKind::name && names_.is_namespace(at().text) && is(".", 1);
  if (member &&
      (is_name("inf", 2) || (at(2).kind == TokenKind::name && !is_name("pi", 2) && (is(")", 3) || is(",", 3))))) {
    place_ += 3;  // np.inf, torch.float16
    return make_node(Kind::word, tokens_[place_ - 1].text, {}, span);
  }
  if (is_name("float") && is("(", 1) && at(2).kind == TokenKind::quoted && at(2).text == "inf" && is(")", 3)) {
    place_ += 4;
    return make_node(Kind::word, "inf", {}, span);
  }
  if (is("[") && at(1).kind == TokenKind::name) return list(span);
  const char* close = is("[") ? "]" : ")";
  if (is("(") || is("[")) {
    const std::size_t back = place_;
    ++place_;
    Node list = make_node(Kind::tuple, {}, {}, span);
    bool comma = false;
    const auto size = [&] {
      const bool number = at().kind == TokenKind::number || (is("-") && at(1).kind == TokenKind::number);
      return number || (at().kind == TokenKind::name && (is(",", 1) || is(close, 1)) && !names_.is_function(at().text));
    };
    while (size()) {
      if (at().kind == TokenKind::name) {
        list.args.push_back(make_node(Kind::word, at().text, {}, at().span));
        ++place_;
      } else {
        auto value = unary();
        if (!value) return std::nullopt;
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

std::optional<Node> Parser::primary() {
  const Token& t = at();
  if (t.kind == TokenKind::number) return number();
  if (is("(") && shape_in_brackets()) return missing("");
  if (is("(")) return group("(", ")");
  if (is("\\frac")) return fraction();
  if (is("\\sum")) return total(t.span);
  if (is("|") || is("||")) return bars(t.text);
  if (is("⌊")) return rounded("floor", "⌊", "⌋");
  if (is("⌈")) return rounded("ceil", "⌈", "⌉");
  if (t.kind != TokenKind::name) return missing("Something is missing in the formula.");
  if (t.text == "sum" && at(1).kind == TokenKind::name && !is("(", 1)) return sum_of_product();
  for (const std::string_view how : {"sum_", "max_", "min_", "prod_"})
    if (t.text.starts_with(how) && t.text.size() > how.size() && !names_.is_function(t.text)) return total(t.span);
  return named();
}

// "(M x K)", "(B x T x 64)": the shape of what stands in front.
bool Parser::shape_in_brackets() const {
  std::size_t i = 1;
  for (;; i += 2) {
    const Token& size = at(i);
    const bool letter = size.kind == TokenKind::name && size.text.size() == 1 && is_upper(size.text[0]);
    if (!letter && size.kind != TokenKind::number) return false;
    if (is(")", i + 1)) return i > 1;
    if (!is_name("x", i + 1)) return false;
  }
}

// "kl = sum p * log(p / q)": of a product with signs; anything else behind the word is prose.
std::optional<Node> Parser::sum_of_product() {
  if (!assigned_ || names_.is_word(at(1).text)) return missing("");
  const Span span = at().span;
  ++place_;
  auto body = product();
  if (!body || body->kind != Kind::binary || body->text.empty()) return missing("");
  ++operators_;
  return make_node(Kind::call, "sum", {std::move(*body)}, span);
}

std::optional<Node> Parser::number() {
  const Token& t = at();
  Node n = make_node(Kind::number, t.text, {}, t.span);
  n.number = t.number;
  ++place_;
  const bool shape = !at().spaced && at().kind == TokenKind::name && (at().text[0] == 'x' || at().text[0] == 'X') &&
                     at().text.size() > 1 && at().text[1] >= '0' && at().text[1] <= '9';
  const bool sizes = is("×") && at(1).kind == TokenKind::number;
  const bool by = is_name("x") && at(1).kind == TokenKind::number;
  if (shape || sizes || by) return missing("");  // 512x1024
  return n;
}

std::optional<Node> Parser::fraction() {
  const Span span = at().span;
  ++place_;
  ++operators_;
  auto above = group("{", "}");
  if (!above) return std::nullopt;
  auto below = group("{", "}");
  if (!below) return std::nullopt;
  return make_node(Kind::binary, "/", {std::move(*above), std::move(*below)}, span);
}

static const char* const part_of_dimension =
    "A sum is understood over a whole dimension; write another range as an op spec: sum(j in 0..N - 1) x[i, j].";

// "max_i", "prod_i=1": what stands below the name. Whether it is over a whole dimension.
bool Parser::bounds_in_name(std::string& name, std::vector<std::string>& over, std::string& lower) {
  const std::size_t bar = name.find('_');
  if (bar == std::string::npos) return true;
  std::size_t at = bar + 1;
  for (; at < name.size() && is_lower(name[at]); ++at) over.emplace_back(1, name[at]);
  lower = name.substr(at);
  name.resize(bar);
  return lower.empty() || lower == "=0" || lower == "=1";
}

// The upper limit of a sum over a whole dimension is its size: N, or N - 1 where the sum begins at 0.
bool Parser::upper_limit(const std::string& lower, std::string& letter) {
  const bool braced = take("{");
  if (at().kind != TokenKind::name || at().text == "infty" || at().text == "inf") return false;
  letter = at().text;
  ++place_;
  const bool less = braced && is("-") && at(1).kind == TokenKind::number && at(1).number == 1;
  if (less) place_ += 2;
  if ((less && lower == "=1") || (!less && lower == "=0")) return false;
  return !braced || take("}");
}

// Whether a letter counts something: an index of the left side or of a subscript, or i or j, which are no sizes.
bool Parser::is_index(const std::string& letter, const Node& body) const {
  if (letter == "i" || letter == "j") return true;
  if (std::find(target_indices_.begin(), target_indices_.end(), letter) != target_indices_.end()) return true;
  return bound_by(body, {letter});
}

// x_i, before its index is set apart.
static bool has_index(const Node& n) {
  return (n.kind == Node::Kind::name && n.text.find('_') != std::string::npos) ||
         std::any_of(n.args.begin(), n.args.end(), has_index);
}

std::optional<Node> Parser::total(Span span) {
  std::vector<std::string> over;
  std::string name = at().text, lower;
  ++place_;
  if (name[0] != '\\' && !bounds_in_name(name, over, lower)) return refuse(part_of_dimension);
  const std::string how = name == "sum" || name[0] == '\\' ? std::string() : name;
  if (name == "\\sum" && at().kind == TokenKind::name && at().text.size() > 1 && at().text[0] == '_') {
    std::size_t behind = 1;
    while (behind < at().text.size() && is_lower(at().text[behind])) ++behind;
    for (char c : at().text.substr(1, behind - 1)) over.emplace_back(1, c);
    lower = at().text.substr(behind);
    if (!lower.empty() && lower != "=0" && lower != "=1") return refuse(part_of_dimension);
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
    if (!take("}")) return refuse(part_of_dimension);
  }
  std::string limit;
  if (take("^") && !upper_limit(lower, limit)) return refuse(part_of_dimension);
  ++operators_;
  const bool indexed = std::exchange(indexed_, false);
  auto body = product();
  const bool whole =
      over.empty() && limit.empty() && name == "\\sum" && !indexed && !indexed_ && body && !has_index(*body);
  indexed_ = !whole;
  if (!body) return missing("Something is missing after the sum sign.");
  if (whole) return total_of_all(std::move(*body), span);
  if (!limit.empty() && is_index(limit, *body)) return refuse(part_of_dimension);
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
    body = make_node(Kind::binary, sign, {std::move(*body), std::move(*more)}, both);
  }
  Node out = make_node(Kind::sum, how, {std::move(*body)}, span);
  out.subscripts = std::move(over);
  out.limit = std::move(limit);
  return out;
}

// Σ y log(p): a factor in front of a function of elements.
static void factors_by_element(Node& n) {
  if (n.kind == Node::Kind::binary && n.text.empty() && n.args[1].kind == Node::Kind::call &&
      (n.args[1].text == "log" || n.args[1].text == "ln" || n.args[1].text == "exp"))
    n.text = "*";
  for (Node& a : n.args) factors_by_element(a);
}

// Σ x²: of names without indices. Whether "Σ x - y" holds y is not clear.
std::optional<Node> Parser::total_of_all(Node body, Span span) {
  const Token& next = at(1);
  const bool apart = next.kind == TokenKind::number || next.text == "\\sum" || next.text == "√" || next.text == "(";
  if ((is("+") || is("-")) && !apart)
    return refuse("Where does the sum end? Put what it sums in brackets, such as Σ(x - y) or (Σ x) - y.");
  factors_by_element(body);
  return make_node(Kind::call, "sum", {std::move(body)}, span);
}

bool Parser::bound_by(const Node& n, const std::vector<std::string>& indices) const {
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

std::optional<Node> Parser::rounded(const char* name, const char* open, const char* close) {
  const Span span = at().span;
  auto inner = group(open, close);
  if (!inner) return std::nullopt;
  ++operators_;
  return make_node(Kind::call, name, {std::move(*inner)}, span);
}

std::optional<Node> Parser::bars(const std::string& bar) {
  const Span span = at().span;
  ++place_;
  auto inner = sum();
  if (!inner || !take(bar)) return missing("A closing '" + bar + "' is missing.");
  ++operators_;
  Node out = make_node(Kind::call, bar == "|" ? "abs" : "norm", {std::move(*inner)}, span);
  out.close = tokens_[place_ - 1].span.end;
  if (bar == "||" && (is_name("_2") || is_name("_F"))) {
    ++place_;
    out.text = "frobenius_norm";
  } else if (bar == "||" && (is_name("_1") || is_name("_inf") || is_name("_infty"))) {
    const char* joined = is_name("_1") ? "sum" : "max";
    ++place_;
    out = make_node(Kind::call, joined, {make_node(Kind::call, "abs", std::move(out.args), span)}, span);
  }
  return out;
}

// sin²(x)
bool Parser::raised_call(const std::string& name) const {
  const double power = at(1).kind == TokenKind::number ? at(1).number : 0;
  return names_.is_function(name) && is("^") && (power == 2 || power == 3) && is("(", 2) && !at(2).spaced;
}
std::optional<Node> Parser::call_to_power(const std::string& name, Span span) {
  const int power = static_cast<int>(at(1).number);
  place_ += 2;
  Node call = make_node(Kind::call, name, {}, span);
  operators_ += 2;
  if (!arguments(call)) return std::nullopt;
  return make_node(Kind::binary, "^", {std::move(call), number_node(power, span)}, span);
}

// "x(1 - x)", "0.5x(1 + tanh(x))": a product, no call of x.
bool Parser::factor_ahead(const std::string& name) const {
  if (!is("(") || at().spaced || at(1).kind != TokenKind::number || !(is("+", 2) || is("-", 2))) return false;
  bool own = false;
  int depth = 0;
  for (std::size_t i = place_; i < tokens_.size(); ++i) {
    const std::string& text = tokens_[i].text;
    depth += text == "(" ? 1 : text == ")" ? -1 : 0;
    if (depth == 0) return own;
    if (depth == 1 && text == ",") return false;
    own = own || text == name;
  }
  return false;
}

std::optional<Node> Parser::named() {
  const Token first = at();
  std::string name = first.text;
  ++place_;
  bool exact = false;
  const std::string prefix = name;
  std::string module;
  while (names_.is_namespace(name) && is(".") && at(1).kind == TokenKind::name) {
    module = std::move(name);
    name = at(1).text;
    place_ += 2;
    exact = true;
  }
  if (!exact && is("(") && (name == "log_2" || name == "log_10")) name.erase(3, 1);
  if (!exact && raised_call(name)) return call_to_power(name, first.span);
  if (!exact && name.size() == 1 && !names_.is_function(name) && factor_ahead(name)) factor_ = place_;
  if (is("(") && place_ != factor_ && (exact || !at().spaced || names_.is_function(name))) {
    const bool tensor = name.size() == 1 && !names_.is_function(name) && at().spaced;
    if (!tensor) {
      Node call = make_node(Kind::call, name, {}, {first.span.begin, at().span.begin});
      call.exact = exact;
      if (exact) call.library = prefix, call.module = module;
      ++operators_;
      if (!arguments(call)) return std::nullopt;
      sizes_as_words(call);
      return call;
    }
  }
  static const std::set<std::string> unary_functions = {"log", "ln", "exp", "log2", "log10"};
  if (name == "log_2" || name == "log_10") name.erase(3, 1);
  const bool operand = is("\\frac") || is("√") || is("|") ||
                       (begins_operand() && at().text.size() <= 4 && !names_.is_function(at().text));
  if (!exact && unary_functions.count(name) && operand) {  // log p_i, log \frac{p}{q}
    ++operators_;
    auto argument = unary();
    if (!argument) return std::nullopt;
    return make_node(Kind::call, name, {std::move(*argument)}, {first.span.begin, at().span.begin});
  }
  if (exact && name == "pi") exact = false;
  if (exact) return missing("'" + name + "' needs its arguments in brackets.");
  if (const std::size_t bar = name.find('_'); bar != std::string::npos && name.find_first_of("+-", bar) != bar &&
                                              name.find_first_of("+-", bar) != std::string::npos)
    return refuse("The index of '" + name.substr(0, bar) + "_{" + name.substr(bar + 1) +
                  "}' is shifted; write the left side with its index too, such as y_i = x_{i+1} - x_i.");
  if (names_.is_word(name) && (names_.is_function(name) || !between_signs())) return missing("");
  Node out = make_node(Kind::name, name, {}, first.span);
  out.subscripts = brackets();
  if (!out.subscripts.empty()) {
    indexed_ = true;
    return out;
  }
  if (is("[") && slice_parts().empty()) return missing("");  // x[128, 256] is a shape
  return is("[") ? out : letters(std::move(out));
}

bool Parser::between_signs() const {
  const bool braced = place_ > 1 && tokens_[place_ - 2].text == "{" && tokens_[place_].text == "}";  // \frac{1}{NM}
  if (braced) return true;
  if (is("[") && !at().spaced && !slice_parts().empty()) return true;
  if (!assigned_ && calls_ == 0) return false;
  const auto sign = [](const Token& t, std::string_view last) {
    static constexpr std::string_view signs[] = {"+", "-", "*", "/", "@", "^", "·", "⊙", ","};
    return t.kind == TokenKind::symbol &&
           (t.text == last || std::find(std::begin(signs), std::end(signs), t.text) != std::end(signs));
  };
  const Token& next = tokens_[place_];
  if (next.kind == TokenKind::symbol && next.text == "[" && !next.spaced) return true;
  const bool arithmetic = sign(next, ")") && next.text != "," ? true : calls_ > 0 && next.text == ",";
  const bool front = place_ > 1 && (sign(tokens_[place_ - 2], "(") || (assigned_ && tokens_[place_ - 2].text == "="));
  const bool last = front && (tokens_[place_ - 2].text != "(" || calls_ > 0);
  return front && (arithmetic ||
                   (last && (next.kind == TokenKind::end || sign(next, ")") || next.text == ";" || next.text == ":")));
}

bool Parser::numbered_name() const {
  const bool hyphen = is("-") && !tokens_[place_].spaced;
  return hyphen && tokens_[place_ + 1].kind == Token::Kind::number && !tokens_[place_ + 1].spaced;
}

std::size_t Parser::weight_in(const std::string& name) {
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

std::optional<Node> Parser::letters(Node out) {
  const std::string& name = out.text;
  if (const std::size_t second = weight_in(name); second > 0) {  // xW, xW1
    ++operators_;
    ++beside_;
    Node left = make_node(Kind::name, name.substr(0, second), {}, {out.span.begin, out.span.begin + second});
    Node right = make_node(Kind::name, name.substr(second), {}, {out.span.begin + second, out.span.end});
    if (is("^") && is_name("T", 1)) {
      place_ += 2;
      right = make_node(Kind::transpose, {}, {std::move(right)}, out.span);
    }
    return make_node(Kind::binary, "", {std::move(left), std::move(right)}, out.span);
  }
  const std::string base = name.substr(0, name.find('_'));
  const bool several = base.size() == name.size() && name.size() >= 2 && name.size() <= 3 && is_upper(name[0]) &&
                       std::all_of(name.begin(), name.end(), [](char c) { return is_upper(c) || is_lower(c); });
  if (!several) return out;
  if (numbered_name() || names_.is_abbreviation(name)) return missing("");  // SHA-256, MLP
  // The last letter takes what follows: QK^T is Q (K^T).
  Node left = make_node(Kind::name, std::string(1, name[0]), {}, {out.span.begin, out.span.begin + 1});
  for (std::size_t i = 1; i < name.size(); ++i) {
    Node letter = make_node(Kind::name, std::string(1, name[i]), {}, {out.span.begin + i, out.span.begin + i + 1});
    if (i + 1 == name.size() && is("^") && is_name("T", 1)) {
      place_ += 2;
      letter = make_node(Kind::transpose, {}, {std::move(letter)}, out.span);
    }
    ++operators_;
    ++beside_;
    left = make_node(Kind::binary, "", {std::move(left), std::move(letter)}, out.span);
  }
  return left;
}

}  // namespace ww::op::formula
