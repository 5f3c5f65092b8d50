// SPDX-License-Identifier: Apache-2.0
// Turns a sentence into a spec without a model, using the phrases in the op files. Reports the reading of each word and
// never guesses silently: if a meaningful word is not understood, the outcome is unclear and names the nearest ops.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
#include "base/result.h"
#include "base/source.h"
#include "op/spec.h"

namespace ww::op {

namespace phrases {
class Vocabulary;
}

struct OpVariant {    // words next to an op that turn it into another one (//@ with:)
  std::string words;  // folded
  std::size_t op = 0;
};
struct LibraryOp {
  Spec spec;
  std::filesystem::path file;
  std::vector<std::string> phrases;  // lower case
  std::string family;                // "map", "row-reduction", "contraction", …  (//@ family:)
  std::string summary;               // one sentence (//@ summary:)
  std::vector<OpVariant> variants;
};

class Library {
 public:
  // Every *.op below `folder` (normally resources_dir()/"ops"), sorted by name. Errors name the file: an op file that
  // does not parse, two ops with the same name. The word lists come from the folder `phrasebook` beside `folder`, or
  // from the resources.
  static Result<Library> load(const std::filesystem::path& folder);
  const std::vector<LibraryOp>& ops() const { return ops_; }
  const LibraryOp* find(std::string_view name) const;
  // At most `count` ops whose names or phrases resemble `words`, nearest first; may be empty.
  std::vector<const LibraryOp*> nearest(std::string_view words, std::size_t count) const;
  // At most `count` ops whose names, phrases and summaries hold two or more of `words` and most of their weight
  // (inverse document frequency), the heaviest first; may be empty.
  std::vector<const LibraryOp*> about(std::string_view words, std::size_t count) const;
  const phrases::Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  struct PhraseWords {  // indices into words_
    std::vector<std::size_t> words;
    std::size_t joined = 0;  // the whole phrase, without spaces
  };
  std::vector<LibraryOp> ops_;
  std::vector<std::string> words_;                                     // of phrases, each once, folded
  std::vector<std::vector<PhraseWords>> phrase_words_;                 // of each op: its phrases and its name
  std::unordered_map<std::string, std::vector<std::size_t>> said_by_;  // word: the ops with it, in ascending order
  std::shared_ptr<const phrases::Vocabulary> vocabulary_;
};

enum class Meaning { op, composition, shape, dtype, axis, constant, filler, unknown };
std::string_view meaning_name(Meaning m);

struct Word {  // one part of the sentence, understood or not
  Span span;
  Meaning meaning = Meaning::unknown;
  std::string text;     // as written
  std::string reading;  // "the op softmax", "R = 512", "element type f16", "over dimension 1", …
};

enum class Outcome { understood, question, refusal };

struct Choice {            // one way to put the request clearly
  std::string sentence;    // to write instead; always understood
  std::string difference;  // how it differs from the others, a few words
  Spec spec;
};

struct Understanding {
  Outcome outcome = Outcome::refusal;
  std::optional<Spec> spec;            // set only when every word that carries meaning was understood
  std::vector<Word> words;             // in sentence order, covering every word
  std::vector<std::string> questions;  // what is unclear, one plain sentence each; empty when spec is set
  std::vector<Choice> choices;         // answers to the question, at most 4
  bool impossible = false;             // a refusal: the op language cannot express it
  std::vector<std::string> warnings;   // inputs for which the spec gives NaN, one plain sentence each
  std::vector<std::string> nearest;    // names of the nearest ops if something was not understood
};
// The spec for display: without the directives that only the phrasebook reads, except the summary.
Spec plain(Spec spec);
Understanding understand(const Library& library, std::string_view sentence);

}  // namespace ww::op
