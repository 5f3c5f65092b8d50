// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/chained.h"
#include <algorithm>
#include "base/ascii.h"
#include "op/transform.h"

namespace ww::op {
namespace {

// Where the ops begin, and where the formula before the joining word ends.
struct Joint {
  std::size_t end = 0, begin = 0;
};
std::optional<Joint> first_joint(std::string_view sentence) {
  Joint out{sentence.size(), sentence.size()};
  const std::string lower = ascii_lower(std::string(sentence));
  for (const std::string_view word : {" and then ", ", then ", " then ", ", followed by ", " followed by ", " -> "}) {
    const std::size_t at = lower.find(word);
    if (at >= out.end) continue;
    out = {at, at + word.size()};
  }
  if (out.end == sentence.size() || out.end == 0) return std::nullopt;
  return out;
}

// "nn.Conv2d(16, 32, 3) followed by relu" as relu(nn.Conv2d(16, 32, 3)): an op takes the shape of its operand.
std::optional<Understanding> nested(std::string_view sentence, const Joint& joint, const Understanding& rest,
                                    const ReadPart& formula) {
  std::string name;
  for (const Word& w : rest.words) {
    if (w.meaning == Meaning::filler) continue;
    if (w.meaning != Meaning::op || !name.empty()) return std::nullopt;
    name = rest.spec->name;
  }
  if (name.empty()) return std::nullopt;
  const std::string head(trimmed(sentence.substr(0, joint.end)));
  auto out = formula(name + "(" + head + ")");
  if (!out || !out->spec) return std::nullopt;
  out->words = {{{0, head.size()}, Meaning::op, head, "a formula"}};
  return out;
}

}  // namespace

// "nn.Linear(64, 32) then nn.GELU()" as nn.Sequential(nn.Linear(64, 32), nn.GELU()).
std::optional<Understanding> read_layers(std::string_view sentence, const ReadOne& one) {
  std::string all;
  std::string_view rest = trimmed(sentence);
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const std::optional<Joint> joint = first_joint(rest);
    std::string_view part = joint ? trimmed(rest.substr(0, joint->end)) : rest;
    if (!part.starts_with("nn.") || (joint && !part.ends_with(")"))) return std::nullopt;
    all += (all.empty() ? "nn.Sequential(" : ", ") + std::string(part);
    more = joint.has_value();
    if (joint) rest = trimmed(rest.substr(joint->begin));
  }
  if (count < 2 || !all.ends_with(")")) return std::nullopt;
  Understanding out = one(all + ")");
  if (!out.spec) return std::nullopt;
  out.words = {{{0, sentence.size()}, Meaning::op, std::string(sentence), "one layer after the other"}};
  return out;
}

std::optional<Understanding> read_chained(std::string_view sentence, const ReadPart& formula, const ReadPart& ops) {
  const std::optional<Joint> joint = first_joint(sentence);
  if (!joint) return std::nullopt;
  auto head = formula(std::string(sentence.substr(0, joint->end)));
  if (!head || !head->spec || head->spec->outputs.size() != 1) return std::nullopt;
  auto rest = ops(std::string(sentence.substr(joint->begin)));
  if (!rest || !rest->spec) return std::nullopt;
  const bool own = std::any_of(rest->words.begin(), rest->words.end(), [](const Word& w) {
    return w.meaning == Meaning::shape || w.meaning == Meaning::dtype;
  });
  if (own) return std::nullopt;
  const DType type = head->spec->outputs[0].dtype;
  if (is_real(type) && type != DType::f32) {
    auto typed = with_dtype(*rest->spec, type);
    if (!typed) return std::nullopt;
    rest->spec = std::move(*typed);
  }
  auto both = compose(*head->spec, *rest->spec);
  Understanding out;
  out.words = std::move(head->words);
  if (both) {
    out.spec = plain(std::move(*both));
  } else {
    auto inside = nested(sentence, *joint, *rest, formula);
    if (!inside) return std::nullopt;
    out.spec = std::move(inside->spec);
  }
  const Span word{joint->end, joint->begin};
  out.words.push_back({word, Meaning::composition,
                       std::string(trimmed(sentence.substr(word.begin, word.end - word.begin))),
                       "first the formula, then what follows"});
  for (Word w : rest->words) {
    w.span.begin += joint->begin;
    w.span.end += joint->begin;
    out.words.push_back(std::move(w));
  }
  return out;
}

}  // namespace ww::op
