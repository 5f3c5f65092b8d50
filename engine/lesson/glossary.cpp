// SPDX-License-Identifier: Apache-2.0
#include "lesson/glossary.h"
#include <algorithm>
#include <fmt/format.h>
#include "base/ascii.h"
#include "base/files.h"
#include "base/lines.h"
#include "corpus/kernels.h"

namespace ww::lesson {
namespace fs = std::filesystem;

fs::path glossary_folder() { return resources_dir() / "glossary"; }

Result<std::vector<Term>> read_glossary(std::string_view text, const std::string& file) {
  constexpr std::string_view heading = "## ", lesson_word = "lesson:";
  std::vector<Term> out;
  int number = 0;
  const auto bad = [&](const std::string& why) {
    return fail(Code::parse, fmt::format("{}, line {}: {}", file, number, why));
  };
  const auto whole = [&]() -> Status {
    if (out.empty()) return {};
    const Term& t = out.back();
    if (trimmed(t.text).empty() || t.lessons.empty())
      return bad("the term '" + t.name + "' lacks its text or its lesson");
    return {};
  };
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (line.starts_with(heading)) {
      WW_TRY(whole());
      const std::string name(trimmed(line.substr(heading.size())));
      if (name.empty() || std::ranges::find(out, name, &Term::name) != out.end())
        return bad("'" + name + "' is there twice, or is no term");
      out.push_back({name, {}, {}});
    } else if (out.empty()) {
      if (!trimmed(line).empty()) return bad("an entry begins with '## term'");
    } else if (line.starts_with(lesson_word)) {
      for (const std::string& one : corpus::split(std::string(line.substr(lesson_word.size())), ','))
        out.back().lessons.emplace_back(trimmed(one));
    } else {
      out.back().text += std::string(line) + '\n';
    }
  }
  WW_TRY(whole());
  for (Term& t : out) t.text = std::string(trimmed(t.text)) + '\n';
  return out;
}

Result<std::vector<Term>> glossary_in(const fs::path& folder) {
  std::vector<Term> out;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    if (file.path().extension() != ".md" || file.path().filename() == "README.md") continue;
    const std::string name = file.path().filename().string();
    for (Term& t : WW_TRY(read_glossary(WW_TRY(read_file(file.path(), std::size_t{1} << 20)), name)))
      out.push_back(std::move(t));
  }
  if (error) return fail(Code::not_found, "the glossary in '" + folder.string() + "' cannot be read", error.message());
  std::ranges::sort(out, {}, [](const Term& t) { return ascii_lower(t.name); });
  return out;
}

namespace {

bool has_all(const std::string& text, const std::vector<std::string>& words) {
  const std::string low = ascii_lower(text);
  return std::ranges::all_of(words, [&](const std::string& w) { return low.find(w) != std::string::npos; });
}

}  // namespace

std::vector<Hit> find_words(std::string_view words, const std::vector<Lesson>& lessons, const std::vector<Term>& terms,
                            std::size_t most) {
  std::vector<std::string> wanted;
  for (const std::string& w : corpus::split(ascii_lower(std::string(words)), ' '))
    if (!trimmed(w).empty()) wanted.emplace_back(trimmed(w));
  std::vector<Hit> out;
  if (wanted.empty()) return out;
  const auto add = [&](Hit hit) {
    if (out.size() < most) out.push_back(std::move(hit));
  };
  for (const bool in_name : {true, false})
    for (const Term& t : terms)
      if (has_all(t.name, wanted) == in_name && has_all(t.name + ' ' + t.text, wanted))
        add({{}, t.name, std::string(trimmed(t.text.substr(0, t.text.find('\n'))))});
  for (const Lesson& l : lessons)
    if (has_all(l.title + ' ' + l.summary, wanted)) add({l.name, {}, l.summary});
  for (const Lesson& l : lessons)
    for (const std::string* prose : l.all<std::string>())
      for (const std::string_view line : split_lines(*prose))
        if (has_all(std::string(line), wanted)) add({l.name, {}, std::string(trimmed(line))});
  return out;
}

}  // namespace ww::lesson
