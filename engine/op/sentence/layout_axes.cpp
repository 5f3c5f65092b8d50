// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/layout_axes.h"
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using phrases::Token;

struct Layout {
  std::string letters;             // lower case
  std::size_t begin = 0, end = 0;  // tokens
  bool bracketed = false;
};

class Axes {
 public:
  Axes(const Library& library, std::string_view sentence)
      : vocabulary_(library.vocabulary()), tokens_(phrases::tokenise(sentence)), sentence_(sentence) {}

  std::optional<Edited> run() {
    if (tokens_.size() > 100) return std::nullopt;
    numbered();
    const bool by_number = !edits_.empty();
    if (find_layout()) {
      read_sizes();
      const std::optional<std::size_t> rank = numeric_rank();
      if (rank && *rank != layout_.letters.size()) return std::nullopt;
      if (!named() && !by_number) return std::nullopt;
      if (!place_sizes(rank.has_value())) return std::nullopt;
    }
    if (edits_.empty()) return std::nullopt;
    std::sort(edits_.begin(), edits_.end(),
              [](const Edited::Edit& a, const Edited::Edit& b) { return a.span.begin < b.span.begin; });
    for (std::size_t i = 0; i + 1 < edits_.size(); ++i)
      if (edits_[i].span.end > edits_[i + 1].span.begin) return std::nullopt;
    return Edited(sentence_, std::move(edits_));
  }

