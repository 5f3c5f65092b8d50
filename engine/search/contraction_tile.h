// SPDX-License-Identifier: Apache-2.0
// Shared by the contractions of plain matrices: operands stored as matrices, the order of the blocks, and the rest of
// the equations on several neighbouring sums at once.
#pragma once
#include <optional>
#include "search/contraction.h"
#include "search/group_lowering.h"

namespace ww::search {

// Element (line, along) of an operand is at origin[line * stride + along].
struct MatrixOperand {
  const Expr* access = nullptr;
  DType dtype = DType::f32;
  bool along_k = false;         // the contiguous side is k, not its own
  ExprPtr stride;               // elements between neighbours on the other side
  std::vector<ExprPtr> origin;  // subscripts of the first element, in terms of the batch
};

struct MatrixProduct {
  ContractionPlan plan;
  MatrixOperand left, right;
};
// The group's only reduction, if it is a sum of left * right and both are whole matrices.
std::optional<MatrixProduct> matrix_product(const Program& program, const Group& group);
// Whether the contiguous sides are multiples of `lanes`, and columns of 4, for the default case.
bool aligned(const Program& program, const MatrixProduct& product, int lanes);

std::string replaced_all(std::string text, const std::string& from, const std::string& to);

class ContractionTile : protected GroupLowering {
 protected:
  ContractionTile(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel);

  // A tuned value. `of_large`: if the default case has enough results for large blocks on all multiprocessors.
  std::string tune(const std::string& name, const std::vector<std::int64_t>& of_large,
                   const std::vector<std::int64_t>& otherwise);
  // Both operands' contiguous sides are multiples of `lanes`, and stored rows of results of 4.
  void require_alignment(int lanes);
  // The launch with a block per `tile_m` x `tile_n` results, whose first indices are named m0_ and n0_. Concurrent
  // blocks are neighbours in both directions: GROUP rows of blocks are traversed column by column.
  void launch(const std::string& tile_m, const std::string& tile_n, const std::string& threads,
              const std::string& shared = {});
  // The pointer to an operand's first element, and its stride, as constants of the kernel.
  void name_operand(const MatrixOperand& operand, const std::string& word);
  // The equations at row `m`, for `width()` sums at columns from `n`; `sum` is that of column n + index.
  void finish(const std::string& m, const std::string& n, const std::function<std::string(const std::string&)>& sum);
  int width() const { return vector_ ? 4 : 1; }

  const MatrixProduct product_;
  std::string m_size_, n_size_, k_size_, m0_, n0_;
  std::map<const MatrixOperand*, std::pair<std::string, std::string>> named_;  // pointer, stride

 private:
  std::string size_name(const std::vector<Index>& domain, const std::string& wanted);
  std::string flat_name(const std::vector<Index>& domain, const std::string& wanted);
  std::map<std::string, std::string> open_packs();
  bool vector_ = false;  // results are stored in vectors
};

}  // namespace ww::search
