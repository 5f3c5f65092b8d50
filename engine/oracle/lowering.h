// SPDX-License-Identifier: Apache-2.0
// One lowering of a spec. The code depends only on the spec; what the binding determines (numbers, the chosen form of a
// step) is in the launches. forms.cpp: a step's kernels; product.cpp: sums of products of two tensors; lower.cpp: the
// rest.
#pragma once
#include <string>
#include <vector>
#include "op/factors.h"
#include "op/parse.h"
#include "oracle/emit.h"
#include "oracle/oracle.h"
#include "oracle/steps.h"

namespace ww::oracle {

// Longer sums are split into parts if there are few of them. One thread takes about 20 ms for this many terms.
inline constexpr std::int64_t many_terms = 1 << 18;

struct Kernel {
  std::string name, attributes;
  std::vector<std::string> parameters;
  std::vector<candidate::PlannedArg> args;
};

// sum(k) A[batch, rows, k] * B[batch, columns, k], with factors independent of the summed indices outside.
struct Product {
  std::vector<op::Index> batch, rows, columns, summed;
  op::ExprPtr left, right;  // 0 where a range or a condition leaves a term out
  std::vector<op::Factor> outside;
  bool negative = false;
  int roundings = 0;       // of one product
  bool truncated = false;  // matrix units may add the products
};

class Lowering {
 public:
  Lowering(const op::Spec& spec, const op::Resolved& known, bool f64) : spec_(spec), known_(known), f64_(f64) {}
  Result<Program> run();

 private:
  struct Target {  // where a step's results are stored
    op::Type type = op::Type::real;
    const op::Param* output = nullptr;
    bool read_later = false, fuzzy = false;
    std::string value, error, bound, raw;  // buffers; empty: not stored
    std::int64_t count = 0;
  };

  // lower.cpp
  Status add_inputs();
  Result<Target> target_of(const Step& step, const Val& result);
  Kernel kernel(const Step& step, const std::string& suffix) const;
  static void pass_tensor(Kernel& k, const std::string& type, const std::string& name, const std::string& buffer);
  static void pass_integer(Kernel& k, const std::string& name, std::int64_t value);
  void pass_results(Kernel& k, const Target& t) const;
  void store(Emitter& out, const Target& t, const Val& result, const std::string& at) const;
  static std::string place(Emitter& out, const std::vector<op::Index>& indices);
  void finish(Kernel k, const Emitter& body, bool launched, std::int64_t threads, int block = 128);
  Result<std::int64_t> number(const op::Expr& e) const;
  Result<std::int64_t> extent(const op::Index& i) const;
  Result<std::int64_t> points(const std::vector<op::Index>& indices) const;
  void buffer(const std::string& name, DType dtype, std::int64_t count);
  Status step(const Step& s);
  Result<bool> result_kind(const Step& s, Val* out) const;
  double terms_of(const Step& s) const;

  // forms.cpp
  void direct(const Step& s, const Target& t, bool launched);
  Status running(const Step& s, const Target& t, bool launched);
  Status split(const Step& s, const Target& t, std::int64_t chunks);
  void stretch(Emitter& out, const op::Expr& reduction, const std::string& acc, const std::string& drift) const;
  void joined(const Step& s, const Target& t, const Product* product, std::int64_t chunks);

  // product.cpp
  bool product_of(const Step& s, Product* out) const;
  bool worth(const Step& s, const Product& p, std::vector<std::int64_t>* hull) const;
  bool may_fail(const op::Expr& e, const std::map<std::string, std::pair<std::int64_t, std::int64_t>>& ranges,
                bool padded = false) const;
  Status product(const Step& s, const Target& t, const Product& p, const std::vector<std::int64_t>& hull,
                 bool launched);

  const op::Spec& spec_;
  const op::Resolved& known_;
  const bool f64_;
  Tensors tensors_;
  Program out_;
  std::string code_;
  std::string stem_;        // of the current step's kernels
  std::int64_t parts_ = 0;  // bytes of the largest step's parts
};

}  // namespace ww::oracle
