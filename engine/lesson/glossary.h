// SPDX-License-Identifier: Apache-2.0
// The glossary as data (resources/glossary/*.md), and a search through it and the lessons. An entry is
//
//   ## term
//   Text, with a drawing in a ```text block where there is one.
//   lesson: name, name
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "lesson/lesson.h"

namespace ww::lesson {

struct Term {
  std::string name, text;            // Markdown
  std::vector<std::string> lessons;  // that explain it
};

std::filesystem::path glossary_folder();
// Errors (Code::parse) name the line: an entry without a text or a lesson, one that is there twice.
Result<std::vector<Term>> read_glossary(std::string_view text, const std::string& file);
// Of all files of the folder, by name. Errors: one of them cannot be read.
Result<std::vector<Term>> glossary_in(const std::filesystem::path& folder);

struct Hit {
  std::string lesson, term;  // one of the two is empty
  std::string line;          // with the words
};
// All words, in any order and case, in a term, a title, a summary or one line of a lesson's text: terms first, then
// lessons by where the words are. At most `most`.
std::vector<Hit> find_words(std::string_view words, const std::vector<Lesson>& lessons, const std::vector<Term>& terms,
                            std::size_t most = 40);

}  // namespace ww::lesson
