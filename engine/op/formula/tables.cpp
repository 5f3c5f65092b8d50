// SPDX-License-Identifier: Apache-2.0
// The word lists of formulas: calls.txt, formulas.txt, patterns.txt and others of resources/phrasebook.
#include <algorithm>
#include "base/ascii.h"
#include "base/files.h"
#include "op/formula/lower.h"
#include "op/parse.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op::formula {
namespace {

using phrases::split_list;

Result<std::vector<std::string>> lines_of(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::vector<std::string>();
  auto text = WW_TRY(read_file(file, std::size_t{1} << 20));
  std::vector<std::string> out = split_list(text, '\n');
  std::erase_if(out, [](const std::string& l) { return l[0] == '#'; });
  return out;
}

Result<Parameter> parameter(std::string text, const std::string& line) {
  Parameter p;
  const auto bad = [&] { return fail(Code::parse, "a call's form cannot be read: " + line); };
  const std::size_t mark = text.find_first_of(">~!=");
  p.name = text.substr(0, mark);
  std::string rest = mark == std::string::npos ? std::string() : text.substr(mark + 1);
  const char sign = mark == std::string::npos ? ' ' : text[mark];
  std::string& tail = sign == ' ' ? p.name : rest;
  if (!tail.empty() && tail.back() == '?') {
    p.optional = true;
    tail.pop_back();
  }
  using PK = Parameter::Kind;
  if (sign == '>') {
    p.kind = PK::size;
    const std::size_t usual = rest.find('=');
    if (usual != std::string::npos) p.fixed = rest.substr(usual + 1), p.optional = true;
    p.targets = split_list(rest.substr(0, usual), ' ');
    if (p.targets.empty()) return bad();
  } else if (sign == '~') {
    p.kind = PK::ignored;
    p.optional = true;
  } else if (sign == '!') {
    p.kind = PK::fixed;
    p.fixed = rest;
  } else if (sign == '=') {
    p.kind = PK::value;
    p.fixed = rest;
    p.optional = true;
  } else if (p.name == "dim" || p.name == "axis") {
    p.kind = PK::axis;
  } else if (p.name == "keepdim") {
    p.kind = PK::keep;
    p.optional = true;
  }
  if (const std::size_t hash = p.name.find('#'); hash != std::string::npos) {
    if (p.kind != PK::tensor || hash + 2 != p.name.size()) return bad();
    p.rank = p.name[hash + 1] - '0';
    p.name.resize(hash);
  }
  if (p.name.empty()) return bad();
  return p;
}

// name, name(parameters): op    or    name(parameters) = formula, ! what cannot be said, ? a question
Status add_call(Tables& tables, const std::string& line) {
  const std::size_t open = line.find('('), close = line.find(')', open);
  const std::size_t sign = close == std::string::npos ? close : line.find_first_of(":=!?", close);
  if (sign == std::string::npos) return fail(Code::parse, "a call's form cannot be read: " + line);
  CallForm form;
  bool keyword = false;
  for (const std::string& part : split_list(line.substr(open + 1, close - open - 1))) {
    if (part == "*") {
      keyword = true;
      continue;
    }
    form.parameters.push_back(WW_TRY(parameter(part, line)));
    form.parameters.back().keyword_only = keyword;
  }
  std::string& meaning = line[sign] == ':'   ? form.op
                         : line[sign] == '=' ? form.formula
                         : line[sign] == '!' ? form.cannot
                                             : form.question;
  meaning = trimmed(std::string_view(line).substr(sign + 1));
  for (const std::string& name : split_list(line.substr(0, open))) tables.calls[name].push_back(form);
  return {};
}

Status add_list(Tables& tables, const std::string& key, const std::vector<std::string>& words) {
  static const std::map<std::string, std::vector<std::string> Tables::*> lists = {{"namespaces", &Tables::namespaces},
                                                                                  {"sizes", &Tables::size_names},
                                                                                  {"words", &Tables::words},
                                                                                  {"tensors", &Tables::tensors}};
  static const std::map<std::string, std::set<std::string> Tables::*> sets = {{"titles", &Tables::titles},
                                                                              {"dimensions", &Tables::dimensions},
                                                                              {"names", &Tables::names},
                                                                              {"hyphenated", &Tables::hyphenated},
                                                                              {"abbreviations", &Tables::abbreviations},
                                                                              {"chains", &Tables::chains},
                                                                              {"matrices", &Tables::matrices},
                                                                              {"vectors", &Tables::vectors}};
  if (const auto list = lists.find(key); list != lists.end()) {
    tables.*list->second = words;
  } else if (const auto set = sets.find(key); set != sets.end()) {
    tables.*set->second = {words.begin(), words.end()};
  } else if (key == "tail") {
    tables.tail.insert(tables.tail.end(), words.begin(), words.end());
  } else if (key == "scalars") {
    for (const std::string& w : words) {
      const std::size_t equals = w.find('=');
      if (equals == std::string::npos) return fail(Code::parse, "a scalar has no value: " + w);
      tables.scalars[w.substr(0, equals)] = std::stod(w.substr(equals + 1));
    }
  } else {
    for (const std::string& w : words) tables.impossible[w] = key;
  }
  return {};
}

// kind value: phrases
Status add_arithmetic(Tables& tables, const std::string& line) {
  const std::size_t colon = line.find(':'), space = line.find(' ');
  if (colon == std::string::npos || space > colon)
    return fail(Code::parse, "a line of arithmetic.txt has no kind, value and words: " + line);
  const ProseWord word{line.substr(0, space), std::string(trimmed(line.substr(space, colon - space)))};
  for (const std::string& phrase : split_list(line.substr(colon + 1))) {
    const std::string key = phrases::folded(phrase);
    tables.arithmetic[key.empty() ? phrase : key].push_back(word);  // a sign folds to nothing
  }
  return {};
}

}  // namespace

