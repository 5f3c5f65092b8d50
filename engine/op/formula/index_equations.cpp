// SPDX-License-Identifier: Apache-2.0
#include "op/formula/index_equations.h"
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include "op/formula/reading.h"
#include "op/parse.h"
#include "op/sentence/phrasebook_words.h"
#include "op/recurrence.h"
#include "op/syntax.h"
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr std::size_t longest = 4000;
constexpr std::string_view head = "op equations() -> y: f32\n{\n";

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<Understanding> run() {
    syntax::Parsed parsed = syntax::read(std::string(head) + std::string(text_) + "\n}\n");
    equations_ = std::move(parsed.file.equations);
    if (!parsed.diagnostics.empty() || equations_.empty()) return std::nullopt;
    for (const syntax::Equation& e : equations_)
      if (!left_side(e) || !right_side(*e.value, false)) return std::nullopt;
    Understanding out;
    out.words = {{{0, text_.size()}, Meaning::op, std::string(text_), "equations in index notation"}};
    if (!beyond_.empty()) {
      ask(out);
      return out;
    }
    auto spec = parse_spec(spec_text());
    if (!spec) return std::nullopt;
    out.spec = std::move(*spec);
    out.outcome = Outcome::understood;
    return out;
  }

 private:
  bool left_side(const syntax::Equation& e) {
    if (!e.value || e.indices.empty() || !targets_.insert(e.target.text).second) return false;
    std::vector<std::string> names;
    for (const Index& i : e.indices) {
      if (i.given) return false;
      names.push_back(i.name);
      indices_.insert(i.name);
    }
    return dimensions(e.target.text, names);
  }

  // Every index along one dimension of a tensor runs over the same size.
  bool dimensions(const std::string& tensor, const std::vector<std::string>& indices) {
    const auto [at, fresh] = tensors_.insert({tensor, indices});
    if (fresh) order_.push_back(tensor);
    if (at->second.size() != indices.size()) return false;
    for (std::size_t d = 0; d < indices.size(); ++d) join(at->second[d], indices[d]);
    return true;
  }
  std::string first_of(std::string index) const {
    for (auto at = same_.find(index); at != same_.end(); at = same_.find(index)) index = at->second;
    return index;
  }
  void join(const std::string& a, const std::string& b) {
    const std::string x = first_of(a), y = first_of(b);
    if (x != y) same_[y] = x;
  }

  bool right_side(const Expr& e, bool guarded) {
    if (e.kind == ExprKind::name) return indices_.count(e.name) != 0 || targets_.count(e.name) != 0;
    if (e.kind == ExprKind::access) return access(e, guarded);
    for (const Index& i : e.indices) {
      if (i.given) return false;
      indices_.insert(i.name);
    }
    for (std::size_t k = 0; k < e.args.size(); ++k) {
      const bool inside = guarded || (e.kind == ExprKind::padded && k == 0) || (e.kind == ExprKind::select && k > 0);
      if (!e.args[k] || !right_side(*e.args[k], inside)) return false;
    }
    return true;
  }

  bool access(const Expr& e, bool guarded) {
    std::vector<std::string> names;
    bool shifted = false;
    for (const ExprPtr& a : e.args) {
      std::string index;
      for_each(*a, [&](const Expr& x) {
        if (x.kind == ExprKind::name) index = x.name;
      });
      std::int64_t shift = 0;
      if (index.empty() || !shift_of(*a, index, &shift)) return false;
      shifted = shifted || shift != 0;
      indices_.insert(index);
      names.push_back(index);
    }
    if (shifted && !guarded) beyond_.push_back(e.span);
    return !names.empty() && dimensions(e.name, names);
  }

  std::string written(Span span) const {
    return std::string(text_.substr(span.begin - head.size(), span.end - span.begin));
  }

  void ask(Understanding& out) const {
    out.outcome = Outcome::refusal;
    out.questions = {"What is " + written(beyond_[0]) + " where that lies outside the tensor?"};
    std::string padded(text_);
    for (std::size_t i = beyond_.size(); i-- > 0;) {
      padded.insert(beyond_[i].end - head.size(), ", 0)");
      padded.insert(beyond_[i].begin - head.size(), "pad(");
    }
    const auto chosen = Reader(padded).run();
    if (!chosen || !chosen->spec) return;
    out.choices.push_back({padded, "0 outside", *chosen->spec});
    out.outcome = Outcome::question;
  }

  std::string size_of(const std::string& index) {
    std::string& size = sizes_[first_of(index)];
    if (!size.empty()) return size;
    for (const char c : first_of(index)) size += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const auto taken = [&](const std::string& name) {
      if (tensors_.count(name) || indices_.count(name)) return true;
      return std::count_if(sizes_.begin(), sizes_.end(), [&](const auto& s) { return s.second == name; }) > 1;
    };
    while (taken(size)) size += "_size";
    return size;
  }
  std::string param(const std::string& tensor) {
    std::string out = tensor + ": f32[";
    for (std::size_t d = 0; d < tensors_.at(tensor).size(); ++d)
      out += (d ? ", " : "") + size_of(tensors_.at(tensor)[d]);
    return out + "]";
  }

  // Results that no other equation reads are outputs; the sizes fit a demonstration.
  std::string spec_text() {
    std::set<std::string> read;
    for (const syntax::Equation& e : equations_)
      for_each(*e.value, [&](const Expr& x) {
        if (x.kind == ExprKind::access && x.name != e.target.text) read.insert(x.name);
      });
    std::string inputs, outputs, defaults;
    for (const std::string& name : order_) {
      if (targets_.count(name) == 0) inputs += (inputs.empty() ? "" : ", ") + param(name);
      if (targets_.count(name) != 0 && (read.count(name) == 0 || targets_.size() == 1))
        outputs += (outputs.empty() ? "" : ", ") + param(name);
    }
    if (outputs.empty()) outputs = param(equations_.back().target.text);  // they all read one another
    static constexpr int by_number[] = {4096, 4096, 256, 64, 16};
    const int size = by_number[std::min(sizes_.size(), std::size(by_number) - 1)];
    for (const auto& [index, name] : sizes_)
      defaults += (defaults.empty() ? "  default " : ", ") + name + " = " + std::to_string(size);
    return "op equations(" + inputs + ") -> " + outputs + "\n" + defaults + "\n{\n" + std::string(text_) + "\n}\n";
  }

  std::string_view text_;
  std::vector<syntax::Equation> equations_;
  std::set<std::string> targets_, indices_;
  std::map<std::string, std::vector<std::string>> tensors_;  // the indices of their dimensions
  std::vector<std::string> order_;                           // of tensors_, as they are met
  std::map<std::string, std::string> same_;                  // index -> one that runs over the same size
  std::map<std::string, std::string> sizes_;
  std::vector<Span> beyond_;  // reads with a shift outside pad() and if(), in the order of the text
};

}  // namespace

std::optional<Understanding> read_index_equations(const Library& library, std::string_view sentence) {
  if (sentence.size() > longest || sentence.find('[') == std::string_view::npos ||
      sentence.find('=') == std::string_view::npos)
    return std::nullopt;
  const std::vector<phrases::Token> tokens = phrases::tokenise(sentence);
  for (std::size_t at = 0, lead = 0; at < tokens.size(); at += lead) {
    const std::size_t begin = tokens[at].span.begin;
    auto found = Reader(sentence.substr(begin)).run();
    if (!found) {
      lead = tokens[at].text == ":" ? 1 : formula::lead(library, tokens, at);
      if (lead == 0) break;
      continue;
    }
    found->words[0].span = {begin, sentence.size()};
    std::vector<Word> words;
    formula::lead_words(sentence, tokens, begin, words);
    found->words.insert(found->words.begin(), words.begin(), words.end());
    return found;
  }
  return std::nullopt;
}

}  // namespace ww::op
