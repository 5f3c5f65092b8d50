// SPDX-License-Identifier: Apache-2.0
#include "mcp/prompts.h"
#include <array>
#include <string>
#include <vector>

namespace ww::cli::mcp {
namespace {

struct Parameter {
  const char *name, *about;
  bool required;
};
struct Prompt {
  const char *name, *title, *about;
  std::vector<Parameter> parameters;
  const char* text;  // "{op}" is replaced by the parameter
};

const std::vector<Prompt>& prompts() {
  static const std::vector<Prompt> all = {
      {"write-kernel",
       "Write a kernel for an op",
       "From a description to a proved kernel",
       {{"op", "what it computes: a sentence, an op spec or the name of an op", true}},
       "Write a fast CUDA kernel for this op: {op}\n\n"
       "Work with the tools of Warpwright. 1. Call 'describe'; if it asks a question, ask me. 2. Read "
       "warpwright://guide/candidate. 3. Call 'explore' with a budget of 12 for a baseline, and 'show' the best. 4. "
       "Write your own kernel and call 'check' until it is proved; when it rejects, fix what the evidence "
       "names, never the op. 5. 'submit' it to the run and 'compare' it with the best. 6. Tell me its rank, which "
       "cases "
       "were proved, which were not claimed, and where each number comes from (simulated, modelled or measured)."},
      {"optimise-kernel",
       "Make a kernel faster",
       "Improves a kernel step by step; each step is proved",
       {{"kernel", "the candidate: directives and code", true},
        {"op", "what it computes; default: the op that it names", false}},
       "Make this kernel faster without changing what it computes.\n\nOp: {op}\n\n```\n{kernel}\n```\n\n"
       "Work with the tools of Warpwright. 1. Call 'check' on it as it is. 2. 'explore' its op with search off and "
       "this "
       "kernel as the first candidate, so that it is kept. 3. Call 'advise' and change one thing at a time, the one "
       "with the largest bound first. 4. 'submit' each version with its parent and a note; go on from it only where it "
       "is proved and better. 5. Stop after five versions without a gain. 6. Tell me what helped, what did not, and "
       "where each number comes from (simulated, modelled or measured)."},
      {"explain-candidate",
       "Explain a stored candidate",
       "What a candidate does, what its verdict proves, and what it does not",
       {{"candidate", "its number, or the prefix of its hash", true}},
       "Explain candidate {candidate} to an engineer. Call 'show' and 'advise' on it. Say how the kernel works, what "
       "its "
       "verdict proves and on which cases, what it does not prove, and where its cost lies. A simulated cost is not a "
       "time. Write a note on a line ('notes') where a reviewer should look closely."}};
  return all;
}

}  // namespace

Json prompts_json() {
  Json list = Json::array();
  for (const Prompt& p : prompts()) {
    Json arguments = Json::array();
    for (const Parameter& a : p.parameters)
      arguments.push_back({{"name", a.name}, {"description", a.about}, {"required", a.required}});
    list.push_back({{"name", p.name}, {"title", p.title}, {"description", p.about}, {"arguments", arguments}});
  }
  return list;
}

Reply<Json> prompt(const Json& params) {
  const Json name = params.value("name", Json()), given = params.value("arguments", Json::object());
  for (const Prompt& p : prompts()) {
    if (name != p.name) continue;
    std::string text;
    for (std::string_view rest = p.text; !rest.empty();) {
      // Inserted text is not searched for parameters again.
      const std::size_t begin = rest.find('{'), end = std::min(rest.find('}', begin), rest.size());
      text += rest.substr(0, begin);
      if (begin == std::string_view::npos) break;
      const std::string key(rest.substr(begin + 1, end - begin - 1));
      for (const Parameter& a : p.parameters) {
        if (key != a.name) continue;
        const Json value = given.is_object() ? given.value(key, Json()) : Json();
        if (!value.is_null() && !value.is_string())
          return refuse(invalid_params, "the argument '" + key + "' must be a string");
        if (a.required && (value.is_null() || value == ""))
          return refuse(invalid_params, "the prompt '" + std::string(p.name) + "' needs the argument '" + key + "'");
        text += value.is_null() ? "the one that the kernel names" : value.get<std::string>();
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return Json{{"description", p.about},
                {"messages", Json::array({{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}}})}};
  }
  return refuse(invalid_params, name.is_string() ? "there is no prompt '" + name.get<std::string>() + "'"
                                                 : std::string("'prompts/get' needs the name of a prompt"));
}

}  // namespace ww::cli::mcp