Result<Tables> load_tables(const std::filesystem::path& folder) {
  Tables out;
  for (const std::string& line : WW_TRY(lines_of(folder / "calls.txt"))) WW_TRY(add_call(out, line));
  for (const std::string& line : WW_TRY(lines_of(folder / "formulas.txt"))) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return fail(Code::parse, "a line of formulas.txt has no colon: " + line);
    WW_TRY(add_list(out, line.substr(0, colon), split_list(line.substr(colon + 1))));
  }
  for (const std::string& line : WW_TRY(lines_of(folder / "patterns.txt"))) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return fail(Code::parse, "a pattern has no formula: " + line);
    out.patterns.push_back({split_list(line.substr(0, colon), ' '), std::string(trimmed(line.substr(colon + 1)))});
  }
  for (const std::string& line : WW_TRY(lines_of(folder / "arithmetic.txt"))) WW_TRY(add_arithmetic(out, line));
  const auto add_rules = [&](Rules& rules, std::initializer_list<const char*> files) -> Status {
    for (const char* file : files)
      for (const std::string& line : WW_TRY(lines_of(folder / file))) WW_TRY(rules.add(line));
    rules.finish();
    return {};
  };
  WW_TRY(add_rules(out.rewrites, {"rewrites.txt", "rewrites_products.txt", "rewrites_windows.txt",
                                  "rewrites_reductions.txt", "rewrites_elements.txt", "rewrites_prose.txt",
                                  "rewrites_statistics.txt", "rewrites_requests.txt", "rewrites_everyday.txt"}));
  WW_TRY(add_rules(out.frames, {"frames.txt"}));
  WW_TRY(add_rules(out.blanks, {"blanks.txt"}));
  WW_TRY(add_rules(out.steps, {"steps.txt"}));
  WW_TRY(add_rules(out.tails, {"tails.txt"}));
  for (const std::string& line : WW_TRY(lines_of(folder / "inputs.txt"))) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return fail(Code::parse, "an input has no words: " + line);
    for (const std::string& phrase : split_list(line.substr(colon + 1)))
      out.inputs[line.substr(0, colon)].push_back(phrases::folded(phrase));
  }
  for (const std::string& line : WW_TRY(lines_of(folder / "questions.txt"))) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return fail(Code::parse, "a question has no answers: " + line);
    std::vector<Option> options;
    for (const std::string& part : split_list(line.substr(colon + 1), '|')) {
      const std::size_t dash = part.find(" = ");
      options.push_back({part.substr(0, dash), dash == std::string::npos ? std::string() : part.substr(dash + 3)});
    }
    for (const std::string& phrase : split_list(line.substr(0, colon))) out.open[phrases::folded(phrase)] = options;
  }
  for (const std::string& line : WW_TRY(lines_of(folder / "spellings.txt"))) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) return fail(Code::parse, "a spelling has no others: " + line);
    for (const std::string& other : split_list(line.substr(colon + 1))) {
      const bool as_written = other.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
      out.spellings.push_back({as_written ? other : ascii_lower(other), line.substr(0, colon), as_written});
    }
  }
  for (const std::string& line : WW_TRY(lines_of(folder / "limits.txt"))) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return fail(Code::parse, "a limit has no words: " + line);
    for (const std::string& phrase : split_list(line.substr(colon + 1)))
      out.limits.emplace_back(phrases::folded(phrase), line.substr(0, colon));
  }
  return out;
}

std::string cannot_be_said(const std::string& what) {
  return what + " cannot be written in the op language; docs/limits.md says what can.";
}

Names names_for(const Library& library, const Tables& tables) {
  Names out;
  out.is_function = [&library, &tables](const std::string& name) {
    if (tables.calls.count(name) || tables.impossible.count(name) || library.find(name)) return true;
    for (const char* own : {"max", "min", "norm", "permute", "transpose", "trace", "tril", "triu", "einsum",
                            "Sequential", "cat", "concat", "concatenate", "stack"})
      if (name == own) return true;
    return std::any_of(functions().begin(), functions().end(), [&](const Function& f) { return f.name == name; });
  };
  out.is_namespace = [&tables](const std::string& name) {
    return std::find(tables.namespaces.begin(), tables.namespaces.end(), name) != tables.namespaces.end();
  };
  out.is_abbreviation = [&tables](const std::string& name) { return tables.abbreviations.count(name) != 0; };
  out.is_word = [&library, &tables](const std::string& name) {
    if (name.size() < 2 || std::find(tables.tensors.begin(), tables.tensors.end(), name) != tables.tensors.end())
      return false;
    if (tables.abbreviations.count(name)) return true;
    if (std::find(tables.words.begin(), tables.words.end(), name) != tables.words.end()) return true;
    const std::vector<phrases::Token> tokens = phrases::tokenise(name);
    if (tokens.size() != 1) return false;
    const auto asks_for = [&](const auto& limit) { return limit.first == tokens[0].text; };
    if (std::any_of(tables.limits.begin(), tables.limits.end(), asks_for)) return true;  // "FFT" is not F F T
    const phrases::Match m = library.vocabulary().match(tokens, 0);
    return m.entries && std::any_of(m.entries->begin(), m.entries->end(),
                                    [](const phrases::Entry& e) { return e.sort != phrases::Sort::constant; });
  };
  return out;
}

}  // namespace ww::op::formula
