// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <unordered_map>
#include "base/files.h"
#include "op/names.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

std::string directive(const Spec& spec, const std::string& key) {
  const auto found = spec.directives.find(key);
  return found == spec.directives.end() ? std::string() : found->second;
}

Result<std::vector<std::filesystem::path>> op_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  std::filesystem::recursive_directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    if (it->path().extension() == ".op" && it->is_regular_file(ignored)) out.push_back(it->path());
  }
  if (error) return fail(Code::io, "cannot read the op library " + folder.string(), error.message());
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return std::pair(a.filename(), a) < std::pair(b.filename(), b); });
  return out;
}

// 0: the same. Otherwise the part of the letters that differ, 1 and above: unlike.
double unlikeness(const std::string& word, const std::string& other) {
  if (word == other) return 0;
  const std::size_t longer = std::max(word.size(), other.size());
  if (longer == 0 || longer > 64 || std::min(word.size(), other.size()) * 2 < longer)
    return 1;  // more than half differs
  const double part = static_cast<double>(edit_distance(word, other)) / static_cast<double>(longer);
  const bool alike =
      std::min(word.size(), other.size()) * 5 >= longer * 3;  // one holds the other, and not by a small part
  const bool within = alike && (other.find(word) != std::string::npos || word.find(other) != std::string::npos);
  return within ? std::min(part, 0.3) : part;
}

}  // namespace

Result<Library> Library::load(const std::filesystem::path& folder) {
  const auto files = WW_TRY(op_files(folder));
  Library out;
  std::set<std::string> names;
  for (const std::filesystem::path& file : files) {
    auto text = WW_TRY(read_file(file, std::size_t{1} << 20));
    auto spec = parse_spec(text, file.filename().string());
    if (!spec)
      return fail(spec.error().code, "the op file " + file.string() + " cannot be read: " + spec.error().message,
                  spec.error().cause);
    if (!names.insert(spec->name).second)
      return fail(Code::invalid_argument, "two op files define '" + spec->name + "'; the second is " + file.string());
    LibraryOp op;
    op.phrases = phrases::split_list(directive(*spec, "phrases"));
    op.family = directive(*spec, "family");
    op.summary = directive(*spec, "summary");
    op.file = file;
    op.spec = std::move(*spec);
    out.ops_.push_back(std::move(op));
  }
  std::filesystem::path words = std::filesystem::absolute(folder / "..").lexically_normal() / "phrasebook";
  std::error_code ignored;
  if (!std::filesystem::is_directory(words, ignored)) words = resources_dir() / "phrasebook";
  auto vocabulary = WW_TRY(phrases::Vocabulary::load(words));
  vocabulary.add_ops(out.ops_);
  for (const LibraryOp& op : out.ops_) {
    std::vector<std::string> names = op.phrases;
    names.push_back(op.spec.name);
    std::vector<PhraseWords>& all = out.phrase_words_.emplace_back();
    for (const std::string& phrase : names) {
      PhraseWords words;
      for (const phrases::Token& t : phrases::tokenise(phrase)) {
        if (t.kind != phrases::Token::Kind::word) continue;
        words.joined += t.text;
        words.words.push_back(t.text);
      }
      if (!words.words.empty()) all.push_back(std::move(words));
    }
  }
  out.vocabulary_ = std::make_shared<const phrases::Vocabulary>(std::move(vocabulary));
  return out;
}

const LibraryOp* Library::find(std::string_view name) const {
  for (const LibraryOp& op : ops_)
    if (op.spec.name == name) return &op;
  return nullptr;
}

std::vector<const LibraryOp*> Library::nearest(std::string_view words, std::size_t count) const {
  std::vector<std::string> given;
  std::string all;
  for (const phrases::Token& t : phrases::tokenise(words.substr(0, 400))) {
    if (t.kind != phrases::Token::Kind::word || t.text.size() < 2) continue;
    given.push_back(t.text);
    all += t.text;
    if (given.size() == 8) break;
  }
  std::vector<std::pair<double, const LibraryOp*>> ranked;
  if (given.empty()) return {};
  std::unordered_map<std::string_view, double> known;  // how unlike the nearest given word, by the word of a phrase
  const auto nearest_given = [&](const std::string& word) {
    const auto [at, fresh] = known.emplace(word, 1.0);
    if (fresh)
      for (const std::string& g : given) at->second = std::min(at->second, unlikeness(g, word));
    return at->second;
  };
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const LibraryOp& op = ops_[i];
    double best = 1;
    for (const PhraseWords& phrase : phrase_words_[i]) {
      double sum = 0;
      for (const std::string& word : phrase.words) {
        const double nearest = nearest_given(word);
        sum += nearest > 0.5 ? 1 : nearest;
      }
      best = std::min({best, 0.05 + sum / static_cast<double>(phrase.words.size()), unlikeness(all, phrase.joined),
                       nearest_given(phrase.joined)});
    }
    if (best <= 0.3) ranked.emplace_back(best, &op);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const LibraryOp*> out;
  for (std::size_t i = 0; i < ranked.size() && i < count; ++i) out.push_back(ranked[i].second);
  return out;
}

}  // namespace ww::op
