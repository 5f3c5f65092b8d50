// SPDX-License-Identifier: Apache-2.0
// The state of build() for one sentence. phrasebook_build.cpp: axes, constants and final steps; phrasebook_owners.cpp:
// which op each size belongs to; phrasebook_shaped.cpp: one op at its shape.
#pragma once
#include "op/sentence/phrasebook_build.h"

namespace ww::op::phrases {

class Builder {
 public:
  Builder(const Library& library, std::vector<Item>& items, const std::vector<std::size_t>& order)
      : library_(library), items_(items) {
    for (std::size_t at : order) {
      Use u;
      u.op = &library.ops()[items[at].op];
      u.item = at;
      uses_.push_back(std::move(u));
    }
  }
  Built run();

 private:
  void ask(std::string question);
  void other_ranks();
  std::string axis_words(const Axis& a) const;
  // Whether the sizes given for `next` match the tensor that feeds it.
  bool joins(const Spec& before, const Spec& next, const Use& use);
  // Joining equates symbols, which must not change a given size.
  bool keeps_sizes(const Spec& before, const Spec& after);

  // ---- axes ----
  static bool takes_axis(const LibraryOp& op);
  void axes();
  bool pairs(Use& owner, std::size_t item);
  bool each_element(std::size_t item);
  bool row_by_row(std::size_t item) const;
  void own_biases();
  bool of_function(const Use& owner, std::size_t item);
  static bool same_axis(const Axis& a, const Axis& b);
  // The dimension, among `rank`; if it does not exist, asks a question and returns empty.
  std::optional<std::size_t> axis_of(const Use& u, std::size_t rank);

  // ---- constants, element type ----
  void constants();
  // Constants without a usual value that the sentence leaves out (`//@ ask:`).
  void missing_constants(Built& out);
  bool size_given(const Use& u, const std::string& constant) const;
  void dtype();
  bool of_output(std::size_t item);
  // A bias or an axis after a convolution or pooling belongs to the channels.
  // "reduction='sum'", "sum reduction", "without reduction", next to a loss.
  void reduction();
  void order_of_two();
  void keep_dimension(Spec& spec);
  bool accumulates(std::size_t item);
  bool of_whole_numbers() const;
  bool behind_window(std::size_t index) const;

  // ---- which op each size belongs to ----
  bool whole_size(std::size_t item, double least = 1);
  bool accepts(std::size_t use, const std::string& kind) const;
  bool owned(const std::string& kind) const;  // an op has this kind of size
  bool is_noun(std::size_t item) const;
  void fixed_window(const Use& u, std::size_t value);
  bool window(std::size_t item);
  bool beyond_windows(std::size_t value) const;
  bool by_element(const Item& item) const;
  bool of_another(std::size_t shape);
  bool window_apart(const Use& u, std::size_t shape) const;
  void sizes();
  // A shape or number without a size word belongs to the input of the chain, or is the filter of the op next to it. A
  // number is a size after an op ("matmul 1024") and before an element type ("1024 floats").
  void plain(std::size_t i);
  std::size_t stated_count(std::size_t shape) const;
  bool said_size(std::size_t number) const;
  void assign(std::size_t i);

  // ---- one op at its shape ----
  std::optional<Spec> shaped(std::size_t index, const Spec* before);
  std::optional<Spec> refuse(const Error& e);
  std::optional<Dims> dims_of_later();
  std::optional<Spec> spread(Use& u, const Spec* before, bool images);
  // What the sentence leaves unchanged: the given symbols, and constants that it does not name.
  static std::string defaults_text(const Use& u, const std::map<std::string, std::int64_t>& symbols);
  void explain_axis(const Use& u, const Dims& dims, std::size_t axis);
  // Sets the readings of all items that decided the shape of the first input.
  void explain(const Use& u, const Spec& spec, const Dims& dims);
  // The second and later shapes must match the other inputs.
  bool more_shapes(const Use& u, const Spec& spec);
  std::optional<Dims> dims_before(const Use& u, const Spec& before);
  std::optional<Dims> dims_given(const Use& u);
  bool says(const std::string& word) const;
  bool ranks_fit(const std::string& name, std::size_t rank);

  // ---- ops of fixed rank ----
  bool agreed(const Status& status);
  bool rows_for_images(Use& u);
  void same_lengths(const Use& u, Sizing& sizing) const;
  std::optional<Spec> fixed(Use& u, const Spec* before);

  // ---- the end ----
  void finish(Spec& spec);
  const Library& library_;
  std::vector<Item>& items_;
  std::vector<Use> uses_;
  std::vector<std::size_t> rank_hints_;
  std::optional<DType> dtype_, output_;  // output_: if it differs
  bool keep_ = false;                    // keepdim
  std::string reduction_;                // of a loss: sum, none; empty: its default
  std::vector<std::string> questions_;
  std::vector<Built::Alternative> alternatives_;
};

}  // namespace ww::op::phrases
