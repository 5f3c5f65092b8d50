// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/edited.h"
#include <algorithm>

namespace ww::op {

Edited::Edited(std::string_view sentence, std::vector<Edit> edits) : sentence_(sentence), edits_(std::move(edits)) {
  std::size_t at = 0;
  const auto keep = [&](std::size_t end) {
    if (end <= at) return;
    pieces_.push_back({{at, end}, {text_.size(), text_.size() + end - at}});
    text_ += sentence_.substr(at, end - at);
  };
  for (const Edit& e : edits_) {
    keep(e.span.begin);
    pieces_.push_back({e.span, {text_.size(), text_.size() + e.text.size()}, true});
    text_ += e.text;
    at = e.span.end;
  }
  keep(sentence_.size());
}

Span Edited::back(Span span) const {
  Span out{sentence_.size(), sentence_.size()};
  for (const Piece& p : pieces_) {
    if (span.begin >= p.is.begin && span.begin < p.is.end)
      out.begin = p.edited ? p.was.begin : p.was.begin + (span.begin - p.is.begin);
    if (span.end > p.is.begin && span.end <= p.is.end)
      out.end = p.edited ? p.was.end : p.was.begin + (span.end - p.is.begin);
  }
  return out.begin <= out.end ? out : Span{out.end, out.end};
}

void Edited::restore(Understanding& out) const {
  std::vector<Word> words;
  for (Word& w : out.words) {
    w.span = back(w.span);
    w.text = sentence_.substr(w.span.begin, w.span.end - w.span.begin);
    if (words.empty() || w.span.begin >= words.back().span.end) {
      if (!w.text.empty()) words.push_back(std::move(w));
      continue;
    }
    Word& last = words.back();  // several words of one replacement
    last.span.end = std::max(last.span.end, w.span.end);
    last.text = sentence_.substr(last.span.begin, last.span.end - last.span.begin);
    if (last.meaning == Meaning::filler || w.meaning == Meaning::unknown) last.meaning = w.meaning;
    if (!w.reading.empty() && last.reading.find(w.reading) == std::string::npos)
      last.reading += (last.reading.empty() ? "" : "; ") + w.reading;
  }
  for (const Edit& e : edits_) {
    if (e.span.begin == e.span.end) continue;  // nothing was written there
    const auto over = [&](const Word& w) { return w.span.begin < e.span.end && e.span.begin < w.span.end; };
    if (std::none_of(words.begin(), words.end(), over))
      words.push_back({e.span, Meaning::filler, sentence_.substr(e.span.begin, e.span.end - e.span.begin), e.reading});
  }
  std::stable_sort(words.begin(), words.end(),
                   [](const Word& a, const Word& b) { return a.span.begin < b.span.begin; });
  out.words = std::move(words);
}

}  // namespace ww::op
