// SPDX-License-Identifier: Apache-2.0
// The tokens of a sentence as items: the longest known phrases, numbers and signs.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "op/sentence/phrasebook_sentence.h"

namespace ww::op::phrases {
namespace {

class Grouper {
 public:
  Grouper(const Library& library, std::string_view sentence) : library_(library), sentence_(sentence) {}

  std::vector<Item> run() {
    group();
    return std::move(items_);
  }

 private:
  using Kind = Item::Kind;

  // Turns tokens into the longest known phrases.
  void group() {
    const std::vector<Token> tokens = tokenise(sentence_);
    for (std::size_t at = 0; at < tokens.size();) {
      const Token& t = tokens[at];
      Match m = library_.vocabulary().match(tokens, at);
      if (t.kind == Token::Kind::number && m.entries) {
        const bool phrase = m.count > 1 && (m.entry(Sort::op) || m.entry(Sort::dtype));
        if (!phrase) m = {};
      }
      Item i;
      i.text = t.text;
      i.span = t.span;
      std::size_t count = 1;
      const NumberWords number = number_words(library_.vocabulary(), tokens, at);
      if (number.count > 1 && number.count > m.count && std::isfinite(number.value)) {
        i.kind = Kind::number;
        i.number = number.value;
        i.spelled = !number.digits && number.value < 100;
        i.span.end = tokens[at + number.count - 1].span.end;
        for (std::size_t k = 1; k < number.count; ++k) i.text += " " + tokens[at + k].text;
        i.number_reading = fmt::format("{} = {}", sentence_.substr(i.span.begin, i.span.end - i.span.begin),
                                       std::min(number.value, 9e15));
        items_.push_back(std::move(i));
        at += number.count;
        continue;
      }
      if (m.count <= 1 && is_article(tokens, at)) {
        i.kind = Kind::filler;
        i.read_as(Meaning::filler, {});
        items_.push_back(std::move(i));
        ++at;
        continue;
      }
      if (const std::size_t behind = split_phrase(tokens, at, m, i); behind > 0) {
        std::vector<Item> noun = {std::move(i), {}};
        noun[1].kind = Kind::filler;
        noun[1].span = {tokens[behind].span.begin, tokens[split_end_ - 1].span.end};
        noun[1].read_as(Meaning::op, "the rest of " + noun[0].text);
        items_.push_back(std::move(noun[0]));
        for (std::size_t k = at + 1; k < behind; ++k) {
          Item part;
          part.text = tokens[k].text;
          part.span = tokens[k].span;
          if (tokens[k].kind == Token::Kind::number) {
            part.kind = Kind::number;
            part.number = tokens[k].number;
          }
          items_.push_back(std::move(part));
        }
        items_.push_back(std::move(noun[1]));
        at = split_end_;
        continue;
      }
      if (m.entries) {
        i.entries = m.entries;
        count = m.count;
        i.span.end = tokens[at + count - 1].span.end;
        for (std::size_t k = 1; k < count; ++k) i.text += " " + tokens[at + k].text;
      } else if (t.kind == Token::Kind::number) {
        i.kind = Kind::number;
        i.number = t.number;
        i.number_reading = t.reading;
      } else if (t.kind == Token::Kind::symbol) {
        symbol(i);
      } else if (t.text.size() == 2 && t.text[1] == 'd' && t.text[0] >= '1' && t.text[0] <= '8') {
        i.kind = Kind::rank;
        i.number = t.text[0] - '0';
      } else if (t.text == "nchw") {
        i.kind = Kind::rank;
        i.number = 4;
      }
      items_.push_back(std::move(i));
      at += count;
    }
  }

  // "add one bias per row": no number.
  bool is_article(const std::vector<Token>& tokens, std::size_t at) const {
    if (tokens[at].text != "one" || at + 1 >= tokens.size() || tokens[at + 1].kind != Token::Kind::word) return false;
    if (is_tensor_noun(tokens[at + 1].text)) return true;
    return library_.vocabulary().match(tokens, at + 1).entry(Sort::op) != nullptr;
  }

  // "depthwise 3x3 convolution": an op name around the size of its window. Where its remainder begins, or 0.
  std::size_t split_phrase(const std::vector<Token>& tokens, std::size_t at, const Match& m, Item& out) {
    if (tokens[at].kind != Token::Kind::word || (m.entries && m.count > 1)) return 0;
    std::size_t behind = at + 1;
    while (behind < tokens.size() && tokens[behind].kind == Token::Kind::number) {
      ++behind;
      if (behind + 1 < tokens.size() && tokens[behind].text == "x" && tokens[behind + 1].kind == Token::Kind::number)
        ++behind;
      else
        break;
    }
    if (behind < at + 4 || behind >= tokens.size()) return 0;  // not a shape
    std::vector<Token> without = {tokens[at]};
    without.insert(without.end(), tokens.begin() + static_cast<std::ptrdiff_t>(behind), tokens.end());
    const Match whole = library_.vocabulary().match(without, 0);
    if (whole.count < 2 || !whole.entry(Sort::op)) return 0;
    out.entries = whole.entries;
    for (std::size_t k = 1; k < whole.count; ++k) out.text += " " + without[k].text;
    split_end_ = behind + whole.count - 1;
    return behind;
  }

  void symbol(Item& i) {
    const std::string& s = i.text;
    if (s == ",")
      i.kind = Kind::comma;
    else if (s == "(" || s == "[")
      i.kind = Kind::open;
    else if (s == ")" || s == "]" || s == "." || s == ":" || s == ";" || s == "!" || s == "?" || s == "=")
      i.kind = Kind::punctuation;
  }

  const Library& library_;
  std::string_view sentence_;
  std::vector<Item> items_;
  std::size_t split_end_ = 0;  // of the last split phrase, in tokens
};

}  // namespace

std::vector<Item> grouped(const Library& library, std::string_view sentence) {
  return Grouper(library, sentence).run();
}

}  // namespace ww::op::phrases
