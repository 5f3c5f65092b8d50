// SPDX-License-Identifier: Apache-2.0
#include "op/formula/index_equations.h"
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include "op/formula/index_text.h"
#include "op/formula/lowering.h"
#include "op/formula/reading.h"
#include "op/parse.h"
#include "op/sentence/phrasebook_words.h"
#include "op/recurrence.h"
#include "op/syntax.h"
#include "op/transform.h"
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr std::size_t longest = 4000;
constexpr std::string_view head = "op equations() -> y: f32\n{\n";

class Reader {
 public:
  using Outside = formula::Facts::Outside;
  Reader(std::string_view text, const std::map<std::string, double>& scalars, Outside outside = Outside::unsaid,
         const std::set<std::string>& starts = {})
      : text_(text), scalars_(scalars), outside_(outside), starts_(starts) {}

  std::optional<Understanding> run() {
    syntax::Parsed parsed = syntax::read(std::string(head) + std::string(text_) + "\n}\n");
    equations_ = std::move(parsed.file.equations);
    if (!parsed.diagnostics.empty() || equations_.empty()) return std::nullopt;
    for (const syntax::Equation& e : equations_)
      if (!left_side(e)) return std::nullopt;
    for (const syntax::Equation& e : equations_) {
      target_ = e.target.text;
      if (!right_side(*e.value, false)) return std::nullopt;
    }
    Understanding out;
    out.words = {{{0, text_.size()}, Meaning::op, std::string(text_), "equations in index notation"}};
    const bool own = std::all_of(beyond_.begin(), beyond_.end(), [](const Beyond& b) { return b.own; });
    const bool started = std::all_of(starts_.begin(), starts_.end(), [&](const auto& s) { return targets_.count(s); });
    if (!started || (beyond_.empty() && (outside_ != Outside::unsaid || !starts_.empty()))) return std::nullopt;
    if (!beyond_.empty() && own && starts_.empty() && outside_ == Outside::unsaid && !all_added()) {
      ask_for_start(out);
      return out;
    }
    if (!beyond_.empty() && (own || outside_ == Outside::zero)) {
      auto padded = Reader(this->padded(), scalars_).run();
      if (!padded || !padded->spec) return std::nullopt;
      out.spec = std::move(*padded->spec);
      out.outcome = Outcome::understood;
      out.words[0].reading = own ? "a recurrence, 0 before its first element" : "0 beyond the ends";
      return out;
    }
    if (!starts_.empty() && !own) return std::nullopt;
    if (outside_ == Outside::wrap && !beyond_.empty()) {
      auto spec = parse_spec(spec_text());
      if (!spec) return std::nullopt;
      out.spec = std::move(*spec);
      out.outcome = Outcome::understood;
      out.words[0].reading = "beyond an end, the elements from the other end";
      return out;
    }
    const bool inside = !beyond_.empty() && only_inside();
    if (!beyond_.empty() && !inside) {
      ask(out);
      return out;
    }
    if (inside) out.words[0].reading = "only elements that need nothing beyond the ends";
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
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const bool sum = indices[d][0] == '+' || at->second[d][0] == '+';
      if (sum && at->second[d] != indices[d]) return false;
      join(at->second[d], indices[d]);
    }
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
    if (e.kind == ExprKind::name && scalars_.count(e.name)) constants_.insert(e.name);
    if (e.kind == ExprKind::name)
      return indices_.count(e.name) != 0 || targets_.count(e.name) != 0 || constants_.count(e.name) != 0;
    if (e.kind == ExprKind::access) return access(e, guarded);
    for (const Index& i : e.indices) {
      if (i.given && !part_of_dimension(i)) return false;
      indices_.insert(i.name);
    }
    for (std::size_t k = 0; k < e.args.size(); ++k) {
      const bool inside = guarded || (e.kind == ExprKind::padded && k == 0) || (e.kind == ExprKind::select && k > 0);
      if (!e.args[k] || !right_side(*e.args[k], inside)) return false;
    }
    return true;
  }

  // "j in 0..i + 1", of the dimension along which i runs.
  bool part_of_dimension(const Index& part) {
    std::string last;
    for_each(*part.hi, [&](const Expr& x) {
      if (x.kind == ExprKind::name) last = x.name;
    });
    std::int64_t shift = 0;
    const bool whole = part.lo && part.lo->kind == ExprKind::integer && part.lo->integer == 0;
    if (!whole || last.empty() || !indices_.count(last) || !shift_of(*part.hi, last, &shift)) return false;
    if (shift != 0 && shift != 1) return false;
    join(last, part.name);
    return true;
  }

  bool access(const Expr& e, bool guarded) {
    std::vector<std::string> names;
    std::vector<std::int64_t> by;
    bool shifted = false;
    for (const ExprPtr& a : e.args) {
      if (a->kind == ExprKind::access) {  // table[idx[i]]
        if (!access(*a, guarded) || targets_.count(a->name)) return false;
        names.push_back("@" + a->name);
        by.push_back(0);
        positions_[a->name] = names.back();
        continue;
      }
      std::string index;
      for_each(*a, [&](const Expr& x) {
        if (x.kind == ExprKind::name) index = x.name;
      });
      std::int64_t shift = 0;
      if (const std::string both = sum_of_indices(*a); !both.empty()) {  // x[n + k]
        shifted = true;
        by.push_back(0);
        names.push_back(guarded ? a->args[0]->name : both);  // with 0 outside, as long as the result
        continue;
      }
      if (const std::string turned = reversed(*a); !turned.empty()) {
        by.push_back(0);
        names.push_back(turned);
        continue;
      }
      if (index.empty() || !shift_of(*a, index, &shift)) return false;
      shifted = shifted || shift != 0;
      if (shift != 0 && !guarded) moved_.emplace_back(a->span, index);
      by.push_back(shift);
      indices_.insert(index);
      names.push_back(index);
    }
    if (shifted && !guarded) beyond_.push_back({e.span, e.name == target_});
    if (!guarded) shifts_.push_back({e.name, names, std::move(by)});
    return !names.empty() && dimensions(e.name, names);
  }

  // "n + k" as "+n+k", a dimension of its own that is as long as both; empty where it is no such sum.
  std::string sum_of_indices(const Expr& e) {
    if (e.kind != ExprKind::binary || e.binary != BinaryOp::add) return {};
    const Expr &a = *e.args[0], &b = *e.args[1];
    if (a.kind != ExprKind::name || b.kind != ExprKind::name || a.name == b.name) return {};
    if (!indices_.count(a.name) || !indices_.count(b.name)) return {};
    return "+" + a.name + "+" + b.name;
  }
  // The index of "W - 1 - j", of a dimension of size W.
  std::string reversed(const Expr& e) {
    if (e.kind != ExprKind::binary || e.binary != BinaryOp::sub || e.args[0]->kind != ExprKind::binary) return {};
    const Expr &front = *e.args[0], &size = *front.args[0];
    if (front.binary != BinaryOp::sub || size.kind != ExprKind::name || indices_.count(size.name)) return {};
    const Expr &a = *front.args[1], &b = *e.args[1];
    const Expr& index = a.kind == ExprKind::name ? a : b;
    const Expr& one = a.kind == ExprKind::name ? b : a;
    if (index.kind != ExprKind::name || one.kind != ExprKind::integer || one.integer != 1) return {};
    if (!indices_.count(index.name)) return {};
    const auto [at, fresh] = named_.emplace(first_of(index.name), size.name);
    return fresh || at->second == size.name ? index.name : std::string();
  }

  // "y[i] = x[i+1] - x[i]": i runs only as far as x has elements, where each tensor along it is read as far ahead, and
  // none behind it.
  bool only_inside() {
    if (equations_.size() != 1) return false;
    const bool sums = std::any_of(shifts_.begin(), shifts_.end(), [](const Shifts& s) {
      return std::any_of(s.indices.begin(), s.indices.end(), [](const std::string& i) { return i[0] == '+'; });
    });
    if (sums) return outside_ == Outside::inside && only_sums();
    std::map<std::string, std::map<std::string, std::int64_t>> ahead;  // by index and tensor
    for (const Shifts& s : shifts_)
      for (std::size_t d = 0; d < s.by.size(); ++d) {
        if (s.by[d] < 0) return false;
        std::int64_t& most = ahead[first_of(s.indices[d])][s.tensor];
        most = std::max(most, s.by[d]);
      }
    std::set<std::string> left;
    for (const Index& i : equations_[0].indices) left.insert(first_of(i.name));
    for (const auto& [index, tensors] : ahead) {
      const std::int64_t most = tensors.begin()->second;
      for (const auto& [tensor, by] : tensors)
        if (by != most || (most > 0 && tensor == target_)) return false;
      if (most == 0) continue;
      if (!left.count(index)) return false;  // an index of a sum
      shorter_[index] = most;
    }
    return !shorter_.empty();
  }

  // Whether nothing but sums of indices leads beyond the ends.
  bool only_sums() const {
    return std::all_of(shifts_.begin(), shifts_.end(), [](const Shifts& s) {
      return std::all_of(s.by.begin(), s.by.end(), [](std::int64_t by) { return by == 0; });
    });
  }

  std::string written(Span span) const {
    return std::string(text_.substr(span.begin - head.size(), span.end - span.begin));
  }

  // Whether a recurrence adds something to its value before, or to a multiple or function of it: then 0 is its start.
  bool all_added() const {
    return std::all_of(equations_.begin(), equations_.end(),
                       [](const syntax::Equation& e) { return is_added(*e.value, e.target.text, false); });
  }
  static bool is_added(const Expr& e, const std::string& target, bool added) {
    if (e.kind == ExprKind::access && e.name == target) return added;
    added = added || (e.kind == ExprKind::binary && (e.binary == BinaryOp::add || e.binary == BinaryOp::sub));
    return std::all_of(e.args.begin(), e.args.end(), [&](const ExprPtr& a) { return is_added(*a, target, added); });
  }
  void ask_for_start(Understanding& out) {
    const std::string before = written(beyond_[0].span);
    out.outcome = Outcome::refusal;
    out.questions = {"What is " + before + " before the first element? 0 would count as one of the elements there."};
    for (const std::string& start : {neutral(), std::string("0")}) {
      const std::string text = padded(start);
      auto chosen = Reader(text, scalars_).run();
      if (!chosen || !chosen->spec) continue;
      out.choices.push_back({text, start + " before the first element", *chosen->spec});
      out.outcome = Outcome::question;
    }
  }
  // What a recurrence starts from without counting: max(s[t-1], x[t]) from -inf, p[t-1] * x[t] from 1.
  std::string neutral() const {
    std::string out = "1";
    for (const syntax::Equation& e : equations_)
      for_each(*e.value, [&](const Expr& x) {
        if (x.kind == ExprKind::call && (x.name == "max" || x.name == "min")) out = x.name == "max" ? "-inf" : "inf";
      });
    return out;
  }

  std::string padded(const std::string& outside = "0") const {
    std::string out(text_);
    for (std::size_t i = beyond_.size(); i-- > 0;) {
      out.insert(beyond_[i].span.end - head.size(), ", " + outside + ")");
      out.insert(beyond_[i].span.begin - head.size(), "pad(");
    }
    return out;
  }

  void ask(Understanding& out) const {
    out.outcome = Outcome::refusal;
    out.questions = {"What is " + written(beyond_[0].span) + " where that lies outside the tensor?"};
    const std::string zero = padded(), inside = std::string(text_) + ", only where this is inside";
    const auto add = [&](const std::string& text, const char* difference, std::optional<Understanding> chosen) {
      if (!chosen || !chosen->spec) return;
      out.choices.push_back({text, difference, *chosen->spec});
      out.outcome = Outcome::question;
    };
    add(zero, "0 outside", Reader(zero, scalars_).run());
    if (outside_ != Outside::inside)
      add(inside, "the result has only what needs nothing outside", Reader(text_, scalars_, Outside::inside).run());
  }

  std::string size_of(const std::string& index) {
    if (index[0] == '+') {
      const std::size_t second = index.rfind('+');
      return size_of(index.substr(1, second - 1)) + " + " + size_of(index.substr(second + 1)) + " - 1";
    }
    std::string& size = sizes_[first_of(index)];
    if (!size.empty()) return size;
    for (const auto& [turned, name] : named_)
      if (first_of(turned) == first_of(index)) return size = name;
    const std::string letters = index[0] == '@' && first_of(index) == index ? "n" + index.substr(1) : first_of(index);
    for (const char c : letters) size += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const auto taken = [&](const std::string& name) {
      if (tensors_.count(name) || indices_.count(name)) return true;
      return std::count_if(sizes_.begin(), sizes_.end(), [&](const auto& s) { return s.second == name; }) > 1;
    };
    while (taken(size)) size += "_size";
    return size;
  }
  std::string param(const std::string& tensor) {
    const auto position = positions_.find(tensor);
    std::string out = tensor + (position == positions_.end() ? ": f32[" : ": i32[");
    for (std::size_t d = 0; d < tensors_.at(tensor).size(); ++d) {
      const std::string& index = tensors_.at(tensor)[d];
      out += (d ? ", " : "") + size_of(index);
      const auto less = shorter_.find(first_of(index));
      if (less != shorter_.end() && targets_.count(tensor)) out += " - " + std::to_string(less->second);
    }
    return out + (position == positions_.end() ? "]" : "] in 0.." + size_of(position->second));
  }

  // "x[i+1]" as "x[(i+1) % N]".
  std::string wrapped() {
    std::string out(text_);
    for (std::size_t k = moved_.size(); k-- > 0;) {
      const auto& [span, index] = moved_[k];
      out.insert(span.end - head.size(), ") % " + size_of(index));
      out.insert(span.begin - head.size(), "(");
    }
    return out;
  }

  // As written, or with the ranges of indices that run less far.
  std::string equations() {
    if (outside_ == Outside::wrap) return wrapped();
    if (shorter_.empty()) return std::string(text_);
    const syntax::Equation& e = equations_[0];
    std::string left;
    for (const Index& i : e.indices) {
      left += (left.empty() ? "[" : ", ") + i.name;
      const auto less = shorter_.find(first_of(i.name));
      if (less != shorter_.end()) left += " in 0.." + size_of(i.name) + " - " + std::to_string(less->second);
    }
    return e.target.text + left + "] " + std::string(text_.substr(text_.find('=')));
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
    std::string constants;
    for (const std::string& name : constants_)
      constants += (constants.empty() ? "; " : ", ") + name + " = " + formula::number_of(scalars_.at(name));
    return "op equations(" + inputs + constants + ") -> " + outputs + "\n" + defaults + "\n{\n" + equations() + "\n}\n";
  }

  std::string_view text_;
  const std::map<std::string, double>& scalars_;
  std::set<std::string> constants_;  // of scalars_, those that the equations have
  std::vector<syntax::Equation> equations_;
  std::set<std::string> targets_, indices_;
  std::map<std::string, std::vector<std::string>> tensors_;  // the indices of their dimensions
  std::vector<std::string> order_;                           // of tensors_, as they are met
  std::map<std::string, std::string> positions_;  // a tensor of positions, and what stands for them as an index
  std::map<std::string, std::string> same_;       // index -> one that runs over the same size
  std::map<std::string, std::string> sizes_;
  std::map<std::string, std::string> named_;  // index -> the size that "W - 1 - j" names
  std::string target_;                        // of the equation in hand
  struct Shifts {                             // of one read
    std::string tensor;
    std::vector<std::string> indices;
    std::vector<std::int64_t> by;
  };
  std::vector<Shifts> shifts_;
  std::vector<std::pair<Span, std::string>> moved_;  // shifted subscripts and their index, in the order of the text
  std::map<std::string, std::int64_t> shorter_;      // index: by how many elements the result is shorter
  Outside outside_;
  std::set<std::string> starts_;
  struct Beyond {
    Span span;
    bool own = false;  // of the equation's own target
  };
  std::vector<Beyond> beyond_;  // reads with a shift outside pad() and if(), in the order of the text
};

