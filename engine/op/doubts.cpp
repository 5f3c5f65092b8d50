// SPDX-License-Identifier: Apache-2.0
#include "op/doubts.h"
#include <algorithm>
#include <map>
#include <set>
#include "op/parse.h"
#include "op/walk.h"

namespace ww::op {
namespace {

constexpr const char* unconfirmed_key = "unconfirmed";

// The inputs that each tensor is computed from, by its name.
std::map<std::string, std::set<std::string>> sources_of(const Spec& spec) {
  std::map<std::string, std::set<std::string>> from;
  for (const Param& p : spec.inputs) from[p.name] = {p.name};
  for (const Equation& e : spec.equations) {
    std::set<std::string>& mine = from[e.target];
    for (const std::string& read : tensors_read(*e.value))
      if (const auto at = from.find(read); at != from.end() && read != e.target)  // a recurrence reads itself
        mine.insert(at->second.begin(), at->second.end());
  }
  return from;
}

}  // namespace

std::vector<std::string> doubts(const Spec& spec) {
  const std::map<std::string, std::set<std::string>> from = sources_of(spec);
  std::vector<std::string> out;
  std::set<std::string> used;
  for (const Param& o : spec.outputs) {
    const auto at = from.find(o.name);
    if (at == from.end() || at->second.empty())
      out.push_back("The output '" + o.name + "' does not depend on any input.");
    else
      used.insert(at->second.begin(), at->second.end());
  }
  for (const Param& i : spec.inputs)
    if (!used.contains(i.name)) out.push_back("No output depends on the input '" + i.name + "'.");
  return out;
}

static std::string marked(const std::string& mark, const std::string& text) {
  const std::string earlier = std::string("//@ ") + unconfirmed_key + ":";
  std::string out = mark + '\n';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, earlier.size(), earlier) != 0) out += text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string marked_unconfirmed(const std::string& text, const std::string& why) {
  return marked(std::string("//@ ") + unconfirmed_key + ": " + why, text);
}

std::string marked_confirmed(const std::string& text) {
  return marked("// A model wrote this spec. It is confirmed by a person, and by nothing else.", text);
}

bool is_unconfirmed(const Spec& spec) { return spec.directives.contains(unconfirmed_key); }

std::string unconfirmed_text(const Spec& spec, Audience audience) {
  if (!is_unconfirmed(spec)) return {};
  switch (audience) {
    case Audience::glance: return "The spec is unconfirmed";
    case Audience::reader:
      return "A model wrote the spec of this op, and it is unconfirmed: it may not be what was asked for";
    case Audience::signer: break;
  }
  return "a model wrote the spec of this op, and it is unconfirmed: read it, remove its line '//@ unconfirmed' if it "
         "is what you want, and run it again";
}

std::string unconfirmed_text(std::string_view spec, Audience audience) {
  const Result<Spec> parsed = parse_spec(std::string(spec));
  return parsed ? unconfirmed_text(*parsed, audience) : std::string();
}

}  // namespace ww::op
