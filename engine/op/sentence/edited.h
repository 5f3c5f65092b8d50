// SPDX-License-Identifier: Apache-2.0
// A sentence with parts replaced or removed, and the map back to the original.
#pragma once
#include <string>
#include <string_view>
#include <vector>
#include "base/source.h"
#include "op/sentence/phrasebook.h"

namespace ww::op {

class Edited {
 public:
  struct Edit {
    Span span;            // in the sentence
    std::string text;     // replacement; empty: removed
    std::string reading;  // of the removed text
  };
  // The edits are in the order of the sentence and do not overlap.
  Edited(std::string_view sentence, std::vector<Edit> edits);

  const std::string& text() const { return text_; }
  // Maps the words of a reading of text() to words of the sentence; removed text becomes filler.
  void restore(Understanding& out) const;

 private:
  struct Piece {
    Span was, is;  // in the sentence, in text()
    bool edited = false;
  };
  Span back(Span span) const;

  std::string sentence_, text_;
  std::vector<Edit> edits_;
  std::vector<Piece> pieces_;
};

}  // namespace ww::op
