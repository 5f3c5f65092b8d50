// SPDX-License-Identifier: Apache-2.0
// The formulator. It reads code; nothing executes it.
#include <fmt/format.h>
#include <algorithm>
#include "base/files.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "llm/agents.h"
#include "llm/ask.h"
#include "llm/reply_text.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"

namespace ww::llm {
namespace {

constexpr std::size_t max_source = 200000, max_assumptions = 20;  // bytes; lines

constexpr const char* spec_schema =
    R"({"type":"object","additionalProperties":false,"required":["spec","explanation","assumptions"],"properties":{
"spec":{"type":"string"},"explanation":{"type":"string"},"assumptions":{"type":"array","items":{"type":"string"}}}})";

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

std::string functions_of_the_language() {
  std::string out;
  for (const op::Function& f : op::functions()) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{}/{}", f.name, f.arity);
  }
  return out;
}

// Library specs whose names or phrases resemble the sentence's words, as examples; empty: none do.
std::string similar_ops(const std::string& sentence) {
  const auto library = op::Library::load(resources_dir() / "ops");
  if (!library) return {};
  std::string out;
  for (const op::LibraryOp* op : library->nearest(sentence, 3)) {
    if (!out.empty()) out += "\n\n";
    out += "// " + op->summary + "\n" +
           plain_text(op->spec.text.substr(std::min(op->spec.text.find("op " + op->spec.name), op->spec.text.size())));
  }
  return out;
}

struct Said {
  std::string spec, explanation;
  std::vector<std::string> assumptions;
};

Result<Said> said_in(const std::string& reply) {
  Said out;
  const auto found = json_in(reply, "spec");
  if (!found) {  // a block with the spec, and prose
    out.spec = spec_in(reply);
    if (out.spec.empty()) return fail(found.error());
    fenced_blocks(without_thinking(plain_text(reply)), &out.explanation);
    out.explanation = plain_text(out.explanation);
    return out;
  }
  try {
    const json::Json j = json::Json::parse(*found);
    if (!j["spec"].is_string()) return fail(Code::parse, "\"spec\" is not a string");
    const std::string text = j["spec"].get<std::string>();
    out.spec = spec_in(text);
    if (out.spec.empty() || !has(text, "```")) out.spec = plain_text(text);
    if (const auto e = j.find("explanation"); e != j.end() && e->is_string())
      out.explanation = plain_text(e->get<std::string>());
    if (const auto a = j.find("assumptions"); a != j.end() && a->is_array())
      for (const json::Json& line : *a)
        if (line.is_string() && out.assumptions.size() < max_assumptions)
          out.assumptions.push_back(one_line(line.get<std::string>(), 600));
    return out;
  } catch (const std::exception& e) {
    return fail(Code::parse, "the JSON of the reply cannot be read", json::explain_exception(e));
  }
}

// A spec that passes the checker and whose default case exists.
Result<op::Spec> checked(const std::string& text) {
  auto parsed = op::parse(text);
  if (!parsed.spec)
    return fail(Code::parse, "the op spec is not accepted: " + parsed.diagnostics.front().message,
                render_all(parsed.diagnostics, text, "spec"));
  for (const std::string& s : parsed.spec->symbols)
    if (!parsed.spec->defaults.contains(s))
      return fail(Code::parse,
                  fmt::format("the shape symbol '{}' has no default: add a line \"default {} = …\"", s, s));
  for (const auto* params : {&parsed.spec->inputs, &parsed.spec->outputs})
    for (const op::Param& p : *params)
      if (const auto shape = op::shape_of(*parsed.spec, p, {}); !shape)
        return fail(Code::parse, "the default shapes do not fit: " + shape.error().message, shape.error().cause);
  return std::move(*parsed.spec);
}

}  // namespace

Source guess_source(std::string_view text) {
  for (const char* word : {"__global__", "<<<", ".visible .entry", "threadIdx.", "blockIdx.", "__kernel void"})
    if (has(text, word)) return Source::kernel;
  for (const char* word : {"import torch", "from torch", "nn.Module", "def forward", "torch.", "@triton.jit",
                           "import jax", "jnp.", "import numpy", "np."})
    if (has(text, word)) return has(text, "(") || has(text, "import") ? Source::pytorch : Source::sentence;
  // A C function with a loop over a pointer is a naive kernel as well.
  if (has(text, "for (") && has(text, ";") && has(text, "[") &&
      (has(text, "float") || has(text, "double") || has(text, "half") || has(text, "int")))
    return Source::kernel;
  return Source::sentence;
}

Result<Formulation> formulate(const Desk& desk, const Settings& settings, Source source, const std::string& text,
                              std::stop_token stop) {
  if (plain_text(text).empty()) return fail(Code::invalid_argument, "there is nothing to formulate: the text is empty");
  if (text.size() > max_source)
    return fail(Code::invalid_argument,
                fmt::format("the text has {} bytes; at most {} are taken", text.size(), max_source));
  if (source != Source::sentence && !desk.limits.sources)
    return fail(Code::unavailable,
                "source code may not be sent to this service (its limits say \"no sources\"); describe the operation "
                "in a sentence");
  Sheet sheet{{source == Source::sentence  ? "sentence"
               : source == Source::pytorch ? "module"
                                           : "kernel",
               text},
              {"functions", functions_of_the_language()}};
  if (source == Source::sentence) sheet["similar"] = similar_ops(text);
  Formulation out;
  const auto answered = WW_TRY(ask(
      desk, settings,
      {store::AgentRole::formulator, "formulator",
       source == Source::sentence  ? "from a sentence"
       : source == Source::pytorch ? "from a PyTorch module"
                                   : "from a kernel",
       std::move(sheet), OutputSchema{"op_spec", spec_schema}},
      [&](const Reply& reply) -> Result<Made> {
        auto said = WW_TRY(said_in(reply.text()));
        auto spec = WW_TRY(checked(said.spec));
        out.spec = std::move(spec);
        out.text = std::move(said.spec);
        out.explanation = std::move(said.explanation);
        out.assumptions = std::move(said.assumptions);
        return Made{store::ExchangeOutcome::spec, {}};
      },
      stop));
  out.exchange = answered.exchange;
  return out;
}

}  // namespace ww::llm