// What stands behind the equations, as far as it says only sizes, numbers and types.
class Behind {
 public:
  Behind(const Library& library, std::string_view sentence) : library_(library), sentence_(sentence) {}

  // False where it says more.
  bool read(std::size_t from) {
    const formula::Tables& tables = library_.vocabulary().tables();
    const std::vector<phrases::Token> tokens = phrases::tokenise(sentence_);
    std::size_t first = 0;
    while (first < tokens.size() && tokens[first].span.begin < from) ++first;
    tail_ = {};
    formula::read_tail(library_, tables, sentence_, tokens, first, tokens.size(), tail_);
    scalars_ = tables.scalars;
    for (const auto& [name, value] : tail_.facts.values) scalars_[name] = value;
    return tail_.unknown.empty() && tail_.question.empty() && !tail_.names_op && !tail_.facts.axis;
  }
  const std::map<std::string, double>& scalars() const { return scalars_; }
  const formula::Facts& facts() const { return tail_.facts; }

  // Puts the sizes and types into the spec; false where they do not fit.
  bool give(Understanding& out) const {
    Spec& spec = *out.spec;
    std::set<std::string> used;
    std::map<std::string, std::string> symbols;  // those of the spec: as the sentence calls them
    const auto shape = [&](const Param& p, const formula::Shape& dims) {
      if (p.shape.size() != dims.size()) return false;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if (p.shape[d]->kind != ExprKind::name) return false;
        const std::string& symbol = p.shape[d]->name;
        if (dims[d].value)
          spec.defaults[symbol] = *dims[d].value;
        else if (symbols.emplace(symbol, dims[d].name).first->second != dims[d].name)
          return false;
      }
      return true;
    };
    std::vector<Param> tensors = spec.inputs;
    tensors.insert(tensors.end(), spec.outputs.begin(), spec.outputs.end());
    const auto ranked = [&](const std::string& name, int rank) {
      return std::any_of(tensors.begin(), tensors.end(), [&](const Param& p) {
        return (name.empty() || p.name == name) && (rank == 0 || static_cast<int>(p.shape.size()) == rank);
      });
    };
    for (const auto& [name, rank] : tail_.facts.ranks)
      if (!ranked(name, rank)) return false;
    for (const std::string& name : tail_.facts.tensors)
      if (!ranked(name, 0)) return false;
    if ((tail_.facts.rank && !ranked({}, *tail_.facts.rank)) || !tail_.facts.by_row.empty()) return false;
    for (const auto& [name, dims] : tail_.facts.shapes) {
      const auto found = std::find_if(tensors.begin(), tensors.end(),
                                      [&, n = name == "in" ? "inp" : name](const Param& p) { return p.name == n; });
      if (found == tensors.end() || !shape(*found, dims)) return false;
    }
    for (const formula::Shape& dims : tail_.facts.general)
      if (std::none_of(tensors.begin(), tensors.end(), [&](const Param& p) { return shape(p, dims); })) return false;
    for (const auto& [name, value] : tail_.facts.values) {
      const bool constant = std::any_of(spec.constants.begin(), spec.constants.end(),
                                        [&, n = name](const Constant& c) { return c.name == n; });
      if (!constant) return false;
    }
    if (tail_.facts.dtype || tail_.facts.output) {
      auto typed = with_dtype(spec, tail_.facts.dtype.value_or(*tail_.facts.output));
      if (!typed || tail_.facts.output) return false;
      spec = std::move(*typed);
    }
    std::erase_if(symbols, [](const auto& s) { return s.first == s.second; });
    if (!symbols.empty()) {
      auto renamed = rename(spec, symbols);
      if (!renamed) return false;
      spec = std::move(*renamed);
    }
    out.words.insert(out.words.end(), tail_.words.begin(), tail_.words.end());
    return true;
  }

 private:
  const Library& library_;
  std::string_view sentence_;
  formula::Tail tail_;
  std::map<std::string, double> scalars_;
};

}  // namespace

