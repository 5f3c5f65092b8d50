// SPDX-License-Identifier: Apache-2.0
#include "measure/keep.h"
#include <fmt/format.h>
#include "base/log.h"
#include "generator/names.h"
#include "generator/run_options.h"

namespace ww::measure {
namespace {

// The candidate as a separate run.
Result<MeasurementIds> add_subject(store::Workspace& workspace, const Case& what, const Subject& s,
                                   const profile::DeviceDetails& device, const std::string& origin) {
  generator::RunOptions options;
  options.spec = what.spec_text;
  options.binding = what.binding;
  options.generator = generator::manual;
  options.device = device.name;
  options.architecture = device.architecture;
  options.given.push_back({s.text, s.language, {}, s.structure, origin + ": " + s.label});
  store::RunRecord run;
  run.op = WW_TRY(workspace.add_op(what.spec.name, what.spec_text, ""));
  run.generator = options.generator;
  run.device = options.device;
  run.architecture = options.architecture;
  run.options = generator::options_to_json(options);
  run.state = store::RunState::done;
  MeasurementIds kept;
  kept.run = WW_TRY(workspace.add_run(run));
  WW_TRY(workspace.set_run_state(kept.run, store::RunState::done));
  kept.candidate = WW_TRY(workspace.add_candidate({.run = kept.run,
                                                   .hash = s.hash,
                                                   .structure = s.structure,
                                                   .title = s.title,
                                                   .generator = options.generator,
                                                   .note = options.given.front().note,
                                                   .text = s.text,
                                                   .language = s.language}));
  return kept;
}

// The workspace's candidate for this op; 0: none.
MeasurementIds held(store::Workspace& workspace, const Case& what, const Subject& s) {
  const Result<store::CandidateRecord> known =
      s.candidate != 0 ? workspace.candidate(s.candidate) : workspace.find_candidate(s.hash);
  if (!known || known->hash != s.hash) return {};
  const Result<store::RunRecord> run = workspace.run(known->run);
  const Result<store::OpRecord> op = run ? workspace.op(run->op) : Result<store::OpRecord>(fail(run.error()));
  if (!op || op->text != what.spec_text) return {};
  return {0, known->id, known->run};
}

}  // namespace

Result<std::vector<MeasurementIds>> keep(store::Workspace& workspace, const Case& what,
                                         const std::vector<Subject>& subjects, const profile::Measurement& measurement,
                                         const std::string& origin) {
  const profile::DeviceDetails device = measurement.device.value_or(profile::DeviceDetails());
  store::MeasurementRecord record;
  record.kind = measurement.kind;
  record.device = device.name;
  record.gpu = device.gpu;
  record.driver = device.driver;
  record.json = profile::measurement_to_json(measurement);
  std::vector<MeasurementIds> list;
  for (const Subject& s : subjects) {
    MeasurementIds kept = held(workspace, what, s);
    if (kept.candidate == 0) kept = WW_TRY(add_subject(workspace, what, s, device, origin));
    list.push_back(kept);
  }
  if (list.empty()) list.emplace_back();
  for (MeasurementIds& kept : list) {
    record.candidate = kept.candidate;
    if (kept.run != 0)
      record.op = WW_TRY(workspace.run(kept.run)).op;
    else
      record.op = WW_TRY(workspace.add_op(what.spec.name, what.spec_text, ""));
    kept.measurement = WW_TRY(workspace.add_measurement(record));
  }
  return list;
}

Result<std::vector<KeptMeasurement>> measurements_of(store::Workspace& workspace, std::int64_t candidate) {
  std::vector<KeptMeasurement> list;
  for (store::MeasurementRecord& record : WW_TRY(workspace.measurements(candidate))) {
    Result<profile::Measurement> read = profile::measurement_from_json(record.kind, record.json);
    if (!read) {
      log::warn(fmt::format("measurement {} of candidate {} is left out because it cannot be read: {}", record.id,
                            candidate, read.error().text()));
      continue;
    }
    record.json.clear();
    list.push_back({std::move(record), std::move(*read)});
  }
  return list;
}

}  // namespace ww::measure
