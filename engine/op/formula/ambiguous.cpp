// SPDX-License-Identifier: Apache-2.0
// Signs and names in formulas with two meanings: they are asked about.
#include <algorithm>
#include <cmath>
#include <set>
#include "op/formula/lowering.h"

namespace ww::op::formula {

using Kind = Node::Kind;

bool is_upper_name(const Node& n) {
  const Node& inner = n.kind == Kind::transpose ? n.args[0] : n;
  return inner.kind == Kind::name && inner.text[0] >= 'A' && inner.text[0] <= 'Z';
}

namespace {

// The usual letters of vectors beside a matrix.
bool is_vector_letter(const Node& n) {
  return n.kind == Kind::name && (n.text == "x" || n.text == "y" || n.text == "u" || n.text == "v");
}

}  // namespace

void Lowering::ambiguous(const Node& n) {
  if (n.kind == Kind::binary && !statement_.indexed) ambiguous_name(n);
  for (const Node& a : n.args) ambiguous(a);
  ambiguous_divisor(n);
  ambiguous_bar(n);
  ambiguous_inverse(n);
  if (n.kind != Kind::binary || statement_.indexed) return;
  if (product_of_matrices(n))
    for (const Node& a : n.args) ambiguous_powers(a);
  ambiguous_scalar(n);
  ambiguous_channels(n);
  ambiguous_factors(n);
  const Node& left = n.args[0].kind == Kind::binary && n.args[0].text == "*" ? n.args[0].args[1] : n.args[0];
  const bool matrices =  // "alpha * A * B" too
      (left.kind == Kind::name || n.args[1].kind == Kind::name) && is_upper_name(left) && is_upper_name(n.args[1]);
  const bool vector = n.text == "*" && is_upper_name(left) && left.kind == Kind::name &&  // y = A*x + b
                      is_vector_letter(n.args[1]) && facts_.shapes.empty() && !facts_.rank;
  const bool sign = n.text == "×" || n.text == "·" || n.text == "∘" || n.text == "⊗";
  const bool factor = n.args[0].kind == Kind::number || n.args[1].kind == Kind::number ||
                      n.args[0].kind == Kind::call || n.args[1].kind == Kind::call ||
                      tables_.scalars.count(n.args[0].text);
  if (!(n.text == "*" && matrices) && !vector && !(sign && !(factor && n.text != "⊗"))) return;
  if (n.text != "⊗") out_.unclear.push_back({n.args[0].span.end, n.args[1].span.begin});
  if (!out_.question.empty()) return;
  const std::string a = left.text, b = n.args[1].text;
  if (a.empty() || b.empty() || left.kind != Kind::name || n.args[1].kind != Kind::name) {
    ask("'" + n.text + "' may be the product element by element or of matrices; write '*' or '@'.");
    return;
  }
  ask("Is '" + a + " " + n.text + " " + b + "' the product element by element, or a product of matrices or vectors?");
  if (!matrices && !vector) out_.options = {{"dot product of " + a + " and " + b, "sum of the products"}};
  if (n.text == "⊗") out_.options = {{"outer product of " + a + " and " + b, "every pair of elements"}};
}

// conv2d(x, w) + b: one value for each channel, which are not the last dimension?
void Lowering::ambiguous_channels(const Node& n) {
  if (!out_.question.empty() || (n.text != "+" && n.text != "-" && n.text != "*" && n.text != "/")) return;
  for (std::size_t side = 0; side < 2; ++side) {
    const Node &conv = n.args[side], &other = n.args[1 - side];
    const bool plain = other.kind == Kind::name && !facts_.shapes.count(other.text) &&
                       !facts_.values.count(other.text) && !tables_.scalars.count(other.text);
    if (conv.kind == Kind::call && conv.text.starts_with("conv") && plain)
      ask("Does '" + other.text + "' hold one value for each channel, or has it the shape of the result of '" +
          conv.text + "'? Give its shape, or the bias to the call.");
  }
}

void Lowering::tensor_names(const Node& n, std::set<std::string>& out) const {
  static const std::set<std::string> numbers = {"pi", "e", "inf"};
  if (n.kind == Kind::name && !tables_.scalars.count(n.text) && !facts_.values.count(n.text) && !is_parameter(n) &&
      !numbers.count(n.text))
    out.insert(n.text);
  for (const Node& a : n.args) tensor_names(a, out);
}

bool Lowering::has_matrix(const Node& n) const {
  if (n.kind == Kind::transpose || is_upper_name(n) || (n.kind == Kind::binary && n.text == "@")) return true;
  if (n.kind == Kind::call && (n.text == "matmul" || n.text == "mm" || n.text == "bmm")) return true;
  return std::any_of(n.args.begin(), n.args.end(), [&](const Node& a) { return has_matrix(a); });
}

// "sin(x) cos(x)" and "x^2 exp(x)" can only be element by element, "sin(x) y" may be either.
Lowering::Factors Lowering::factors_of(const Node& n) const {
  std::set<std::string> left, right;
  tensor_names(n.args[0], left);
  tensor_names(n.args[1], right);
  if (left.empty() || right.empty() || has_matrix(n)) return Factors::given;
  const Node& near = n.args[0].kind == Kind::binary && n.args[0].text.empty() ? n.args[0].args[1] : n.args[0];
  if (near.kind == Kind::name && n.args[1].kind == Kind::name) return Factors::given;
  if (near.kind == Kind::name && right.count(near.text)) return Factors::given;  // x (1 + x)
  const bool names = near.kind == Kind::name || n.args[1].kind == Kind::name;
  return left.size() == 1 && left == right && !names ? Factors::elements : Factors::open;
}

void Lowering::ambiguous_factors(const Node& n) {
  if (!n.text.empty() || n.right == 0 || factors_of(n) != Factors::open) return;
  out_.unclear.push_back({n.right, n.right});
  ask("Two factors without a sign between may be multiplied element by element or as matrices; write '*' or '@'.");
}

// x of x^2
const Node* Lowering::power_base(const Node& n) { return n.kind == Kind::binary && n.text == "^" ? &n.args[0] : &n; }

// 1/2x: half of x, or 1 / (2 * x)?
void Lowering::ambiguous_divisor(const Node& n) {
  if (!n.open || !out_.question.empty()) return;
  const Node* first = &n.args[1];  // 2 x of 2 x y
  while (first->args[0].kind == Kind::binary && first->args[0].text.empty()) first = &first->args[0];
  ask("Is the factor behind the fraction one of its divisor? Write '*' or '/' in front of it.");
  out_.insertions.push_back({first->right, 0, "* ", "the fraction times the factor"});
  out_.insertions.push_back({first->right, 0, "/ ", "divided by both"});
}

// \bar{x}: a mean, or a name?
void Lowering::ambiguous_bar(const Node& n) {
  const bool bar = n.kind == Kind::name && n.text.size() == 4 && n.text.ends_with("bar") && n.subscripts.empty();
  if (!bar || facts_.shapes.count(n.text) || facts_.values.count(n.text) || !out_.question.empty()) return;
  const std::string own = n.text.substr(0, 1);
  ask("Is '" + n.text + "' the mean of '" + own + "', of all elements or of each row, or a tensor of its own?");
  const std::size_t size = n.span.end - n.span.begin;
  out_.insertions.push_back({n.span.begin, size, "mean(" + own + ")", "the mean of all elements"});
  out_.insertions.push_back({n.span.begin, size, "mean(" + own + ", dim=1, keepdim=True)", "the mean of each row"});
  out_.insertions.push_back({n.span.begin, size, own + "_mean", "a tensor of its own"});
}

// A power of a name that may be a matrix. In Python x ** 2 is of the elements.
bool Lowering::is_power(const Node& n, double exponent) const {
  if (n.kind != Kind::binary || n.text != "^" || n.exact || n.args[1].kind != Kind::number || statement_.indexed ||
      n.args[1].number != exponent || n.args[0].kind != Kind::name)
    return false;
  const auto shape = facts_.shapes.find(n.args[0].text);
  const bool vector = facts_.rank == 1 || (shape != facts_.shapes.end() && shape->second.size() != 2);
  return !vector && !tables_.scalars.count(n.args[0].text) && !facts_.values.count(n.args[0].text);
}

void Lowering::ambiguous_inverse(const Node& n) {
  const double exponent = n.kind == Kind::binary && n.text == "^" ? n.args[1].number : 0;
  const bool negative = exponent <= -1 && exponent == std::floor(exponent);
  if (!negative || !out_.question.empty() || !is_power(n, exponent) || (exponent < -1 && !is_upper_name(n.args[0])))
    return;
  const std::string base = n.args[0].text, power = std::to_string(static_cast<int>(-exponent));
  ask("Is '" + base + "^-" + power +
      "' the reciprocal of each element, or the inverse of a matrix, which cannot be written in the "
      "op language?");
  out_.insertions.push_back({n.span.begin, n.span.end - n.span.begin,
                             "(1 / " + base + (exponent < -1 ? "**" + power : "") + ")",
                             "the reciprocal of each element"});
}

// A^2 and A^3 in sums and products: a matrix by its capital letter or its use as one. The arguments of functions, such
// as sum(A^2), are their elements.
void Lowering::ambiguous_powers(const Node& n) {
  if (n.kind == Kind::negate || n.kind == Kind::transpose || (n.kind == Kind::binary && n.text != "^"))
    for (const Node& a : n.args)
      if (n.text != "⊙") ambiguous_powers(a);
  if (n.kind != Kind::binary || n.text != "^") return;
  const bool root = n.args[1].kind == Kind::binary && n.args[1].text == "/";
  if ((n.args[1].kind == Kind::name || root) && !n.exact && is_upper_name(n.args[0]) && is_square(n.args[0].text)) {
    ask("Is the power of '" + n.args[0].text +
        "' of each element, or of the matrix? Write '**' for each element; of the matrix it is a product or root that "
        "has to be written out.");
    return;
  }
  if (n.args[1].kind != Kind::number) return;
  const double exponent = n.args[1].number;
  const std::string base = n.args[0].text;
  const bool whole = exponent >= 2 && exponent == std::floor(exponent);
  const bool sum = n.args[0].kind == Kind::binary && (base == "+" || base == "-");
  if (sum && whole && !n.exact && is_upper_name(n.args[0].args[0]) && is_upper_name(n.args[0].args[1]))
    ask("Is the power of '" + n.args[0].args[0].text + " " + base + " " + n.args[0].args[1].text +
        "' of each element, or the matrix times itself? Write '**' for each element, or the product with '@'.");
  if (!whole || !is_power(n, exponent) || !is_square(base) || (!out_.question.empty() && !powers_)) return;
  if (!is_upper_name(n.args[0]) && !is_factor(statement_.value, base)) return;
  const std::string power = number_of(exponent).substr(0, number_of(exponent).find('.'));
  const std::size_t size = n.span.end - n.span.begin;
  ask("Is '" + base + "^" + power + "' the power of each element, or the matrix times itself?");
  powers_ = true;
  if (std::any_of(out_.insertions.begin(), out_.insertions.end(),
                  [&](const Insertion& i) { return i.at == n.span.begin && i.size > 0; }))
    return;  // it is a part of two products
  out_.insertions.push_back({n.span.begin, size, "(" + base + "**" + power + ")", "the power of each element"});
  constexpr double most_factors = 6;
  if (exponent > most_factors) return;
  std::string product = base;
  for (int k = 1; k < static_cast<int>(exponent); ++k) product += " @ " + base;
  out_.insertions.push_back({n.span.begin, size, "(" + product + ")", "the matrix product"});
}

// Not known to have two different sizes.
bool Lowering::is_square(const std::string& name) const {
  const auto given = facts_.shapes.find(name);
  const Shape* shape = given != facts_.shapes.end() ? &given->second : nullptr;
  if (!shape && facts_.general.size() == 1) shape = &facts_.general[0];
  if (!shape) return true;
  if (shape->size() != 2) return false;
  const Size &rows = (*shape)[0], &columns = (*shape)[1];
  return !rows.value || !columns.value || *rows.value == *columns.value;
}

// Whether a product of matrices has this name as a factor.
bool Lowering::is_factor(const Node& n, const std::string& name) const {
  if (n.kind == Kind::binary && product_of_matrices(n))
    for (const Node& a : n.args) {
      const Node& inner = a.kind == Kind::transpose ? a.args[0] : a;
      if (inner.kind == Kind::name && inner.text == name && !(n.text.empty() && is_vector(inner))) return true;
    }
  return std::any_of(n.args.begin(), n.args.end(), [&](const Node& a) { return is_factor(a, name); });
}

// x / T and a*x + y: a number or a tensor?
void Lowering::ambiguous_scalar(const Node& n) {
  const auto open = [&](const Node& x) {
    return x.kind == Kind::name && !facts_.shapes.count(x.text) && !facts_.values.count(x.text) && !is_limit(x.text) &&
           !symbol(x.text);
  };
  if (n.text == "/" && open(n.args[1])) {
    static const std::set<std::string> numbers = {"T", "N", "n", "d", "k", "t", "temperature"};
    if (numbers.count(n.args[1].text))
      ask("What is '" + n.args[1].text + "'? Write its value, such as 'x / 0.5', or the size it stands for.");
  }
  // x / sigma, x / (std + eps), x / sqrt(sigma^2 + eps)
  const Node* below = &n.args[1];
  if (below->kind == Kind::call && below->text == "sqrt" && below->args.size() == 1) below = &below->args[0];
  if (below->kind == Kind::binary && below->text == "+") below = &below->args[0];
  if (below->kind == Kind::binary && below->text == "^") below = &below->args[0];
  if (n.text == "/" && open(*below)) {
    static const std::set<std::string> deviations = {"sigma", "std", "sd", "stddev", "var", "variance"};
    if (deviations.count(below->text) && out_.question.empty()) {
      ask("Is '" + below->text + "' one number per row, or a tensor of its own?");
      out_.options = {{"layernorm", "mean and deviation of each row, with gamma and beta"},
                      {"batchnorm", "a mean and a variance per channel as inputs"}};
      if (!scaled_)
        out_.options = {{"standardize each row", "mean and deviation of each row"},
                        {"(a - b) / c", "element by element, with tensors of one shape"}};
    }
  }
  static const std::set<std::string> factors = {"a", "w", "gamma"};
  const Node& product = n.args[0];
  if (n.text != "+" || product.kind != Kind::binary || product.text != "*" || !open(product.args[0]) ||
      !open(*power_base(product.args[1])) || !factors.count(product.args[0].text) ||
      power_base(product.args[1])->text != "x" || n.args[1].kind != Kind::name || !out_.question.empty())
    return;
  const std::string a = product.args[0].text, y = n.args[1].text;
  ask("Is '" + a + "' a number or a tensor?");
  out_.options = {{"alpha * x + " + y, a + " is a number"}, {a + " ⊙ x + " + y, a + " is a tensor"}};
}

// I - A, A^-1 b
void Lowering::ambiguous_name(const Node& n) {
  const bool sum = n.text == "+" || n.text == "-";
  for (const Node& x : n.args) {
    if (sum && x.kind == Kind::name && x.text == "I" && x.subscripts.empty() && !facts_.shapes.count("I"))
      ask("Is 'I' the identity matrix, or a tensor of its own? Give it another name, or write the formula with "
          "indices.");
    const bool power = x.kind == Kind::binary && x.text == "^" && is_upper_name(x.args[0]);
    if (!power || !product_of_matrices(n)) continue;
    const Node& exponent = x.args[1];
    if (exponent.kind != Kind::negate && !(exponent.kind == Kind::number && exponent.number < 0)) continue;
    out_.impossible = true;
    ask(cannot_be_said("A matrix inverse or decomposition"));
  }
}

// A library's call lines up its result from the last dimension on, wherever the result came from: x - x.mean(1) of a
// square x takes the mean of row c from column c. Of other shapes it is refused there.
bool Lowering::aligned(const Value& high, const Value& low, std::vector<int>& partner) {
  const std::size_t skipped = high.axes.size() - low.axes.size();
  for (std::size_t i = 0; i < low.axes.size(); ++i) {
    const int last = builder_.size_of(high.axes[skipped + i]), own = builder_.size_of(low.axes[i]);
    if (partner[i] < 0 || builder_.same_axis(partner[i], high.axes[skipped + i])) continue;
    const auto a = builder_.value_of(last), b = builder_.value_of(own);
    if (!builder_.same_size(last, own) && !(a && b && *a == *b)) {
      ask("A result without keepdim=True lines up with the last dimensions, not with those it came from. Which is "
          "meant?");
      if (*low.numbered > 0)
        out_.insertions.push_back({*low.numbered, 0, ", keepdim=True", "each result beside what it came from"});
      return false;
    }
    partner[i] = -1;
  }
  return true;
}

}  // namespace ww::op::formula
