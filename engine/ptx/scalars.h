// SPDX-License-Identifier: Apache-2.0
// Registers of a function whose values follow from the parameters and the dimensions of a launch alone.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>
#include "ptx/syntax.h"
#include "ptx/types.h"

namespace ww::ptx {

// Of an integer, in signed numbers, if nothing wraps around. Of a float: with an infinite end and more than one value
// also NaN.
struct ScalarRange {
  double lo = -1e300, hi = 1e300;
};
inline constexpr ScalarRange any_float{-std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::infinity()};

struct ScalarArgument {
  bool known = false;  // false: a tensor
  std::int64_t integer = 0;
  double real = 0;
  std::int64_t least = INT64_MIN;  // over all launches that there can be
  ScalarRange range = any_float;   // likewise, of a float
};
struct ScalarLaunch {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<ScalarArgument> arguments;
  std::array<bool, 6> fixed{};  // dimensions of the block, then of the grid, that are the same in every launch
};

struct Scalar {
  std::uint64_t bits = 0;  // of an integer or predicate, in its width
  double real = 0;         // of a float
  bool known = false;
};

class Scalars {
 public:
  Scalars(const File& file, const Function& function);

  // A node for the operand of a type; -1: it does not follow from the launch alone.
  int node_of(const Operand& operand, Type type);
  int predicate(std::string_view name);
  // Of the statement's own result.
  int result_of(const Statement& statement);

  // In the order of the nodes.
  std::vector<Scalar> values(const ScalarLaunch& launch) const;
  std::vector<ScalarRange> ranges(const ScalarLaunch& launch) const;  // of any launch with these `least`s and `range`s

  enum class Op : std::uint8_t {
    number,
    argument,
    dimension,
    move,
    convert,
    add,
    sub,
    mul,
    high,
    div,
    rem,
    min,
    max,
    abs,
    neg,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    shl,
    shr,
    clz,
    popc,
    reverse,
    highest_bit,
    logic3,
    square_root,
    select,
    compare,
    fma,
    extract
  };
  struct Node {
    Op op = Op::number;
    Type type = Type::s32, from = Type::s32;  // from: of the operands, where it differs
    std::string_view how;                     // of a comparison, or how a conversion rounds
    int args[3] = {-1, -1, -1};
    Number number;
    int index = 0;  // of an argument or a dimension; the table of logic3
  };
  const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Definition {
    const Statement* by = nullptr;  // null: several
    int node = -2;                  // -2: not yet known, -3: being made
  };
  int made(Node node);
  int make(const Statement& statement);
  int make_known(const Statement& statement, std::string_view base, std::string_view modifiers, Type type,
                 const std::vector<const Operand*>& all);
  int special(std::string_view name);
  int load(const Statement& statement, Type type);
  int comparison(std::string_view modifiers, Type type, const std::vector<const Operand*>& all);
  int of_register(std::string_view name);

  const File& file_;
  const Function& function_;
  std::map<std::string_view, Definition> definitions_;
  std::vector<Node> nodes_;
};

}  // namespace ww::ptx
