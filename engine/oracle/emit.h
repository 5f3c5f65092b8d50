// SPDX-License-Identifier: Apache-2.0
// Expressions of a spec as statements of the reference's code: one named value per operation.
// Names: n_ shape symbols, c_ constants, i_ indices, t_ and e_ a tensor's values and errors ("$0": t0_, e0_).
#pragma once
#include <map>
#include <string>
#include <vector>
#include "base/dtype.h"
#include "op/spec.h"

namespace ww::oracle {

struct Val {
  enum Kind { exact, fuzzy, real } kind = exact;  // I, Z, R
  std::string text;                               // a name or a literal
  bool clean = false;                             // of a real: its error is known to be 0
};

struct Tensor {
  op::Type type = op::Type::real;
  DType storage = DType::f64;  // of its elements in memory
  std::vector<op::ExprPtr> shape;
  std::string value, error;  // the kernels' parameters; error empty: exact
  std::string value_buffer, error_buffer;
};
using Tensors = std::map<std::string, Tensor>;

class Emitter {
 public:
  explicit Emitter(const Tensors& tensors, int indent) : tensors_(tensors), indent_(indent) {}

  void line(const std::string& text);
  void open(const std::string& text);  // including a bracket
  void close();
  std::string name(const char* stem);  // a new one

  Val emit(const op::Expr& e);
  Val as_real(const Val& v);
  Val as_fuzzy(const Val& v);
  std::string integer(const op::Expr& e);  // of shapes and ranges: a C expression
  void know(const op::Expr* e, Val v) { known_[e] = std::move(v); }

  // Indices in scope: their ranges show which subscripts need no check.
  void enter(const op::Index& index) { scope_.push_back(&index); }
  void leave(std::size_t n) { scope_.resize(scope_.size() - n); }
  // Declares "const I i_<index>" for each index from the flat row-major number `flat`.
  void decode(const std::vector<op::Index>& indices, const std::string& flat, const char* type = "const I");
  std::string extent(const op::Index& index);
  std::string points(const std::vector<op::Index>& indices);  // product of the extents

  // A reduction: its structure's type, the current term added to `acc`, and all of its loops.
  static std::string reduction_type(const op::Expr& e);
  void add_term(const op::Expr& e, const std::string& acc, bool* exact, const std::string& drift = {});
  bool truncated(const op::Expr& e) const;  // a sum that matrix units may compute
  // `member` ends a reduction: "acc.finish" or another of its members.
  Val finished(const op::Expr& e, const std::string& member, bool exact);

  const std::string& text() const { return text_; }

 private:
  Val make(Val::Kind kind, const std::string& value, bool clean = false);
  Val access(const op::Expr& e, const op::Expr* pad);
  Val binary(const op::Expr& e);
  Val call(const op::Expr& e);
  Val cast(const op::Expr& e);
  Val select(const op::Expr& e);
  Val reduce(const op::Expr& e);
  bool in_range(const op::Expr& subscript, const op::Expr& dimension) const;

  const Tensors& tensors_;
  std::string text_;
  int indent_ = 0, names_ = 0;
  std::map<const op::Expr*, Val> known_;
  std::vector<const op::Index*> scope_;
};

std::string identifier(char stem, const std::string& name);
std::string real_text(double value);
std::string load_text(DType storage, const std::string& element);  // the element as a double or an I
const char* element_type(DType storage);

}  // namespace ww::oracle
