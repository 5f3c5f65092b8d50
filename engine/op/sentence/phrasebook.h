// SPDX-License-Identifier: Apache-2.0
// A sentence to a spec without a model: from the phrases in the op files. It says what it made of each word and never
// guesses in silence: words that carry meaning and were not understood make the outcome unclear, with the nearest ops
// named.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "base/source.h"
#include "op/spec.h"

namespace ww::op {

namespace phrases {
class Vocabulary;
}

struct OpVariant {    // words beside an op that make another one of it (//@ with:)
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
  // Every *.op below `folder` (normally resources_dir()/"ops"), in the order of their names; an op file that does not
  // parse is an error that names it, and so are two ops of one name. The word lists come from the folder `phrasebook`
  // beside `folder`, or from the resources.
  static Result<Library> load(const std::filesystem::path& folder);
  const std::vector<LibraryOp>& ops() const { return ops_; }
  const LibraryOp* find(std::string_view name) const;
  // Ops whose names or phrases look or read like `words`, the nearest first; may be fewer than `count`, or none.
  std::vector<const LibraryOp*> nearest(std::string_view words, std::size_t count) const;
  const phrases::Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  struct PhraseWords {  // numbers of words_
    std::vector<std::size_t> words;
    std::size_t joined = 0;  // all in one, without spaces
  };
  std::vector<LibraryOp> ops_;
  std::vector<std::string> words_;  // of phrases, each once, folded
  std::vector<std::vector<PhraseWords>> phrase_words_;  // of each op: its phrases and its name
  std::shared_ptr<const phrases::Vocabulary> vocabulary_;
};

enum class Meaning { op, composition, shape, dtype, axis, constant, filler, unknown };
std::string_view meaning_name(Meaning m);

struct Word {  // one understood (or not) stretch of the sentence
  Span span;
  Meaning meaning = Meaning::unknown;
  std::string text;     // as written
  std::string reading;  // "the op softmax", "R = 512", "element type f16", "over dimension 1", …
};

enum class Outcome { understood, question, refusal };

struct Choice {            // one way to put the request clearly
  std::string sentence;    // to write instead; it is understood
  std::string difference;  // how it differs from the others, a few words
  Spec spec;
};

struct Understanding {
  Outcome outcome = Outcome::refusal;
  std::optional<Spec> spec;            // set only when every word that carries meaning was understood
  std::vector<Word> words;             // in sentence order, covering every word
  std::vector<std::string> questions;  // what is unclear, one plain sentence each; empty when spec is set
  std::vector<Choice> choices;         // answers to the question, at most 4
  bool impossible = false;             // a refusal: the op language cannot say it
  std::vector<std::string> warnings;   // where the spec gives NaN for part of its inputs, one plain sentence each
  std::vector<std::string> nearest;    // names of the nearest ops when something was not understood
};
// The spec as a person wants to see it: without the directives that only the phrasebook reads; the summary stays.
Spec plain(Spec spec);
Understanding understand(const Library& library, std::string_view sentence);

}  // namespace ww::op
