// SPDX-License-Identifier: Apache-2.0
// One thread's evaluation of a program, `lanes` values at a time. interpret.cpp evaluates the nodes, access.cpp the
// elements of tensors, reduce.cpp the reductions.
#pragma once
#include <memory>
#include <stop_token>
#include <string>
#include <vector>
#include "op/bounds.h"
#include "op/program.h"

namespace ww::op {

// A node's values in the lanes of the current block: v for reals, i for integers and booleans; e their errors, always
// readable.
struct View {
  const double* v = nullptr;
  const std::int64_t* i = nullptr;
  const double* e = nullptr;
};

// Writes consecutive positions of a grid from `at` on (one number per index, from 0) as index values, and advances
// `at`.
void fill_indices(const std::vector<GridIndex>& grid, std::int64_t* at, std::int64_t* const* values, int n);

class Worker {
 public:
  // `most`: limit on the total number of values of data-dependent ranges.
  Worker(const Program& program, const Rules& rules, std::stop_token stop = {}, double most = 2e11);

  // Values of the root at the flat positions [begin, begin + n) of the grid, n <= lanes.
  View run(const std::vector<GridIndex>& grid, std::int64_t begin, int n);
  View eval(const Node& node, int n);

  bool failed() const { return failed_; }
  const std::string& failure() const { return failure_; }

 private:
  struct Buffer {
    union {
      double v[lanes];
      std::int64_t i[lanes];
    };
    double e[lanes];
    int list[lanes];
  };
  enum Membership : unsigned char { certain, uncertain_in, uncertain_out };  // whether a term belongs to the reduction
  struct Accumulator {
    SumTrack track;        // of sums of reals
    ProductTrack product;  // of products of reals
    double best = 0,
           error = 0;  // max, min, the extreme of argmax and argmin; error also of integer sums
    double rival = 0;  // argmax, argmin: the best other value, with its error
    double rival_exact = 0;
    std::int64_t integer = 0;  // integer results; the index of argmax, argmin
    bool any = false, uncertain = false;

    // Adds term `x` of `t`, with the error `e`.
    void add(const View& t, int x, double e, Membership member, bool f64);
    void multiply(const View& t, int x, double e, const Rules& rules);
    void take_extreme(const View& t, int x, double e, bool max, const Rules& rules);
    void take_place(double value, double e, std::int64_t place, const Rules& rules);  // of the maximum
    void decide(bool deciding, double e, Membership member);                          // any, all
  };

  View access(const Node& node, int n);
  bool add_subscript(const Node& node, std::size_t k, const std::int64_t* subscript, int n, std::int64_t* offset) const;
  void fail_subscript(const Node& node, std::size_t k, const std::int64_t* subscript, int n);
  View to_real(const Node& node, int n);
  View unary(const Node& node, int n);
  View binary_real(const Node& node, int n);
  View binary_integer(const Node& node, int n);
  View compare(const Node& node, int n);
  View logical(const Node& node, int n);
  View small_power(const Node& node, int n);
  View select(const Node& node, int n);
  View call(const Node& node, int n);
  View cast(const Node& node, int n);
  View reduce(const Node& node, int n);

  // Evaluates `node` in the lanes `list[0..m)` of the current block, packed.
  View eval_lanes(const Node& node, const int* list, int m);
  void reduce_along(const Node& node, int lane, std::int64_t lo, std::int64_t hi);
  bool sensible_range(const Node& node, std::int64_t lo, std::int64_t hi, int lane);
  void reduce_level(const Node& node, std::size_t level, Accumulator& acc, std::int64_t lo, std::int64_t hi);
  void reduce_uniform(const Node& node, Accumulator& acc, std::int64_t points);
  void reduce_across(const Node& node, int n, std::int64_t points);
  void terms(const Node& node, int n, Accumulator* acc, bool one);
  void add_terms(const Node& node, const View& t, const std::int64_t* index, const Membership* member, const int* list,
                 int m, Accumulator* acc, bool one);
  void add_plain_sum(const View& t, const int* list, int m, Accumulator* acc, bool one) const;
  void settle(const Node& node, const Accumulator& acc, Buffer& out, int lane) const;

  Buffer& buffer(int slot) { return buffers_[static_cast<std::size_t>(slot)]; }
  View real_view(const Buffer& b) const { return {b.v, nullptr, bounds_ ? b.e : zeros_->e}; }
  View integer_view(const Node& node, const Buffer& b) const {
    return {nullptr, b.i, bounds_ && node.fuzzy ? b.e : zeros_->e};
  }
  // Computes the errors of the results of args. `scaled`: those of a * b or a / b.
  void finish(Buffer& out, std::initializer_list<View> args, int n, bool scaled = false) const;
  void fail(std::string message);
  std::string lane_text(const Node& node, int lane) const;

  const Program& program_;
  const Rules& rules_;
  const bool bounds_;
  std::stop_token stop_;
  double left_;  // of `most`
  std::unique_ptr<Buffer[]> buffers_;
  std::unique_ptr<Buffer> zeros_;
  std::vector<const std::int64_t*> index_;  // per variable, its values in the lanes
  std::vector<std::vector<Accumulator>> accumulators_;
  int grid_slot_ = 0;
  bool failed_ = false;
  std::string failure_;
};

}  // namespace ww::op