 private:
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }
  bool among(std::size_t i, std::initializer_list<std::string_view> list) const {
    return i < tokens_.size() && std::find(list.begin(), list.end(), tokens_[i].text) != list.end();
  }
  bool number(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == Token::Kind::number; }
  bool letter(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == Token::Kind::word && tokens_[i].text.size() == 1;
  }
  bool leads(std::size_t i) const { return among(i, {"over", "along", "across", "on"}); }
  bool axis_noun(std::size_t i) const { return among(i, {"axis", "axe", "axes", "dim", "dimension"}); }
  void edit(std::size_t begin, std::size_t end, std::string text, std::string reading = {}) {
    edits_.push_back({{tokens_[begin].span.begin, tokens_[end - 1].span.end}, std::move(text), std::move(reading)});
  }

  static std::string over(const std::vector<std::string>& axes) {
    std::string out = axes.size() == 1 ? "over dimension " : "over dimensions ";
    for (std::size_t i = 0; i < axes.size(); ++i) out += (i > 0 ? " and " : "") + axes[i];
    return out;
  }

  // "over axis=(1,2)", "over axes (0, 2)".
  void numbered() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::size_t noun = leads(i) ? i + 1 : i;
      if (!axis_noun(noun)) continue;
      std::size_t at = is(noun + 1, "=") ? noun + 2 : noun + 1;
      if (!is(at, "(") && !is(at, "[")) continue;
      std::vector<std::string> axes;
      for (++at; number(at) && axes.size() < 4; at += 2) {
        axes.push_back(std::string(written(at)));
        if (!is(at + 1, ",")) break;
      }
      if (axes.empty() || (!is(at + 1, ")") && !is(at + 1, "]")) || (i > 0 && is(i - 1, ",") && noun == i)) continue;
      if (i > 0 && is(i - 1, "(")) continue;  // an argument of a call
      edit(i, at + 2, over(axes));
      i = at + 1;
    }
  }
  std::string_view written(std::size_t i) const {
    return sentence_.substr(tokens_[i].span.begin, tokens_[i].span.end - tokens_[i].span.begin);
  }

  bool find_layout() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::size_t end = (is(i, "(") || is(i, "[")) ? bracketed(i) : joined(i);
      if (end > 0) {
        ++found;
        layout_.begin = i;
        layout_.end = end;
        layout_.bracketed = true;
        i = end - 1;
      } else if (tokens_[i].kind == Token::Kind::word && is_compact(tokens_[i].text)) {
        ++found;
        layout_ = {tokens_[i].text, i, i + 1, false};
      }
    }
    return found == 1 && distinct(layout_.letters);
  }
  static bool distinct(std::string letters) {
    std::sort(letters.begin(), letters.end());
    return std::adjacent_find(letters.begin(), letters.end()) == letters.end();
  }
  bool is_compact(const std::string& word) const {
    for (const auto& [key, words] : vocabulary_.layouts())
      if (key == "layouts" && std::find(words.begin(), words.end(), word) != words.end()) return true;
    return false;
  }

  // The letter of a dimension: "b", "batch"; 0 where there is none.
  char dimension_letter(std::size_t at) const {
    if (letter(at)) return tokens_[at].text[0];
    if (at >= tokens_.size()) return 0;
    const std::string& word = tokens_[at].text;
    const std::set<std::string>& known = vocabulary_.tables().dimensions;
    if (!known.count(word) && !known.count(word + "s")) return 0;
    for (const auto& [key, words] : vocabulary_.layouts()) {
      const bool letters = key.size() == 1 || key[1] == ' ';
      if (!letters || std::none_of(words.begin(), words.end(), [&](const auto& w) { return said(at, w) == 1; }))
        continue;
      for (const char c : key.substr(0, key.find(" with")))
        if (c == word[0]) return c;
      return key[0];
    }
    return word[0];
  }

  // "batch x seq x dim": the token behind it; 0 where it is no such thing.
  std::size_t joined(std::size_t at) {
    const auto word = [&](std::size_t i) { return dimension_letter(i) != 0 && !letter(i); };
    if (at > 0 && (is(at - 1, "x") || is(at - 1, "by"))) return 0;
    std::string letters;
    bool words = false;
    for (;;) {
      const char c = dimension_letter(at);
      if (c == 0) return 0;
      words = words || word(at);
      letters += c;
      ++at;
      if (!is(at, "x") && !is(at, "by")) break;
      ++at;
    }
    if (letters.size() < 2 || !words) return 0;
    layout_.letters = letters;
    return at;
  }

  // "(B, T, D)", "(batch, seq, dim)", "[B=4, S=256, D=512]": the token behind it.
  std::size_t bracketed(std::size_t open) {
    std::string letters;
    std::map<char, std::string> sizes;
    std::size_t at = open + 1;
    while (const char c = dimension_letter(at)) {
      ++at;
      letters += c;
      if (is(at, "=") && number(at + 1)) {
        sizes[c] = std::string(written(at + 1));
        at += 2;
      }
      if (!is(at, ",")) break;
      ++at;
    }
    if (letters.size() < 2 || (!is(at, ")") && !is(at, "]"))) return 0;
    layout_.letters = letters;
    for (const auto& [c, size] : sizes) sizes_[c] = size;
    return at + 1;
  }

  // "with N=8, C=64, H=W=28", apart from the layout.
  void read_sizes() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (i >= layout_.begin && i < layout_.end) continue;
      std::string names;
      std::size_t at = i;
      while (letter(at) && layout_.letters.find(tokens_[at].text) != std::string::npos && is(at + 1, "=")) {
        names += tokens_[at].text;
        at += 2;
      }
      if (names.empty() || !number(at)) continue;
      for (const char c : names) sizes_[c] = std::string(written(at));
      std::size_t begin = i;
      if (begin > 0 && among(begin - 1, {",", "with", "and", "where", "for"})) --begin;
      if (begin > 0 && is(begin, "and") && is(begin - 1, ",")) --begin;
      assigned_.push_back({begin, at + 1});
      i = at;
    }
  }

  // Dimensions of the one shape in numbers.
  std::optional<std::size_t> numeric_rank() const {
    std::optional<std::size_t> out;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!number(i)) continue;
      std::size_t count = 1;
      const std::string sign = i + 1 < tokens_.size() ? tokens_[i + 1].text : std::string();
      if (sign != "x" && sign != "," && sign != "×") continue;
      if (sign == "," && !(i > 0 && (is(i - 1, "(") || is(i - 1, "[")))) continue;
      while (is(i + 1, sign) && number(i + 2)) {
        i += 2;
        ++count;
      }
      if (count > 1 && axis_list(i)) continue;
      if (count > 1 && out) return 0;  // several shapes
      if (count > 1) out = count;
    }
    return out;
  }
  bool axis_list(std::size_t last) const {
    return std::any_of(edits_.begin(), edits_.end(), [&](const Edited::Edit& e) {
      return tokens_[last].span.begin >= e.span.begin && tokens_[last].span.end <= e.span.end;
    });
  }

  // The dimensions that tokens[at] names, and its end; empty if it names none, or more than one may be meant.
  std::vector<std::size_t> dimensions(std::size_t& at, bool& all) const {
    if (is(at, "the")) ++at;
    if (letter(at)) {
      const std::size_t place = layout_.letters.find(tokens_[at].text);
      if (place == std::string::npos) return {};
      ++at;
      return {place};
    }
    std::size_t best = 0;
    std::vector<std::size_t> out;
    for (const auto& [key, words] : vocabulary_.layouts())
      for (const std::string& word : words) {
        const std::size_t count = said(at, word);
        std::vector<std::size_t> places = count > best ? places_of(key) : std::vector<std::size_t>();
        if (places.empty()) continue;
        best = count;
        all = key.starts_with("all ");
        out = std::move(places);
      }
    at += best;
    return out.size() > 1 && !all ? std::vector<std::size_t>() : out;
  }
  std::size_t said(std::size_t at, const std::string& phrase) const {
    const std::vector<Token> words = phrases::tokenise(phrase);
    for (std::size_t k = 0; k < words.size(); ++k)
      if (!is(at + k, words[k].text)) return 0;
    return words.size();
  }
  std::vector<std::size_t> places_of(const std::string& key) const {
    if (key == "layouts") return {};
    std::vector<std::size_t> out;
    bool with = false, without = false;
    for (const std::string& part : phrases::split_list(key, ' ')) {
      if (part == "with" || part == "without") {
        with = part == "with";
        without = !with;
      } else if (part.size() == 1) {
        const std::size_t place = layout_.letters.find(part);
        const bool held = place != std::string::npos;
        if ((with && !held) || (without && held)) return {};
        if (!with && !without && held) out.push_back(place);
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  // Puts numbers for names; false: no dimension is named.
  bool named() {
    bool any = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!leads(i) || (i >= layout_.begin && i < layout_.end)) continue;
      std::vector<std::string> axes;
      bool all = false;
      std::size_t at = i + 1, end = i;
      for (;;) {
        const std::vector<std::size_t> places = dimensions(at, all);
        if (places.empty()) break;
        for (const std::size_t p : places) axes.push_back(std::to_string(p));
        if (axis_noun(at)) ++at;
        end = at;
        if (is(at, ",") && is(at + 1, "and")) ++at;
        if (!among(at, {"and", ","})) break;
        ++at;
      }
      if (axes.empty()) continue;
      edit(i, end, over(axes));
      any = true;
      i = end - 1;
    }
    return any;
  }

  // The shape in place of the layout, or the letters, or nothing where the shape stands elsewhere.
  bool place_sizes(bool numeric) {
    const bool sized =
        std::all_of(layout_.letters.begin(), layout_.letters.end(), [&](char c) { return sizes_.count(c) != 0; });
    if (!sized && !sizes_.empty()) return false;  // some of the sizes
    std::string shape;
    for (const char c : layout_.letters)
      shape += (shape.empty() ? ""
                : sized       ? "x"
                              : ", ") +
               (sized ? sizes_[c] : std::string(1, static_cast<char>(c - 'a' + 'A')));
    if (!sized) shape = "(" + shape + ")";
    std::size_t begin = layout_.begin, end = layout_.end;
    if (numeric || sized)
      for (const auto& [from, to] : assigned_) edit(from, to, {}, "sizes of the layout");
    if (numeric) {
      if (sized) return false;
      if (is(begin - 1, "(") && is(end, ")")) --begin, ++end;
      if (among(end, {"layout", "format", "order"})) ++end;
      if (begin > 0 && among(begin - 1, {"in", "with"}) && end > layout_.end) --begin;
      edit(begin, end, {}, "the layout");
      return true;
    }
    if (is(begin - 1, "(") && is(end, ")")) --begin, ++end;
    if (among(end, {"layout", "format", "order"})) ++end;
    const bool noun = end < tokens_.size() && phrases::is_tensor_noun(tokens_[end].text);
    if (!sized && !noun) shape += " tensor";
    edit(begin, end, shape, "the layout");
    return true;
  }

  const phrases::Vocabulary& vocabulary_;
  std::vector<Token> tokens_;
  std::string_view sentence_;
  Layout layout_;
  std::map<char, std::string> sizes_;
  std::vector<std::pair<std::size_t, std::size_t>> assigned_;  // tokens
  std::vector<Edited::Edit> edits_;
};

}  // namespace

std::optional<Edited> with_numbered_axes(const Library& library, std::string_view sentence) {
  return Axes(library, sentence).run();
}

}  // namespace ww::op
