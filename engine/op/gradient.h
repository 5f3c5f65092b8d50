// SPDX-License-Identifier: Apache-2.0
// The backward pass of an op as an op of its own: the gradients of its real inputs from those of its real outputs.
// Reverse mode over the equations (Griewank & Walther 2008, ch. 3): the temporaries are computed again, each equation
// is differentiated symbolically, and the subscripts of every read are solved for the indices that reach an element.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>
#include "base/describe.h"
#include "op/spec.h"

namespace ww::op {

// Why an op has no gradient here, and where.
struct NoGradient {
  enum class Reason : std::uint8_t {
    unknown_input,  // no input is called `tensor`
    whole_input,    // the input `tensor` does not hold reals
    no_input,       // no input holds reals
    no_output,      // no output holds reals
    recurrence,     // the equation of `tensor` needs its own earlier steps
    scatter,        // the equation of `tensor` reads `read` at positions that an input holds
    argmax,         // the equation of `tensor` goes on with the position of an extreme
    product,        // the equation of `tensor` multiplies over an index
    rounding,       // the equation of `tensor` makes reals whole
    extreme,        // the equation of `tensor` has a max or min whose range follows another index, inside an expression
    unprintable,    // the derived spec is beyond the language's limits; `read` says which
  };
  Reason reason = Reason::no_input;
  std::string tensor;
  std::string read;
};

constexpr auto names_of(NoGradient::Reason) {
  using enum NoGradient::Reason;
  return std::to_array<Enumerator<NoGradient::Reason>>({{unknown_input, "unknown_input"},
                                                        {whole_input, "whole_input"},
                                                        {no_input, "no_input"},
                                                        {no_output, "no_output"},
                                                        {recurrence, "recurrence"},
                                                        {scatter, "scatter"},
                                                        {argmax, "argmax"},
                                                        {product, "product"},
                                                        {rounding, "rounding"},
                                                        {extreme, "extreme"},
                                                        {unprintable, "unprintable"}});
}

struct Backward {
  Spec spec;                                    // named after the op: softmax_backward
  std::map<std::string, std::string> incoming;  // real outputs of the op: the inputs of `spec` with their gradients
  std::map<std::string, std::string> outgoing;  // inputs of the op: the outputs of `spec` with their gradients
};

using Gradient = std::variant<Backward, NoGradient>;

// `inputs`: those to differentiate by; empty: all that hold reals. The gradients of y and x are called dy and dx, with
// a number where the op has these names already. Inputs that the result does not need are left out. Where a function
// has no derivative, as PyTorch: abs and max(x, 0) give 0 at 0, equal operands of max and min and equal extremes of a
// reduction share, and limits that are numbers pass the gradient on.
Gradient gradient_of(const Spec& spec, const std::vector<std::string>& inputs = {});

std::string explain(const NoGradient& refusal, const Spec& spec);  // a sentence

}  // namespace ww::op
