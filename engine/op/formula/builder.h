// SPDX-License-Identifier: Apache-2.0
// The spec of a formula while it is made: sizes and index variables as classes that are joined when tensors must agree,
// and equations as text in which S_<n>_ stands for a size and ax_<n>_ for an index variable.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "op/formula/lower.h"

namespace ww::op::formula {

struct Value {
  std::vector<int> axes;
  std::string text;
  bool plain = false;    // an input as it is
  std::string tensor;    // its name, or that of the temporary that holds the value
  bool row = false;      // a transposed vector
  bool reduced = false;  // some dimensions were reduced away
  int contracted = -1;   // the size summed over by the product that made it
  std::optional<double> number;
  DType dtype = DType::f32;             // i64 and bool of ops that give them
  std::optional<std::size_t> kept;      // a reduced dimension stays with size 1, behind so many others
  std::optional<std::size_t> numbered;  // reduced by a call along a dimension by number: Node::close of that call
};

class Builder {
 public:
  int new_size(std::string name = {}, std::optional<std::int64_t> value = {});
  int new_axis(int size);
  // The number of elements of a slice of a dimension; nothing where it has none, or may have none.
  struct Slice {
    int first = 0;            // negative: from the end
    std::optional<int> stop;  // one behind the last; negative: from the end
    int step = 1;
  };
  std::optional<int> part_of(int size, const Slice& slice);
  int size_of(int axis) { return axes_[static_cast<std::size_t>(root(axes_, axis))].size; }
  bool join_sizes(int a, int b);  // false: both are known and differ; `clash` says how
  bool join_axes(int a, int b);
  bool same_size(int a, int b) { return root(sizes_, a) == root(sizes_, b); }
  bool same_axis(int a, int b) { return root(axes_, a) == root(axes_, b); }
  void set_name(int size, const std::string& name, bool forced = false);
  // A size of the spec even where no tensor has it alone: H of x[B, H*D].
  void own_size(int size) { own_.push_back(size); }
  void set_text(int size, std::string text) { sizes_[static_cast<std::size_t>(root(sizes_, size))].text = text; }
  std::optional<std::int64_t> value_of(int size) { return sizes_[static_cast<std::size_t>(root(sizes_, size))].value; }
  std::string clash;

  // Declares an input on its first use. Sizes as given; a later use has to agree in rank.
  struct Tensor {
    std::string name;
    std::vector<int> sizes;
    DType dtype = DType::f32;
    std::string domain;
  };
  const Tensor* find(const std::string& name) const;
  Tensor& declare(const std::string& name, std::vector<int> sizes, DType dtype = DType::f32);
  Value use(const Tensor& tensor);
  bool has_tensors() const { return !tensors_.empty(); }
  void retype(const std::string& name, DType dtype);
  void limit(const std::string& name, const std::string& domain);  // values_text()
  std::string fresh(const std::string& base);
  Value hold(const Value& value);  // the value in a temporary (or an input) of its own
  void equation(std::string text) { equations_.push_back(std::move(text)); }
  std::size_t equation_count() const { return equations_.size(); }
  void constant(const std::string& name, const std::string& value) {
    constants_.emplace_back(name, value);
    taken_.insert(name);
  }
  bool has_constant(const std::string& name) const;

  static std::string size_text(int size) { return "$s" + std::to_string(size) + "$"; }
  static std::string axis_text(int axis) { return "$a" + std::to_string(axis) + "$"; }
  std::string subscripts(const std::vector<int>& axes) const;

  // The whole op. `order`: of the output's axes.
  Result<Spec> finish(const Value& root, const std::string& name, const std::string& output, const Facts& facts);

 private:
  struct SizeClass {
    int parent;
    std::string name, text;
    std::optional<std::int64_t> value;
  };
  struct AxisClass {
    int parent;
    int size;
  };
  template <class List>
  int root(List& list, int at) {
    while (list[static_cast<std::size_t>(at)].parent != at) at = list[static_cast<std::size_t>(at)].parent;
    return at;
  }
  // A size that is computed: (of - cut + step - 1) / step.
  struct Computed {
    int size, of, cut, step;
  };
  bool computed_from(int size, int other);  // whether the size of class `other` is in the text of `size`
  bool known_sizes();                       // of parts and wholes; false: they differ, `clash` says how
  void name_sizes();
  std::string filled(const std::string& text);
  std::vector<SizeClass> sizes_;
  std::vector<AxisClass> axes_;
  std::vector<Computed> computed_;
  std::vector<int> own_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> equations_;
  std::vector<std::pair<std::string, std::string>> constants_;
  std::set<std::string> taken_;
  std::map<int, std::string> size_names_, axis_names_;
};

}  // namespace ww::op::formula
