// SPDX-License-Identifier: Apache-2.0
// Inside of lower(): the state of one formula on its way to a spec. lower.cpp has operators and tensors, ranks.cpp the
// ranks of tensors, products.cpp products of matrices, calls.cpp calls, ops.cpp the ops of the library, ambiguous.cpp
// what has two meanings.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "op/formula/builder.h"

namespace ww::op::formula {

using Maybe = std::optional<Value>;  // nothing: `out_.question` says why
std::string number_of(double v);     // as a real literal, in brackets where negative
bool is_upper_name(const Node& n);   // A, A^T

class Lowering {
 public:
  Lowering(const Library& library, const Tables& tables, const Names& names, const Statement& statement,
           const Facts& facts)
      : library_(library), tables_(tables), names_(names), statement_(statement), facts_(facts) {}

  Lowered run();

 private:
  Maybe ask(std::string question);
  bool letter_sizes();

  // ---- signs with two meanings ----
  void ambiguous(const Node& n);
  static const Node* power_base(const Node& n);
  void ambiguous_scalar(const Node& n);
  void ambiguous_channels(const Node& n);
  void ambiguous_name(const Node& n);
  void ambiguous_divisor(const Node& n);
  void ambiguous_bar(const Node& n);
  // Letters set side by side as algebra does, "mx", "ylogp": one tensor, or a product?
  std::vector<std::string> factors_in(const std::string& name) const;
  void glued_names(const Node& n, const Node* parent);
  void glued_target();
  bool powers_ = false;  // the question is about powers
  bool is_power(const Node& n, double exponent) const;
  void ambiguous_inverse(const Node& n);
  void ambiguous_powers(const Node& n);
  bool is_square(const std::string& name) const;
  bool is_factor(const Node& n, const std::string& name) const;
  // How two factors without a sign between are multiplied; given: as what they are says.
  enum class Factors : std::uint8_t { given, elements, open };
  Factors factors_of(const Node& n) const;
  void ambiguous_factors(const Node& n);
  bool has_matrix(const Node& n) const;
  void tensor_names(const Node& n, std::set<std::string>& out) const;

  // ---- ranks of tensors, from where they are used ----
  void ranks(const Node& n, int want);
  void ask_about_addend(const Node& sum, const Node& other);
  void ranks_of_product(const Node& n);
  const Node* row_of_form(const Node& n) const;
  bool by_element(const Node& n) const;
  static int rank_by_dimension(const Node& n);
  static bool is_position(const Node& n);
  int rank_of_product(const Node& n) const;
  void parameters(const Node& n);
  bool is_vector(const Node& n) const;
  bool is_parameter(const Node& n) const;  // gamma, and beta beside it
  bool product_of_matrices(const Node& n) const;
  bool has_product(const Node& n) const;

  // ---- sizes by name: N of "1/N Σ_{i=1}^{N}", n of "X: (n, 64)" ----
  void limits(const Node& n);
  bool is_limit(const std::string& name) const;
  const Size* symbol(const std::string& name) const;  // of a shape that is given
  Maybe size_named(const std::string& name);
  int limit_size(const std::string& name);
  bool join_limits();  // indices that run to one size
  int symbol_size(const Size& given);

  // ---- tensors ----
  Maybe tensor(const Node& n);
  Maybe indexed(const Node& n, const Builder::Tensor& t);
  Value constant(const std::string& name, double value);
  Value literal(double v) const;
  // Shapes that the sentence gives must all be of tensors of the formula.
  bool shapes_used();

  // ---- nodes ----
  Maybe lower(const Node& n);
  static Value with_text(Value v, std::string text);

  Maybe transposed(const Node& n);

  Maybe total(const Node& n);
  bool in_target(int axis);
  Value reduced(const Value& v, const std::string& how, const std::vector<int>& over);

  Maybe select(const Node& n);
  Maybe sliced(const Node& n);
  Maybe with_new_axis(const Node& n, Value whole);

  // The axes of an expression over both.
  Maybe joined(const Value& a, const Value& b);
  bool aligned(const Value& high, const Value& low, std::vector<int>& partner);
  Maybe beside_kept(const Value& high, const Value& low);
  Maybe crossed(const Value& a, const Value& b);
  Maybe unsqueezed(const Node& n);
  Maybe joined_axes(const Value& a, const Value& b);

  Maybe binary(const Node& n);
  bool is_size_name(const std::string& name) const;
  // 1/n Σ_i ...
  static bool average(const Node& n);
  Maybe averaged(const Node& sum);
  // x.std(0): divided by n - 1 in PyTorch, by n in NumPy.
  std::optional<std::string> library_of_spread(const Node& n) const;
  Maybe as_number(const Node& n);
  std::optional<DType> cast_type(const Node& n) const;
  Maybe cast(const Node& n, DType type);
  Maybe spread(const Node& n);

  // ---- products of matrices and vectors ----
  Maybe product(const Node& n);
  Maybe product_of(const Value& a, const Value& b);

  // A @ B of two inputs is the library's own op.
  Maybe library_product(const Node& n);
  Maybe library_sum(const Node& n);
  int rank_of(const Node& n) const;

  // ---- calls ----
  Maybe call(const Node& n);

  std::map<std::string, std::vector<CallForm>>::const_iterator forms_of(const Node& n) const;
  Maybe function(const Node& n, std::size_t arity);

  // What needs the axes of its argument, not a formula over its elements.
  Maybe built_in(const Node& n);
  void offer_norms(const Node& n);
  static Node norm_along(const Node& n);

