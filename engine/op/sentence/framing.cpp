// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/framing.h"
#include <algorithm>
#include <optional>
#include "op/sentence/phrasebook_words.h"
#include "op/sentence/rewriting.h"

namespace ww::op {
namespace {

using phrases::Token;

// What part of a frame says about tensors.
struct Said {
  std::size_t tensors = 0;
  std::optional<std::size_t> rank;  // of all of them; empty if unspecified or different
  bool same = false;                // the result has the shape of the inputs
  bool more = false;                // sizes or types, which must not be ignored
};

bool is_any(const std::string& word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::size_t count_of(const std::string& word) {
  if (is_any(word, {"two", "2", "both"})) return 2;
  if (is_any(word, {"three", "3"})) return 3;
  return is_any(word, {"four", "4"}) ? 4 : 0;
}

std::optional<std::size_t> rank_of(const std::string& word) {
  if (is_any(word, {"scalar", "number"})) return 0;
  if (phrases::is_vector_noun(word) || is_any(word, {"array", "signal", "1d", "list"})) return 1;
  if (is_any(word, {"matrix", "matrice", "2d"})) return 2;
  if (word == "3d") return 3;
  return word == "4d" ? std::optional<std::size_t>(4) : std::nullopt;
}

// The number of dimensions of a bracketed shape at tokens[at], and its end.
std::optional<std::size_t> bracketed(const std::vector<Token>& tokens, std::size_t& at) {
  if (tokens[at].text != "(" && tokens[at].text != "[") return std::nullopt;
  std::size_t commas = 0, end = at + 1;
  bool trailing = false;
  while (end < tokens.size() && tokens[end].text != ")" && tokens[end].text != "]") {
    trailing = tokens[end].text == ",";
    commas += trailing ? 1 : 0;
    ++end;
  }
  at = end;
  return commas + (trailing ? 0 : 1);
}

Said said_of(const std::string& text) {
  Said out;
  const std::vector<Token> tokens = phrases::tokenise(text);
  std::vector<std::size_t> ranks;
  std::size_t several = 0, names = 0;
  bool noun = false;
  const auto close = [&] {
    out.tensors += std::max({several, names, std::size_t{noun ? 1u : 0u}});
    several = names = 0;
    noun = false;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& t = tokens[i].text;
    if (t == "same") out.same = true;
    if (is_any(t, {"length", "size", "shape", "same", "equal"})) out.more = out.more || (!out.same && t != "same");
    if (const auto r = rank_of(t)) {
      if (noun && t != "number") close();
      noun = noun || (t != "1d" && t != "2d" && t != "3d" && t != "4d");
      ranks.push_back(*r);
    } else if (phrases::is_tensor_noun(t)) {
      if (noun) close();
      noun = true;
    } else if (const std::size_t n = count_of(t); n > 0 && !(i + 1 < tokens.size() && tokens[i + 1].text == "x")) {
      close();
      several = n;
    } else if (const auto dims = bracketed(tokens, i)) {
      ranks.push_back(*dims);
      out.more = true;
    } else if (t.size() == 1 && tokens[i].kind == Token::Kind::word && t != "a" && t != "x") {
      ++names;
    } else if (tokens[i].kind == Token::Kind::number) {
      out.more = true;
    }
  }
  close();
  if (!ranks.empty() && std::all_of(ranks.begin(), ranks.end(), [&](std::size_t r) { return r == ranks[0]; }))
    out.rank = ranks[0];
  return out;
}

bool fits_result(const Spec& spec, const std::string& text) {
  const Said said = said_of(text);
  const std::size_t rank = spec.outputs[0].shape.size();
  if (said.same && !said.rank) return rank == spec.inputs[0].shape.size();
  return !said.rank || *said.rank == rank;
}

// Whether the request itself names the inputs: "between them", "of the two arrays".
std::optional<Span> pronoun(std::string_view request) {
  const std::vector<Token> tokens = phrases::tokenise(request);
  const auto is = [&](std::size_t i, std::initializer_list<std::string_view> list) {
    return i < tokens.size() && is_any(tokens[i].text, list);
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Span rest{tokens[i].span.begin, 0};
    if (!is(i, {"of", "between", "on", "to"})) continue;
    std::size_t end = i + 1;
    if (is(end, {"them", "it", "both", "this"})) return Span{rest.begin, tokens[end].span.end};
    while (is(end, {"the", "these", "this", "two", "its", "their", "all", "corresponding", "given", "both", "input"}))
      ++end;
    const bool noun = end < tokens.size() && phrases::is_tensor_noun(tokens[end].text);
    if (end > i + 1 && (noun || is(end, {"element", "entry", "value", "number"})))
      return Span{rest.begin, tokens[end].span.end};
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(const Library& library, const Framed& frame, const std::function<Understanding(const std::string&)>& read)
      : library_(library), frame_(frame), read_(read) {}

  FramedReading run() {
    std::string inputs;
    for (const std::string& i : frame_.inputs) inputs += (inputs.empty() ? "" : " and ") + i;
    const std::string& request = frame_.request.text();
    const std::size_t last = request.find_last_not_of(" .,;");
    const std::size_t end = last == std::string::npos ? 0 : last + 1;
    if (inputs.empty()) return alone();
    if (const auto place = pronoun(request))
      if (auto r = with({*place, " of " + inputs, {}})) return std::move(*r);
    for (const std::string_view joint : {" of ", ", ", ", with ", " on "})
      if (auto r = with({{end, end}, std::string(joint) + inputs, {}})) return std::move(*r);
    FramedReading bare = alone();
    if (!bare.understanding.spec || fits_inputs(*bare.understanding.spec)) return bare;
    bare.understanding.spec.reset();
    bare.understanding.questions = {"What is said of the inputs (" + inputs + ") does not fit the operation."};
    return bare;
  }

 private:
  std::optional<FramedReading> with(Edited::Edit edit) const {
    FramedReading out = read_text(Edited(frame_.request.text(), {std::move(edit)}));
    if (!out.understanding.spec || !fits_results(*out.understanding.spec)) return std::nullopt;
    return out;
  }
  FramedReading alone() const {
    FramedReading out = read_text(std::nullopt);
    if (out.understanding.spec && !fits_results(*out.understanding.spec)) {
      out.understanding.spec.reset();
      out.understanding.questions = {"What is said of the result (" + frame_.results[0] +
                                     ") does not fit the operation."};
    }
    return out;
  }

  // Tries rewritten sentences, too.
  FramedReading read_text(std::optional<Edited> placed) const {
    FramedReading out;
    out.edits.push_back(frame_.request);
    if (placed) out.edits.push_back(std::move(*placed));
    out.understanding = read_(out.edits.back().text());
    if (out.understanding.spec) return out;
    for (int times = 0; times < 2 && !out.understanding.spec; ++times) {
      auto other = rewritten(library_, out.edits.back().text());
      if (!other || other->text() == out.edits.back().text()) break;
      Understanding again = read_(other->text());
      if (!again.spec && again.questions.size() > out.understanding.questions.size()) break;
      out.understanding = std::move(again);
      out.edits.push_back(std::move(*other));
    }
    return out;
  }

  bool fits_results(const Spec& spec) const {
    return std::all_of(frame_.results.begin(), frame_.results.end(),
                       [&](const std::string& r) { return fits_result(spec, r); });
  }
  // The frame must not name inputs that the spec lacks.
  bool fits_inputs(const Spec& spec) const {
    std::size_t tensors = 0;
    for (const std::string& text : frame_.inputs) {
      const Said said = said_of(text);
      if (said.more || !said.rank) return false;
      tensors += said.tensors;
      for (const Param& p : spec.inputs)
        if (p.shape.size() != *said.rank) return false;
    }
    return tensors == spec.inputs.size();
  }

  const Library& library_;
  const Framed& frame_;
  const std::function<Understanding(const std::string&)>& read_;
};

}  // namespace

std::optional<FramedReading> read_framed(const Library& library, std::string_view sentence,
                                         const std::function<Understanding(const std::string&)>& read) {
  const std::optional<Framed> frame = framed(library, sentence);
  if (!frame) return std::nullopt;
  return Reader(library, *frame, read).run();
}

}  // namespace ww::op
