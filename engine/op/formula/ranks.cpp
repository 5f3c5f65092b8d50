// SPDX-License-Identifier: Apache-2.0
// The ranks of tensors that a formula gives no shape, from where it uses them, and which of its signs are products of
// matrices.
#include <algorithm>
#include "op/formula/lowering.h"

namespace ww::op::formula {

using Kind = Node::Kind;

namespace {

bool is_single_lower(const Node& n) {
  return n.kind == Kind::name && !n.text.empty() && n.text[0] >= 'a' && n.text[0] <= 'z' &&
         (n.text.size() == 1 || n.text[1] == '_' || (n.text.size() == 2 && n.text[1] >= '0' && n.text[1] <= '9'));
}

bool names(const Node& n, const std::string& name) {
  if (n.kind == Kind::name && n.text == name) return true;
  return std::any_of(n.args.begin(), n.args.end(), [&](const Node& a) { return names(a, name); });
}
}  // namespace

// A vector beside a matrix; q, k and v are matrices of attention, v alone is none.
bool Lowering::is_vector(const Node& n) const {
  if (n.text == "q" || n.text == "k") return false;
  if (n.text == "v")
    for (const char* other : {"q", "k", "Q", "K"})
      if (names(statement_.value, other)) return false;
  return is_single_lower(n);
}

// gamma and beta scale and shift the columns, as in normalisation.
void Lowering::parameters(const Node& n) {
  const std::string base = n.kind == Kind::name ? n.text.substr(0, n.text.find('_')) : std::string();
  if (base == "gamma") scaled_ = true;
  if ((base == "gamma" || base == "beta") && n.subscripts.empty() && !statement_.indexed) columns_.insert(n.text);
  for (const Node& a : n.args) parameters(a);
}

namespace {

// Names in sums and products by numbers: beta * y.
void plain_names(const Node& n, std::vector<const Node*>& out) {
  if (n.kind == Kind::name) out.push_back(&n);
  if (n.kind == Kind::binary && n.text != "@" && !n.text.empty())
    for (const Node& a : n.args) plain_names(a, out);
}

}  // namespace

// Of a product of a matrix and a vector 1; -1: not known.
int Lowering::rank_of_product(const Node& n) const {
  if (n.kind != Kind::binary) return -1;
  if (n.text == "*" || n.text == "·") return std::max(rank_of_product(n.args[0]), rank_of_product(n.args[1]));
  if (!product_of_matrices(n)) return -1;
  const auto rank = [&](const Node& x) {
    const auto hint = x.kind == Kind::name ? rank_.find(x.text) : rank_.end();
    return hint == rank_.end() ? 2 : hint->second;
  };
  return rank(n.args[0]) == 2 && rank(n.args[1]) == 1 ? 1 : -1;
}

// x of x.T @ A @ y, where both are vectors; null where the product is no such form.
const Node* Lowering::row_of_form(const Node& n) const {
  const Node &a = n.args[0], &b = n.args[1];
  const bool form = n.text == "@" && a.kind == Kind::binary && a.text == "@" && a.args[0].kind == Kind::transpose &&
                    is_upper_name(a.args[1]) && is_vector(a.args[0].args[0]) && is_vector(b);
  return form ? &a.args[0].args[0] : nullptr;
}

// argmax(x, dim) or argmin, which has one dimension fewer.
bool Lowering::is_position(const Node& n) {
  const bool kept =
      std::any_of(n.named.begin(), n.named.end(), [](const NamedArgument& a) { return a.name.starts_with("keepdim"); });
  return n.kind == Kind::call && (n.text == "argmax" || n.text == "argmin") && !n.args.empty() && !kept &&
         n.args.size() + n.named.size() == 2;
}

// A product of matrices or vectors.
void Lowering::ranks_of_product(const Node& n) {
  const Node &a = n.args[0], &b = n.args[1];
  const bool beside = n.text.empty();
  const auto vector = [&](const Node& x) {
    const Node& inner = x.kind == Kind::transpose ? x.args[0] : x;
    return is_vector(inner) && beside;
  };
  if (vector(a) && vector(b)) {
    ranks(a.kind == Kind::transpose ? a.args[0] : a, 1);
    ranks(b.kind == Kind::transpose ? b.args[0] : b, 1);
    return;
  }
  if (const Node* first = row_of_form(n)) {  // x.T @ A @ y
    ranks(*first, 1);
    ranks(a.args[1], 2);
    ranks(b, 1);
    return;
  }
  const bool column = is_vector(b) && (beside || is_upper_name(a));
  const bool rows = vector(a) && a.kind == Kind::name && (is_upper_name(b) || b.kind == Kind::transpose);
  ranks(a, rows ? 2 : vector(a) ? 1 : a.kind == Kind::name ? 2 : -1);
  ranks(b, column ? 1 : b.kind == Kind::name ? 2 : -1);
}

// a @ b + c: where small letters are matrices, c may be one, too.
void Lowering::ask_about_addend(const Node& sum, const Node& other) {
  const bool said = rank_.count("c") || facts_.shapes.count("c") || facts_.rank || !facts_.general.empty();
  if (other.text != "c" || said || !names(sum, "a") || !names(sum, "b") || !out_.question.empty()) return;
  ask("Is 'c' a matrix, or one value for each column?");
  out_.insertions.push_back({statement_.span.end, 0, ", c: (M, N)", "c is a matrix"});
  out_.insertions.push_back({statement_.span.end, 0, ", c: (N)", "one value for each column"});
}

void Lowering::ranks(const Node& n, int want) {
  if (n.kind == Kind::name) {
    if (want >= 0) rank_.emplace(n.text, want);
    return;
  }
  if (n.kind == Kind::transpose) {
    ranks(n.args[0], want >= 0 ? want : 2);
    return;
  }
  if (n.kind == Kind::slice) {  // x[1:] is of a vector, x[..., 1:] of the usual rank
    const bool open = std::find(n.subscripts.begin(), n.subscripts.end(), "...") != n.subscripts.end();
    const auto news = std::count(n.subscripts.begin(), n.subscripts.end(), "None");
    const int parts = static_cast<int>(n.subscripts.size()) - static_cast<int>(news);
    const int given = facts_.general.size() == 1 ? static_cast<int>(facts_.general[0].size()) : 0;
    ranks(n.args[0], open || n.args[0].kind != Kind::name ? -1 : std::max(parts, given));
    return;
  }
  if (n.kind == Kind::binary && !statement_.indexed && product_of_matrices(n)) return ranks_of_product(n);
  if (n.kind == Kind::binary && (n.text == "==" || n.text == "!="))  // logits.argmax(-1) == labels
    for (std::size_t side = 0; side < 2; ++side) {
      const Node &place = n.args[side], &label = n.args[1 - side];
      if (!is_position(place) || label.kind != Kind::name) continue;
      rank_.emplace(label.text, std::max(rank_of_argument(place.args[0]) - 1, 0));
    }
  if (n.kind == Kind::binary && (n.text == "+" || n.text == "-") && !statement_.indexed) {
    for (int side = 0; side < 2; ++side) {
      const Node &sum = n.args[static_cast<std::size_t>(side)], &other = n.args[static_cast<std::size_t>(1 - side)];
      const bool bias = is_vector(other) || other.text == "bias";
      if (other.kind == Kind::name && bias && has_product(sum)) ask_about_addend(sum, other);
      if (other.kind == Kind::name && bias && has_product(sum)) ranks(other, 1);
      if (other.kind == Kind::name && other.text == "bias") bias_ = true;
      ranks(sum, -1);
      std::vector<const Node*> beside;  // alpha * A x + beta * y: y is as long as A x
      if (rank_of_product(sum) == 1) plain_names(other, beside);
      for (const Node* name : beside)
        if (!tables_.scalars.count(name->text)) rank_.emplace(name->text, 1);
    }
    return;  // each side once: a long sum would else take a time that doubles with each term
  }
  if (n.kind == Kind::call && n.text == "softmax" && !n.args.empty() && n.args[0].text == "+")  // a bias of scores
    for (const Node& a : n.args[0].args)
      if (a.kind == Kind::name) rank_.emplace(a.text, 2);
  if (n.kind == Kind::call && (n.text == "matmul" || n.text == "mm" || n.text == "trace")) want = 2;
  if (n.kind == Kind::call && n.text == "addmm" && n.args.size() == 3) {
    want = 2;
    if (n.args[0].kind == Kind::name && n.args[0].text == "bias") ranks(n.args[0], 1);
  }
  if (n.kind == Kind::call && n.text == "addmv" && n.args.size() == 3) {
    for (std::size_t i = 0; i < 3; ++i) ranks(n.args[i], i == 1 ? 2 : 1);
    return;
  }
  if (n.kind == Kind::call && (n.text == "bmm" || n.text == "baddbmm")) want = 3;
  if (const int least = rank_by_dimension(n); least > 2 && !n.args.empty()) {
    ranks(n.args[0], least);
    return;
  }
  static const std::set<std::string> ranked = {"matmul", "mm", "trace", "addmm", "bmm", "baddbmm", "transpose"};
  for (const Node& a : n.args) ranks(a, n.kind == Kind::call && ranked.count(n.text) ? want : -1);
}

// x.mean(dim=(2, 3)) and softmax(x, dim=2) need as many dimensions as they name; 0: none is named.
int Lowering::rank_by_dimension(const Node& n) {
  if (n.kind != Kind::call) return 0;
  double most = -1;
  for (const NamedArgument& a : n.named) {
    if (a.name != "dim" && a.name != "axis" && a.name != "dims") continue;
    if (a.value.kind == Kind::number) most = std::max(most, a.value.number);
    for (const Node& d : a.value.args) most = std::max(most, d.number);
  }
  return most > 4 ? 0 : static_cast<int>(most) + 1;
}

bool Lowering::is_parameter(const Node& n) const {
  const std::string base = n.kind == Kind::name ? n.text.substr(0, n.text.find('_')) : std::string();
  return base == "gamma" || (base == "beta" && scaled_);
}

bool Lowering::product_of_matrices(const Node& n) const {
  if (n.text == "@") return true;
  if (!n.text.empty() || n.kind != Kind::binary) return false;
  const Node& left = n.args[0].kind == Kind::binary && n.args[0].text.empty() ? n.args[0].args[1] : n.args[0];
  const bool own = n.args[1].kind != Kind::name && n.args[1].kind != Kind::transpose;
  if (is_vector(left) && own && names(n.args[1], left.text)) return false;  // x (1 + x)
  if (factors_of(n) == Factors::elements) return false;
  const auto scalar = [&](const Node& x) {
    return x.kind == Kind::number || is_parameter(x) || (x.kind == Kind::name && tables_.scalars.count(x.text));
  };
  return !scalar(n.args[0]) && !scalar(n.args[1]);
}

bool Lowering::has_product(const Node& n) const {
  if (n.kind == Kind::binary) return product_of_matrices(n) || has_product(n.args[0]) || has_product(n.args[1]);
  return n.kind == Kind::call && (n.text == "matmul" || n.text == "mm");
}

}  // namespace ww::op::formula