  Maybe sequence(const Node& n);  // nn.Sequential(...)
  Maybe triangle(const Node& n);
  static std::optional<double> list_dimension(const Node& n, std::optional<double> usual);
  Maybe concatenated(const Node& n);
  Maybe stacked(const Node& n);
  Maybe permuted(const Node& n);
  Maybe exchanged(const Node& n);

  // ---- shapes as Python changes them: reshapes.cpp ----
  std::vector<int> factors_of_size(int size);
  int product_size(const std::vector<int>& sizes);
  int size_by_text(const std::string& text);
  bool equal_sizes(int a, int b);
  std::optional<int> target_size(const Node& target, const Value& from, const std::string& name);
  bool fit_sizes(const std::vector<int>& from, std::vector<int>& targets);
  Maybe regrouped(const Value& v, std::vector<int> targets);
  bool shapeless(const Node& n) const;
  Maybe reshaped(const Node& n);
  Maybe ask_for_shape(const Node& n, const std::vector<Node>& targets);
  Maybe flattened(const Node& n);
  Maybe squeezed(const Node& n);
  Maybe repeated(const Node& n);
  Maybe moved(const Node& n);
  Maybe size_of_tensor(const Node& n);
  Maybe shape_call(const Node& n);

  // softmax(x + y), layernorm(x): the library's op; its parameters (weights, means) become inputs.
  Maybe bare(const Node& n, const LibraryOp& op);

  struct Settings {
    std::optional<int> axis;
    bool whole = false;  // no dimension is named: a reduction takes them all
    bool keep = false;
    bool open = false;                                  // a value is no number
    std::string reduction;                              // of a loss: sum, none; empty: its own
    std::map<std::string, double> values;               // constants and plain symbols
    std::vector<std::pair<std::string, double>> sizes;  // of the op's own targets
  };

  // ---- the forms of calls.txt ----
  struct Bound {
    std::vector<Node> tensors;
    std::map<std::string, Node> values;
    Settings settings;
  };
  Maybe formed(const Node& n, const std::vector<CallForm>& forms);
  Maybe ask_for_part(const Node& n, const std::string& question);
  static void placeless(Node& n);
  static void replace(Node& n, const std::map<std::string, Node>& values);

  static Node without_none(const Node& n);
  int rank_of_argument(const Node& n) const;
  std::optional<Bound> bind(const Node& call, const CallForm& form);
  bool bind_one(const Parameter& p, const Node* given, Bound& out);
  static double fixed_number(const Parameter& p);
  static bool bind_size(const Parameter& p, const Node& given, Bound& out);

  // ---- ops of the library ----
  // The op as its use asks for: at the rank of its first input, along `axis`.
  std::optional<Spec> shaped(const LibraryOp& given, const std::vector<Value>& values, const Settings& settings);
  std::optional<Spec> sized(Spec out, const Settings& settings);

  void rename_indices(const Spec& spec, std::map<std::string, std::string>& names);
  struct Arguments {  // of an op, lowered
    std::vector<Value> values;
    bool whole = true;  // each is a tensor of its own, as the op's spec has it
    Maybe number;       // where the op is a function of one number: its result
  };
  bool lower_arguments(const LibraryOp& op, const std::vector<Node>& nodes, Arguments& out);
  Maybe apply(const std::string& name, const std::vector<Node>& nodes, const Settings& settings);
  Maybe simple_reduction(const std::string& name, const Value& v, const Settings& settings);

  // Names of the text by the map.
  static std::string replaced(const std::string& text, const std::map<std::string, std::string>& names);

  // The op's equations among those of the formula; inputs that the formula lacks become inputs of the whole.
  Maybe inlined(const Spec& spec, const std::vector<Value>& values);
  int size_for(const Expr& d, const std::map<std::string, int>& sizes, const std::map<std::string, std::string>& names);
  bool fed(const Param& p, const std::vector<int>& dims, const Value& v, std::map<std::string, std::string>& names);
  void domain(const std::string& tensor, std::string text) { domains_[tensor] = std::move(text); }

  // ---- the end ----
  Maybe targeted(Value v);

  std::string name() const;
  void keep_names(Spec& spec) const;
  Result<std::map<std::string, std::int64_t>> sizes_of_whole();
  void finish(const Value& value);

  const Library& library_;
  const Tables& tables_;
  const Names& names_;
  const Statement& statement_;
  const Facts& facts_;
  Builder builder_;
  Lowered out_;
  std::map<std::string, int> rank_, letters_, symbols_;
  std::map<std::string, std::vector<std::string>> limits_;           // N: the indices that run to it
  std::vector<std::pair<int, std::vector<int>>> products_of_sizes_;  // H*D: H and D
  std::set<const Shape*> shapes_taken_;
  std::set<std::string> values_taken_;
  bool axis_taken_ = false;
  std::set<std::string> masks_;
  std::vector<std::string> used_;  // names of the ops, in the order in which they run
  std::size_t general_used_ = 0;
  std::optional<Value> fed_;  // of a layer in nn.Sequential: what the one in front gives
  static constexpr int most_lowered = 5000;
  int lowered_ = 0;                // nodes, each as often as it was tried
  bool bias_ = false;              // the formula adds a bias: one number per column
  bool scaled_ = false;            // the formula has a gamma
  std::set<std::string> columns_;  // the gamma and beta of it
  int products_ = 0;
  bool exact_product_ = false;
  std::optional<Spec> whole_;  // the library's op, where the formula is that alone
  std::string whole_text_;
  std::vector<std::string> whole_inputs_;  // its inputs as the formula calls them
  std::map<std::string, int> whole_sizes_;
  std::map<std::string, std::int64_t> given_sizes_;  // of the op in hand
  std::map<std::string, DType> types_;
  std::map<std::string, std::string> domains_;
};

}  // namespace ww::op::formula
