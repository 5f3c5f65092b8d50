// SPDX-License-Identifier: Apache-2.0
// The conditions of a function that follow from the parameters and the dimensions of a launch alone: sizes and
// constants, not elements or threads.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>
#include "ptx/scalars.h"
#include "ptx/syntax.h"

namespace ww::ptx {

class SizeConditions {
 public:
  SizeConditions(const File& file, const Function& function);

  enum class Value : std::uint8_t {
    unknown,  // also: no way leads there in this launch
    no,
    yes,
  };
  struct Side {                 // nodes of a comparison
    int left = -1, right = -1;  // right: -1: zero
    Type type = Type::s32;
  };
  struct Condition {
    int line = 0;  // of the source; of the PTX where that is unknown
    std::uint32_t statement = 0;
    int node = -1;
    std::vector<Side> sides;  // of the comparisons that it consists of
  };
  const std::vector<Condition>& all() const { return all_; }
  std::vector<Value> values(const ScalarLaunch& launch) const;
  // Whether each could have either value, with arguments from their `least` on.
  std::vector<bool> open(const ScalarLaunch& launch) const;
  // The left side minus the right side of each of the condition's comparisons; NaN: not known.
  std::vector<double> distances(const Condition& condition, const ScalarLaunch& launch) const;
  std::vector<double> numbers(const Condition& condition) const;  // that it compares with

 private:
  struct Block {  // of statements that run together
    std::uint32_t begin = 0, end = 0;
    int guard = -1;                                       // node of the predicate of the branch or return that ends it
    bool negated = false, guarded = false, ends = false;  // ends: nothing falls through without the guard
    int target = -1;                                      // block; -1: none, or it returns
  };
  void find(const Function& function);
  void add(std::uint32_t statement, int node, int line);
  void collect(int node, std::vector<Side>& sides, int depth = 0) const;
  void divide(const Function& function);
  std::vector<bool> reached(const std::vector<Scalar>& values) const;

  const File& file_;
  Scalars scalars_;
  std::vector<Condition> all_;
  std::vector<Block> blocks_;
  std::vector<int> block_of_;  // by statement, from the function's first
  std::uint32_t first_ = 0;
};

}  // namespace ww::ptx
