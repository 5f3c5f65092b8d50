// SPDX-License-Identifier: Apache-2.0
// Expressions of a spec as hand-written CUDA C++: f32 arithmetic (f64 if the op has f64 tensors), 64-bit integers,
// loops for reductions.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>
#include "base/dtype.h"
#include "op/spec.h"

namespace ww::oracle {

// C names for the spec's names: the same if C++ and the other names permit.
class PlainNames {
 public:
  explicit PlainNames(const op::Spec& spec);
  const std::string& of(const std::string& name);  // a tensor, symbol or constant; a new name where it is not known yet
  const std::string& index(const std::string& name);
  std::string fresh(const std::string& stem);

 private:
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
};

struct PlainTensor {
  DType dtype = DType::f32;
  std::vector<op::ExprPtr> shape;
};

class Plain {
 public:
  Plain(const std::map<std::string, PlainTensor>& tensors, PlainNames& names, bool f64, std::set<std::string>& helpers)
      : tensors_(tensors), names_(names), f64_(f64), helpers_(helpers) {}

  // Statements before the value go to text(). `guarded`: the value may not be evaluated, so it must not need
  // statements.
  std::string value(const op::Expr& e, bool guarded = false);
  std::string real(const op::Expr& e, bool guarded = false);
  std::string as(const std::string& value, op::Type from, DType to);  // for a store
  void line(const std::string& text);
  void open(const std::string& text);
  void close();
  void know(const op::Expr* e, std::string name) { known_[e] = std::move(name); }
  void enter(const op::Index& index);  // records whether its values are known to be nonnegative
  // Loops over the reduction's indices around an update of `acc`.
  void loops(const op::Expr& e, const std::string& acc);
  void update(const op::Expr& e, const std::string& acc);
  std::string start(const op::Expr& e) const;                                           // of a reduction
  std::string combined(const op::Expr& e, const std::string& a, const std::string& b);  // of two parts of it
  std::string type(op::Type t) const {
    return t == op::Type::real ? (f64_ ? "double" : "float") : t == op::Type::boolean ? "bool" : "long long";
  }
  std::string accumulator_type(const op::Expr& e) const;
  const std::string& text() const { return text_; }
  std::string element(const std::string& tensor, const std::string& offset) const;
  // A flat index equal to these subscripts, if a tensor is as large as the output.
  void flat(const std::vector<std::string>& indices, std::string name) {
    flat_indices_ = indices;
    flat_ = std::move(name);
  }

 private:
  std::string access(const op::Expr& e, const op::Expr* pad, bool guarded);
  std::string reduction(const op::Expr& e, bool guarded);
  std::string call(const op::Expr& e, bool guarded);
  std::string binary(const op::Expr& e, bool guarded);
  std::string cast(const op::Expr& e, bool guarded);
  std::string literal(double v) const;
  std::string math(const std::string& fn) const { return fn + (f64_ ? "" : "f"); }
  bool not_negative(const op::Expr& e) const;

  const std::map<std::string, PlainTensor>& tensors_;
  PlainNames& names_;
  const bool f64_;
  std::set<std::string>& helpers_;  // names of the functions of helper_text() that are used
  std::map<const op::Expr*, std::string> known_;
  std::string text_;
  int indent_ = 1;
  std::set<std::string> not_negative_;       // indices
  std::map<std::string, op::ExprPtr> ends_;  // of their ranges
  std::vector<std::string> flat_indices_;
  std::string flat_;
};

std::string helper_text(const std::set<std::string>& used, bool f64);
std::string unbracketed(const std::string& text);  // without one pair of brackets around the whole
std::string operand(const std::string& text,
                    int above);  // without its brackets where its operators bind as tightly as `above` (see binding())

}  // namespace ww::oracle
