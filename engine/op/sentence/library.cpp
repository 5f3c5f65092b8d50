// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include "base/ascii.h"
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

// 0: equal. Otherwise the share of the letters that differ; above a half, a lower bound of it, or 1.
double unlikeness(const std::string& word, const std::string& other) {
  if (word == other) return 0;
  const std::size_t longer = std::max(word.size(), other.size());
  if (longer == 0 || longer > 64 || std::min(word.size(), other.size()) * 2 < longer)
    return 1;  // more than half differs
  if (least_edit_distance(word, other) * 2 > longer) return 1;
  constexpr std::size_t short_word = 5;
  if (word.size() == other.size() && longer <= short_word && !phrases::is_slip(word, other)) return 1;
  const double part = static_cast<double>(edit_distance(word, other)) / static_cast<double>(longer);
  const bool alike = std::min(word.size(), other.size()) * 5 >= longer * 3;  // one contains the other, and most of it
  const bool within = alike && (other.find(word) != std::string::npos || word.find(other) != std::string::npos);
  return within ? std::min(part, 0.3) : part;
}

using Ranked = std::vector<std::pair<double, const LibraryOp*>>;

std::vector<const LibraryOp*> least(Ranked ranked, std::size_t count) {
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const LibraryOp*> out;
  for (std::size_t i = 0; i < ranked.size() && i < count; ++i) out.push_back(ranked[i].second);
  return out;
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
  std::unordered_map<std::string, std::size_t> numbers;
  const auto numbered = [&](const std::string& word) {
    const auto [at, fresh] = numbers.emplace(word, out.words_.size());
    if (fresh) out.words_.push_back(word);
    return at->second;
  };
  for (std::size_t i = 0; i < out.ops_.size(); ++i) {
    const LibraryOp& op = out.ops_[i];
    const auto says = [&](const std::string& word) {
      std::vector<std::size_t>& ops = out.said_by_[word];
      if (ops.empty() || ops.back() != i) ops.push_back(i);
    };
    for (const phrases::Token& t : phrases::tokenise(op.summary)) says(t.text);
    std::vector<std::string> names = op.phrases;
    names.push_back(op.spec.name);
    std::vector<PhraseWords>& all = out.phrase_words_.emplace_back();
    for (const std::string& phrase : names) {
      PhraseWords words;
      std::string joined;
      for (const phrases::Token& t : phrases::tokenise(phrase)) {
        if (t.kind != phrases::Token::Kind::word) continue;
        joined += t.text;
        words.words.push_back(numbered(t.text));
        says(t.text);
      }
      if (words.words.empty()) continue;
      words.joined = numbered(joined);
      all.push_back(std::move(words));
    }
  }
  for (LibraryOp& op : out.ops_)
    for (const std::string& part : phrases::split_list(directive(op.spec, "with"), '|')) {
      const std::size_t equals = part.rfind('=');
      if (equals == std::string::npos) continue;
      const LibraryOp* variant = out.find(trimmed(std::string_view(part).substr(equals + 1)));
      if (!variant) continue;
      for (const std::string& phrase : phrases::split_list(part.substr(0, equals)))
        op.variants.push_back({phrases::folded(phrase), static_cast<std::size_t>(variant - out.ops_.data())});
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
  Ranked ranked;
  if (given.empty()) return {};
  std::vector<double> nearest_given(words_.size(), 1);  // distance to the nearest given word
  for (std::size_t i = 0; i < words_.size(); ++i)
    for (const std::string& g : given) nearest_given[i] = std::min(nearest_given[i], unlikeness(g, words_[i]));
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const LibraryOp& op = ops_[i];
    double best = 1;
    for (const PhraseWords& phrase : phrase_words_[i]) {
      double sum = 0;
      for (const std::size_t word : phrase.words) sum += nearest_given[word] > 0.5 ? 1 : nearest_given[word];
      best = std::min(best, 0.05 + sum / static_cast<double>(phrase.words.size()));
      // "smooth" is a word of "smooth l1 loss", not another spelling of it.
      const std::string& joined = words_[phrase.joined];
      if (phrase.words.size() > 1 && given.size() == 1 && joined.size() > all.size() && joined.starts_with(all))
        continue;
      best = std::min({best, unlikeness(all, joined), nearest_given[phrase.joined]});
    }
    if (best <= 0.3) ranked.emplace_back(best, &op);
  }
  return least(std::move(ranked), count);
}

std::vector<const LibraryOp*> Library::about(std::string_view words, std::size_t count) const {
  constexpr double least_share = 0.6;
  std::set<std::string> given;
  for (const phrases::Token& t : phrases::tokenise(words.substr(0, 400)))
    if (t.kind == phrases::Token::Kind::word && t.text.size() > 2) given.insert(t.text);
  std::vector<double> weight(ops_.size(), 0);
  std::vector<std::size_t> said(ops_.size(), 0);
  double whole = 0;
  for (const std::string& word : given) {
    const auto found = said_by_.find(word);
    const std::size_t often = found == said_by_.end() ? 0 : found->second.size();
    const double rarity = std::log(static_cast<double>(ops_.size() + 1) / static_cast<double>(often + 1));
    whole += rarity;
    if (often > 0)
      for (const std::size_t op : found->second) weight[op] += rarity, ++said[op];
  }
  Ranked ranked;
  for (std::size_t i = 0; i < ops_.size(); ++i)
    if (said[i] > 1 && weight[i] >= least_share * whole) ranked.emplace_back(-weight[i], &ops_[i]);
  return least(std::move(ranked), count);
}

}  // namespace ww::op
