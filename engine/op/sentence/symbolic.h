// SPDX-License-Identifier: Apache-2.0
// Shapes of named sizes: "softmax of x of shape (B, T, D)", "A (M x K)", "two n x n matrices", "vectors of length N".
// Each name is read as a number that no sentence contains, so that all rules for shapes apply; the spec then gets the
// name.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "op/sentence/phrasebook.h"

namespace ww::op {

class SymbolicShapes {
 public:
  // Empty if the sentence has no shape of named sizes.
  static std::optional<SymbolicShapes> find(const Library& library, std::string_view sentence);
  const std::string& numbered() const { return text_; }  // the sentence with a number for each name
  // Maps the understanding of numbered() back to `sentence`.
  void restore(const Library& library, std::string_view sentence, Understanding& out) const;

 private:
  struct Piece {
    Span was, is;  // in the sentence, in numbered()
  };
  std::string named(std::string text) const;
  Span back(Span span) const;
  Spec named(const Library& library, const Spec& spec) const;

  std::string text_;
  std::vector<Piece> pieces_;
  std::map<std::string, std::int64_t> numbers_;  // by name
};

}  // namespace ww::op
