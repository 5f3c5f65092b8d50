// SPDX-License-Identifier: Apache-2.0
// Recognises ops that are a plain matrix product, and describes the corresponding cuBLAS call. Pure; needs no library
// and no device.
#pragma once
#include <cstdint>
#include <string>
#include "base/dtype.h"
#include "base/result.h"
#include "op/spec.h"

namespace ww::cublas {

// In cuBLAS's terms: column-major D[rows, columns] = op(L)[rows, depth] * op(R)[depth, columns]. A row-major product is
// this one with the operands swapped. Strides and leading dimensions in elements.
struct Product {
  std::string left, right, result;  // tensors of the spec
  DType in = DType::f32, out = DType::f32;
  bool left_transposed = false, right_transposed = false;
  std::int64_t rows = 1, columns = 1, depth = 1, batch = 1;
  std::int64_t ld_left = 1, ld_right = 1, ld_result = 1;
  std::int64_t stride_left = 0, stride_right = 0, stride_result = 0;  // from one product of the batch to the next
  // One operand is a vector and the types have a gemv: matrix (left_transposed, ld_left, rows of it: m, columns: n)
  // times vector.
  bool vector = false;
  std::string text() const;  // one sentence in the spec's terms
};

struct Match {
  bool yes = false;
  Product product;
  std::string why_not;  // one plain sentence
};
// Errors: an invalid spec or binding.
Result<Match> match(const op::Spec& spec, const op::Binding& binding);

}  // namespace ww::cublas
