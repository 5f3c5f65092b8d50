// SPDX-License-Identifier: Apache-2.0
// A sentence grouped into items: ops, connectors, sizes with their numbers, axes, element types, constants, filler, and
// unknown words.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "op/sentence/phrasebook_words.h"

namespace ww::op::phrases {

struct Item {
  enum class Kind : std::uint8_t {
    op,
    connector,
    dtype,
    axis,
    rank,
    size,
    number,
    shape,
    assign,
    constant,
    filler,
    comma,
    open,
    punctuation,
    unknown
  };
  Kind kind = Kind::unknown;
  Span span;
  std::string text;     // folded
  std::string written;  // as written
  const std::vector<Entry>* entries = nullptr;
  std::size_t op = 0;           // Kind::op
  std::string value;            // connector, dtype, axis, size kind, constant or assigned name (as written)
  double number = 0;            // number, rank; axis "index"
  std::vector<double> dims;     // shape
  std::size_t count = 0;        // "two matrices": the number of tensors
  bool letter = false;          // the name of a tensor
  bool underscored = false;     // follows an underscore: Matmul_Mish_Mish
  bool bracketed = false;       // an op in brackets after another; its meaning is unclear
  bool spelled = false;         // a number written as a word
  bool reduction = false;       // the reduction of a loss: `value` is sum, mean or none
  bool used = false;            // a number or shape that belongs to another item, or a word already handled
  std::size_t value_at = none;  // size, constant, assign, axis: the item that holds its number or shape
  std::string number_reading;
  Meaning meaning = Meaning::unknown;
  std::string reading;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const Entry* entry(Sort sort) const;
  bool is_value() const { return kind == Kind::number || kind == Kind::shape; }
  void read_as(Meaning m, std::string what) {
    meaning = m;
    reading = std::move(what);
  }
};

// phrasebook_group.cpp
std::vector<Item> grouped(const Library& library, std::string_view sentence);
// phrasebook_joins.cpp: numbers that turn the preceding word into an op ("add 1", "relu minus 2"), and ops in
// brackets that specify an op ("scan (sum)").
void read_arithmetic(const Library& library, std::vector<Item>& items);
// "saxpy 10M", "leaky relu 4096": how many elements, not the constant of the op.
bool counts_elements(const Item& number, const std::string& constant);
// "clamp 0 to 255", "clip to [0, 1]".
void read_ranges(const Library& library, std::vector<Item>& items);
// "square, then sum": the verb, not "a square matrix".
void read_squares(const Library& library, std::vector<Item>& items);
void read_brackets(const Library& library, std::vector<Item>& items);
// "standardize features: standardize each column": the title is not another op.
void read_titles(std::vector<Item>& items);
// qualifiers.cpp: "window sum".
inline constexpr const char* qualifying = "may change the operation beside it";
void read_qualifiers(const Library& library, std::string_view sentence, std::vector<Item>& items);
// lengths.cpp: "rows of 64", "a vector of 1000".
void read_lengths(const Library& library, std::string_view sentence, std::vector<Item>& items);
// Whether the number counts the tensors right behind it, so that it is no size of one: "the rows of two 500x64
// matrices", "of 200 vectors".
bool tensors_follow(const std::vector<Item>& items, std::size_t number);
// modifiers.cpp: words that select a variant of an op, and words for its inputs.
void read_modifiers(const Library& library, std::vector<Item>& items);

// The items in sentence order, with numbers attached to their sizes, axes and constants.
std::vector<Item> read_sentence(const Library& library, std::string_view sentence);

}  // namespace ww::op::phrases
