// SPDX-License-Identifier: Apache-2.0
// docs/json.md: the text of resources/schema/json.md, with a table for each described struct that it names.
#include "answer.h"
#include "base/schema.h"
#include "candidate/claim.h"
#include <map>
#include "base/files.h"
#include "base/protection.h"
#include "commands.h"
#include "evidence/verdict_json.h"
#include "explore/campaign.h"
#include "explore/repro.h"
#include "importer/task_comparison.h"
#include "lesson/package.h"
#include "measure/keep.h"
#include "measure/meaning.h"
#include "output.h"
#include "profile/measurement_record.h"
#include "profile/roofline.h"
#include "profile/statistics.h"
#include "ptx/notable.h"
#include "report/race.h"
#include "rpc/simulate.h"
#include "sim/case_file.h"
#include "sim/exec.h"
#include "stepping/moment.h"
#include "store/bundle.h"

namespace ww::cli {
namespace {

using Tables = std::map<std::string, std::string, std::less<>>;

template <Described T>
void add_table(Tables& tables, std::string_view name) {
  tables.emplace(name, schema::markdown(schema::members_of<T>()));
}

template <Described... T>
void add_named(Tables& tables) {
  (add_table<T>(tables, T::described_as), ...);
}

Tables all_tables() {
  Tables t;
  add_named<explore::CandidateRow, store::RunRecord, explore::CampaignState, importer::TaskRecord, importer::TaskCounts,
            importer::Judgement, importer::TaskComparison, store::ExchangeRecord, report::Race, llm::Limits,
            profile::Ratio, profile::Roofline, measure::Subject, measure::MeasurementIds, measure::Meaning,
            store::BundleFacts, Protection, ptx::Note, candidate::Claim, explore::Repro, sim::CaseFile, sim::Outcome,
            sim::Listing, sim::Trace, sim::ExecReport, stepping::Moment, lesson::Package>(t);
  add_named<evidence::StoredVerdict, evidence::Metrics, Fault, compile::KernelResources, op::Binding,
            profile::StoredMeasurement, profile::MeasuredCase, profile::SubjectTiming, profile::CounterReport,
            profile::DeviceDetails, profile::Ceilings>(t);
  add_table<generator::RunOptions>(t, "RUN OPTIONS");
  add_table<rpc::CompileRequest>(t, "compile");
  add_table<compile::Output>(t, "compile result");
  add_table<rpc::GateRequest>(t, "gate");
  add_table<evidence::WrongMap>(t, "show_wrong result");
  add_table<rpc::ReproduceRequest>(t, "reproduce");
  add_table<gate::Reproduction>(t, "reproduce result");
  add_table<rpc::SimulateRequest>(t, "simulate");
  add_table<rpc::TraceRequest>(t, "trace");
  add_table<rpc::FurtherTraceRequest>(t, "trace_further");
  add_table<rpc::TimeRequest>(t, "time");
  add_table<rpc::TimeReply>(t, "time result");
  add_table<rpc::CountRequest>(t, "profile");
  add_table<rpc::DeviceRequest>(t, "device");
  add_table<rpc::DeviceReply>(t, "device result");
  return t;
}

// Every table has one place in the text: a line "{{NAME}}".
Result<std::string> page() {
  const std::filesystem::path file = resources_dir() / "schema/json.md";
  std::string text = WW_TRY(read_file(file));
  Tables tables = all_tables();
  for (std::size_t at = 0; (at = text.find("{{", at)) != std::string::npos;) {
    const std::size_t end = text.find("}}\n", at);
    const auto table = end == std::string::npos ? tables.end() : tables.find(text.substr(at + 2, end - at - 2));
    if (table == tables.end())
      return fail(Code::corrupt, "'" + file.string() + "' names a table that does not exist: " + text.substr(at, 40));
    text.replace(at, end + 3 - at, table->second);
    at += table->second.size();
    tables.erase(table);
  }
  if (!tables.empty())
    return fail(Code::corrupt, "'" + file.string() + "' has no place for the table " + tables.begin()->first);
  return text;
}

}  // namespace

void add_schema(Commands& commands) {
  commands.add(
      "schema", "prints docs/json.md: the schema of the JSON that this program writes and reads",
      [](const Common& common) -> Result<int> {
        const std::string text = WW_TRY(page());
        return print_answer(common, {{{"markdown", text}}, text});
      },
      Commands::Workspace::none);
}

}  // namespace ww::cli
