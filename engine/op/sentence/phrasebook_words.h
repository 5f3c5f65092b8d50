// SPDX-License-Identifier: Apache-2.0
// The words of a sentence: tokens, and a dictionary built from the word lists in resources/phrasebook and from the
// names and phrases of the ops in a library.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
#include "base/result.h"
#include "base/source.h"
#include "op/formula/lower.h"
#include "op/sentence/phrasebook.h"

namespace ww::op::phrases {

struct Token {
  enum class Kind : std::uint8_t { word, number, symbol };
  Kind kind = Kind::word;
  Span span;
  std::string text;  // folded: lower case, singular
  double number = 0;
  std::string reading;  // of an abbreviated number: "1k = 1024"
};
// Words (letters, digits after a letter, bytes above 127), numbers ("512", "1,024", "1e-5", "2^20", "64k", "-1" after a
// space), and single symbols. "512x1024" gives 512, x, 1024. Hyphens and underscores within words separate.
std::vector<Token> tokenise(std::string_view text);
// The folded words and numbers of a text, without "the", joined by spaces.
std::string folded(std::string_view text);
// "a", "a and b", "a, b and c" if `last` is " and ".
std::string listed(const std::vector<std::string>& items, std::string_view last);
// Whether a folded word means a tensor: matrix, vector, array, in several languages.
bool is_tensor_noun(std::string_view word);
bool is_vector_noun(std::string_view word);
// In lower case, without a plural s.
std::string fold(std::string_view word);

enum class Sort : std::uint8_t { op, connector, dtype, axis, size, constant, number, filler };
struct Entry {
  Sort sort;
  std::string value;  // connector: then, after, and, of; dtype: its name; axis: rows, …; size: its kind; constant: its
                      // name; number: digits
  std::size_t op = 0;  // Sort::op: position in the library
};

struct Match {
  std::size_t count = 0;                        // tokens
  const std::vector<Entry>* entries = nullptr;  // null: no known phrase begins here
  const Entry* entry(Sort sort) const;          // the first of a sort, or null
};

// A phrase that two ops claim.
struct Clash {
  std::string phrase, first, second;
};

// The significant words of an op's name: all of "attention with a causal mask" except "with" and "a".
struct LoosePhrase {
  std::string op;
  std::vector<std::string> words;  // folded
};

class Vocabulary {
 public:
  static Result<Vocabulary> load(const std::filesystem::path& folder);
  void add_ops(const std::vector<LibraryOp>& ops);
  // The longest phrase that begins at tokens[at]. Skips the word "the" inside a phrase.
  Match match(const std::vector<Token>& tokens, std::size_t at) const;
  bool value_follows(const std::string& kind) const { return value_follows_.count(kind) != 0; }
  bool takes_shape(const std::string& kind) const { return takes_shape_.count(kind) != 0; }
  // Whether a folded phrase may change the op beside it: `where` is before, reduction or behind (qualifiers.txt).
  bool qualifies(const std::string& where, const std::string& phrase) const;
  const std::vector<Clash>& clashes() const { return clashes_; }
  const std::vector<LoosePhrase>& loose_phrases() const { return loose_; }
  const formula::Tables& tables() const { return tables_; }
  // layouts.txt: "layouts" or the letters of dimensions, and the words for them.
  const std::vector<std::pair<std::string, std::vector<std::string>>>& layouts() const { return layouts_; }
  // Whether a folded word is part of some phrase.
  bool has_word(const std::string& word) const { return words_.count(word) != 0; }
  // The words of phrases that differ from the folded `word` by typing errors (one in a short word, two in a long one),
  // the nearest first, then those of most phrases; at most four.
  std::vector<std::string> near(const std::string& word) const;

 private:
  void add(std::string_view phrase, Entry entry);
  void add_foreign();
  std::unordered_map<std::string, std::vector<Entry>> entries_;  // key: folded tokens joined by a space
  std::map<std::string, std::size_t> words_;                     // of the phrases, with how many phrases have them
  std::size_t longest_ = 1;
  std::set<std::string> value_follows_, takes_shape_;
  std::map<std::string, std::set<std::string>> qualifiers_;
  std::vector<Clash> clashes_;
  std::vector<LoosePhrase> loose_;
  std::vector<std::pair<std::string, std::vector<std::string>>> foreign_, layouts_;
  formula::Tables tables_;
};

// Whether two words of one length differ by a slip of the fingers: two letters exchanged, or one struck beside another
// on the keyboard.
bool is_slip(std::string_view word, std::string_view other);

// A number in words at tokens[at], possibly after digits: "two hundred fifty six", "1.5 million". Count: 0 if there is
// none, 1 for digits alone. A value that is not finite is not a number.
struct NumberWords {
  std::size_t count = 0;
  double value = 0;
  bool digits = false;
};
NumberWords number_words(const Vocabulary& vocabulary, const std::vector<Token>& tokens, std::size_t at);

// What "4k" and "1M" count in: powers of two, but of thousands where the number is a multiple of five (10k, 100k).
double unit_of_count(double count, int steps);
// The trimmed parts of a comma-separated list; leaves out empty ones.
std::vector<std::string> split_list(std::string_view text, char separator = ',');

}  // namespace ww::op::phrases
