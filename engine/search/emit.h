// SPDX-License-Identifier: Apache-2.0
// Spec expressions as CUDA expressions. Values are computed in float (double for f64 specs), integers from data in long
// long, subscripts in int (long long for tensors of 2^31 elements and more).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include "search/source.h"

namespace ww::search {

// Binding strengths of C++ operators, as far as the emitter uses them.
enum Strength : int {
  choice = 1,
  disjunction,
  conjunction,
  equality,
  relation,
  sum_strength,
  product_strength,
  prefix,
  primary
};

struct Code {
  std::string text;
  int strength = primary;
  int bits = 31;  // of an integer: how wide its magnitude may be
  std::string at(int needed) const { return strength < needed ? "(" + text + ")" : text; }
};

class Emitter {
 public:
  explicit Emitter(Kernel& kernel) : kernel_(kernel), source_(kernel.source()), program_(kernel.source().program()) {}

  Kernel& kernel() { return kernel_; }
  // Declares an index; `code` is a primary C++ expression for it (default: its own name).
  void bind(const Index& index, const std::string& code = {});
  std::string index(const std::string& name);
  // Called first for every access in the spec; returns a primary expression of the computing type, or empty.
  std::function<std::optional<std::string>(const Expr& access)> read;
  std::map<const Expr*, std::string> replaced;  // nodes whose value already has a name

  Code emit(const Expr& e, bool subscript = false);
  Code real(const Expr& e);  // converted to the computing type
  std::string value(const Expr& e, int strength = 0) { return emit(e).at(strength); }
  std::string subscript(const ExprPtr& e, int strength = 0) { return emit(*e, true).at(strength); }
  std::string condition(const Expr& e);

  std::string element(const std::string& tensor, const std::vector<ExprPtr>& at, bool written);  // x[r * C + c]
  std::string load(const std::string& tensor, const std::vector<ExprPtr>& at);                   // with its conversion
  std::string loaded(DType dtype, const std::string& text) const;           // element text of dtype -> computing type
  std::string stored(DType dtype, const Code& value, op::Type type) const;  // the other way
  void store(const std::string& target, const std::vector<ExprPtr>& at, const Code& value, op::Type type);

  std::string type_name(op::Type type) const;  // of a local variable that holds a value
  std::string literal(double value) const;
  // Declares a const local and returns its name; a value that is already a name is not copied.
  std::string local(const std::string& wanted, const Code& value, op::Type type);

  // for (int c = lo; c < hi; ++c) for every index; close_loops(n) ends them.
  void open_loops(const std::vector<Index>& domain, const std::string& pragma = {});
  void close_loops(std::size_t n);
  // const int h = flat / W; … of a row-major flat position
  void decompose(const std::string& flat, const std::vector<Index>& domain);
  // const int y_d2 = …; for long extents of the equations' index ranges, so that they are not repeated.
  void name_sizes(const std::vector<Equation>& equations);
  bool never_negative(const Expr& e) const;
  // Whether an integer expression of indices may leave 32 bits at sizes whose tensors do not: the product of two sizes
  // that no tensor has.
  bool beyond_tensors(const Expr& e) const;

 private:
  Code binary(const Expr& e, bool subscript);
  Code integer_binary(const Expr& e, bool subscript);
  Code power(const Expr& e);
  Code call(const Expr& e, bool subscript);
  Code shift(bool left, const Expr& e, const std::vector<Code>& args, const std::string& type);
  Code cast(const Expr& e, bool subscript);
  Code select(const Expr& e, bool subscript);
  Code padded(const Expr& e);
  Code serial_reduce(const Expr& e);
  std::string function(const std::string& name) const { return program_.f64 ? name : name + "f"; }

  Kernel& kernel_;
  Source& source_;
  const Program& program_;
  std::map<std::string, std::string> indices_;
  std::map<std::string, Index> ranges_;
  std::map<std::string, std::string> sizes_;  // printed extents that have a name
};

// A reduction's running value: declared, updated in the innermost loop, read at the end.
struct Accumulator {
  const Expr* node = nullptr;
  std::string value;  // the variable; for argmax and argmin the best value so far
  std::string at;     // argmax and argmin: its index
  bool positional() const { return !at.empty(); }
  const std::string& result() const { return at.empty() ? value : at; }
};
op::Type accumulator_type(const Expr& reduce);  // of the value
std::string identity_of(const Emitter& emitter, op::ReduceOp op, op::Type type);
// value = value (op) operand, as a statement.
std::string combine_statement(const Emitter& emitter, op::ReduceOp op, op::Type type, const std::string& value,
                              const Code& operand);
Accumulator declare_accumulator(Emitter& emitter, const Expr& reduce, const std::string& wanted);
void update_accumulator(Emitter& emitter, const Accumulator& accumulator);

// The op applied to two values, as an expression.
std::string combined(const Emitter& emitter, op::ReduceOp op, op::Type type, const std::string& a,
                     const std::string& b);

struct Group;
// The values of all equations of a pointwise group at the element whose indices are bound, in order: temporaries that
// stay in the kernel become locals (entered into `locals`, which `emitter.read` must consult), everything else is
// stored: in `places` if it has an entry, otherwise in its tensor. Reductions must be in `replaced`.
void finish_equations(Emitter& emitter, const Group& group, const std::set<std::string>& kept,
                      std::map<std::string, std::string>& locals,
                      const std::map<std::string, std::string>& places = {});

}  // namespace ww::search