std::optional<Understanding> read_index_equations(const Library& library, std::string_view sentence) {
  if (sentence.size() > longest || sentence.find('=') == std::string_view::npos) return std::nullopt;
  if (const auto bracketed = with_brackets(sentence)) {
    auto read = read_index_equations(library, *bracketed);
    if (!read) return read;
    for (Word& w : read->words) w.span = {0, sentence.size()}, w.text = std::string(sentence);
    return read;
  }
  if (sentence.find('[') == std::string_view::npos) return std::nullopt;
  if (const auto letters = with_letters(sentence)) {
    auto read = read_index_equations(library, *letters);
    if (!read || !read->spec) return read;
    for (Word& w : read->words) w.span = {0, sentence.size()}, w.text = std::string(sentence);
    return read;
  }
  if (const auto whole = with_first_element(sentence)) {
    auto read = read_index_equations(library, *whole);
    if (!read || !read->spec) return read;
    for (Word& w : read->words) w.span = {0, sentence.size()}, w.text = std::string(sentence);
    return read;
  }
  const std::vector<phrases::Token> tokens = phrases::tokenise(sentence);
  Behind behind(library, sentence);
  for (std::size_t at = 0, lead = 0; at < tokens.size(); at += lead) {
    const std::size_t begin = tokens[at].span.begin;
    for (const std::size_t end : ends_of(sentence, begin)) {
      if (!behind.read(end)) continue;
      const formula::Facts& facts = behind.facts();
      const std::string equations = plain_brackets(sentence.substr(begin, end - begin));
      auto found = Reader(equations, behind.scalars(), facts.outside, facts.starts).run();
      if (!found || (end < sentence.size() && (!found->spec || !behind.give(*found)))) continue;
      found->words[0].span = {begin, end};
      found->words[0].text = std::string(sentence.substr(begin, end - begin));
      std::vector<Word> words;
      formula::lead_words(sentence, tokens, begin, words);
      found->words.insert(found->words.begin(), words.begin(), words.end());
      return found;
    }
    lead = tokens[at].text == ":" ? 1 : formula::lead(library, tokens, at);
    if (lead == 0) break;
  }
  return std::nullopt;
}

}  // namespace ww::op
