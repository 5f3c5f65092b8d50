// SPDX-License-Identifier: Apache-2.0
#include "measure/subject.h"
#include <fmt/format.h>
#include "generator/run_options.h"
#include "op/parse.h"

namespace ww::measure {

op::Binding full_binding(const Case& what) {
  op::Binding full;
  if (const Result<op::Resolved> r = op::resolve(what.spec, what.binding)) {
    for (const std::string& s : what.spec.symbols) full.symbols[s] = r->symbols.at(s);
    for (const op::ResolvedConstant& c : r->constants)
      full.constants[c.name] = c.type == op::Type::real ? c.real : static_cast<double>(c.integer);
  }
  return full;
}

std::string case_text(const Case& what) {
  const op::Binding full = full_binding(what);
  std::string out = what.spec.name;
  for (const std::string& s : what.spec.symbols)
    if (const auto at = full.symbols.find(s); at != full.symbols.end()) out += fmt::format(", {} = {}", s, at->second);
  return out;
}

std::string apply_first_choices(candidate::Candidate& c) {
  bool open = false;
  for (const candidate::TuneAxis& axis : c.tune) open = open || axis.values.size() > 1;
  if (!open) return {};
  const candidate::Tuning first = candidate::first_tuning(c);
  Result<candidate::Candidate> pinned = candidate::pin(c, first);
  if (!pinned) return {};
  c = std::move(*pinned);
  std::string tuning;
  for (const auto& [name, value] : first) tuning += fmt::format("{}{} = {}", tuning.empty() ? "" : ", ", name, value);
  return tuning;
}

Result<Subject> subject_of(const std::string& text, candidate::Language language, const std::string& label) {
  Result<candidate::Candidate> parsed = candidate::parse(text, language);
  if (!parsed)
    return fail(Code::invalid_argument, label + " is not a candidate: " + parsed.error().message, parsed.error().cause);
  Subject s;
  s.label = label;
  s.tuning = apply_first_choices(*parsed);
  s.text = parsed->text;
  s.hash = parsed->hash;
  s.title = parsed->title;
  s.structure = parsed->structure;
  s.language = language;
  return s;
}

Result<Stored> stored_subject(store::Workspace& workspace, const store::CandidateRecord& c) {
  Stored stored;
  stored.run = WW_TRY(workspace.run(c.run));
  stored.subject = WW_TRY(subject_of(c.text, c.language, "candidate " + std::to_string(c.id)));
  stored.subject.hash = c.hash;
  stored.subject.candidate = c.id;
  if (stored.subject.title.empty()) stored.subject.title = c.title;
  const store::OpRecord op = WW_TRY(workspace.op(stored.run.op));
  stored.what.spec = WW_TRY(op::parse_spec(op.text, op.name));
  stored.what.spec_text = op.text;
  if (const Result<generator::RunOptions> options = generator::options_from_json(stored.run.options))
    stored.what.binding = options->binding;
  return stored;
}

}  // namespace ww::measure
