// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/diff_loader.h"
#include "candidate/directives.h"
#include "ptx/lines.h"
#include "diff/align.h"
#include "measure/occupancy.h"
#include "rpc/worker_report.h"
#include "session/review_view.h"
#include "session/session.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

constexpr int kept_machine_code = 8;

QString options_of(const store::CandidateRecord& record) {  // as its directives say
  QStringList list;
  for (auto d = candidate::next_directive(record.text); d; d = candidate::next_directive(record.text, d->line.end))
    if (d->name == "tune" || d->name == "option") list += qs(std::string(d->rest)).simplified();
  return list.join(", ");
}

QString toolkit_of(store::Workspace& workspace, std::int64_t run) {  // of the run's latest worker
  const auto worker = rpc::worker_report(workspace.latest_worker(run).value_or(""));
  return worker ? qs(worker->compiler.name()) : QString();
}

QString place_of(store::Workspace& workspace, const store::CandidateRecord& record, std::string& architecture) {
  QStringList parts;
  const auto run = workspace.run(record.run);
  QString device = run ? qs(run->device) : QString(), driver;
  if (run) architecture = run->architecture;
  if (record.verdict) {
    if (!record.verdict->device.empty()) device = qs(record.verdict->device);
    if (record.verdict->metrics) {
      const evidence::Conditions& c = record.verdict->metrics->conditions;
      if (!c.gpu.empty()) device = qs(c.gpu) + " (" + device + ")";
      if (!c.driver.empty()) driver = DiffLoader::tr("driver %1").arg(qs(c.driver));
    }
  }
  for (const QString& part : {device, qs(architecture), driver, toolkit_of(workspace, record.run)})
    if (!part.isEmpty()) parts += part;
  return parts.isEmpty() ? DiffLoader::tr("device and toolkit are not recorded") : parts.join(", ");
}

void add_occupancy(DiffSide& side, const std::string& spec, const std::string& architecture) {
  const auto kernels = side.record.resources.empty()
                           ? Result<std::vector<measure::KernelOccupancy>>(fail(Code::not_found, "it was not compiled"))
                           : measure::occupancy_of(side.record, spec, architecture);
  if (!kernels) {
    side.numbers.push_back({.group = "occupancy",
                            .name = "occupancy",
                            .unit = "%",
                            .better = evidence::Better::higher,
                            .why_not = kernels.error().message});
    return;
  }
  for (const measure::KernelOccupancy& k : *kernels) {
    const std::string of = kernels->size() == 1 ? "" : k.kernel + ": ";
    const auto add = [&](const char* name, const char* unit, double value, evidence::Better better) {
      side.numbers.push_back({.group = "occupancy",
                              .name = of + name,
                              .unit = unit,
                              .value = value,
                              .provenance = Provenance::modelled,
                              .where = k.architecture,
                              .better = better});
    };
    add("occupancy", "%", 100 * k.occupancy, evidence::Better::higher);
    add("active warps", "", k.active_warps, evidence::Better::higher);
    add("threads per block", "", k.block, evidence::Better::neither);
    add("shared memory per block", "B", static_cast<double>(k.shared), evidence::Better::lower);
  }
}

// `id`: as it is known here; a guest has another one in its workspace.
Result<std::shared_ptr<DiffSide>> read_side(store::Workspace& workspace, store::CandidateRecord record, std::int64_t id,
                                            const ModelledGpu& gpu) {
  auto side = std::make_shared<DiffSide>();
  side->record = std::move(record);
  side->name = "#" + QString::number(side->record.id) + " " +
               qs(side->record.title.empty() ? side->record.structure : side->record.title);
  if (is_guest(id))
    side->name += DiffLoader::tr(" \u00b7 %1").arg(harmless(qs(workspace.folder().filename().string())));
  side->record.id = id;
  side->options = options_of(side->record);
  side->place = place_of(workspace, side->record, side->architecture);
  side->numbers = diff::numbers_of(side->record);
  std::string spec, device;
  if (const auto run = workspace.run(side->record.run)) {
    device = run->device;
    if (const auto op = workspace.op(run->op)) spec = op->text;
  }
  add_occupancy(*side, spec, gpu.limits_of(side->architecture, device));
  return side;
}

std::vector<store::ReviewRecord> standing_notes(store::Workspace& workspace, std::int64_t candidate) {
  std::vector<store::ReviewRecord> notes;
  if (const auto view = review_of(workspace, candidate)) {
    for (const ReviewRow& row : (*view)->rows)
      if (row.stands && row.record.kind == store::ReviewKind::note) notes.push_back(row.record);
  }
  return notes;
}

}  // namespace

DiffLoader::DiffLoader(const Context& context, QObject* parent) : QObject(parent), context_(context) {}

Result<DiffLoader::MachineCode> DiffLoader::read_machine_code(Runs& runs, const DiffSide& side) {
  compile::Sass sass = WW_TRY(runs.machine_rows(side.record, side.architecture));
  MachineCode code;
  code.text = std::move(sass.text);
  for (const compile::SassRow& row : sass.rows) code.lines.push_back(row.line);
  return code;
}

void DiffLoader::forget() {
  reader_.forget();
  comparer_.forget();
}

void DiffLoader::load(std::int64_t left, std::int64_t right) {
  comparer_.forget();
  const Stores stores = context_.session->stores();
  if (!stores || right == 0) return;
  reader_.submit([this, left, right, stores, gpu = context_.services.gpu]() -> LatestJob::Deliver {
    const auto failed = [this](const QString& why) { return [this, why] { emit loaded(nullptr, why); }; };
    const Result<Stored> here = stores.of(right);
    if (!here) return failed(qs(here.error().text()));
    store::Workspace& workspace = *here->workspace;
    Stored there = *here;  // of the left side
    auto record = workspace.candidate(here->candidate);
    if (!record) return failed(qs(record.error().text()));
    Result<store::CandidateRecord> other = fail(Code::not_found, "");
    if (left != 0) {
      if (auto at = stores.of(left)) {
        there = std::move(*at);
        other = there.workspace->candidate(there.candidate);
      } else {
        other = fail(at.error());
      }
      if (!other) return failed(qs(other.error().text()));
    } else if (record->parent.empty()) {
      return failed(tr("This candidate has no parent. Choose a candidate to compare it with above, or drag one here."));
    } else {
      other = workspace.candidate_of(record->run, record->parent);
      if (!other)
        return failed(
            tr("Its parent is not among this run's candidates. Choose a candidate to compare it with above, or drag "
               "one here."));
    }
    const std::int64_t parent =
        is_guest(right) ? stores.guests->id_of(stores.guests->folder_of(right), other->id) : other->id;
    auto l = read_side(*there.workspace, std::move(*other), left != 0 ? left : parent, *gpu),
         r = read_side(workspace, std::move(*record), right, *gpu);
    if (!l || !r) return failed(qs((l ? r : l).error().text()));
    auto pair = std::make_shared<DiffPair>();
    pair->left = *l;
    pair->right = *r;
    pair->verdicts = diff::compare_verdicts(pair->left->record, pair->right->record);
    if (const auto measured = workspace.measurements(here->candidate))
      pair->paired_timings = diff::paired_timings(*measured, pair->left->record.hash, pair->right->record.hash);
    pair->notes = standing_notes(workspace, here->candidate);
    return [this, pair] { emit loaded(pair, {}); };
  });
}

void DiffLoader::compare(const std::shared_ptr<const DiffPair>& pair, CodeKind listing, bool normalised,
                         bool ignore_space) {
  comparer_.submit([this, pair, listing, normalised, ignore_space, runs = context_.services.runs,
                    known = machine_code_]() -> LatestJob::Deliver {
    auto texts = std::make_shared<DiffTexts>();
    texts->listing = listing;
    texts->left_ptx = pair->left->record.language == candidate::Language::ptx;
    texts->right_ptx = pair->right->record.language == candidate::Language::ptx;
    diff::Rules rules;
    rules.ignore_space = ignore_space;
    if (listing != CodeKind::source && normalised)
      rules.form = listing == CodeKind::ptx ? diff::Form::ptx : diff::Form::sass;
    QHash<QString, std::shared_ptr<const MachineCode>> read;
    const auto machine_code_of = [&](const DiffSide& side) -> std::shared_ptr<const MachineCode> {
      const QString key = qs(side.record.hash + " " + side.architecture);
      if (const auto there = known.value(key)) return there;
      if (const auto there = read.value(key)) return there;
      auto code = read_machine_code(*runs, side);
      if (code) return read[key] = std::make_shared<const MachineCode>(std::move(*code));
      texts->why_not = tr("%1 has no machine code: %2").arg(side.name, qs(code.error().text()));
      return nullptr;
    };
    const auto ptx_of = [&](const DiffSide& side) -> const std::string* {
      if (side.record.verdict && !side.record.verdict->ptx.empty()) return &side.record.verdict->ptx;
      texts->why_not = side.record.verdict ? tr("%1 has no PTX: it was not compiled.").arg(side.name)
                                           : tr("%1 has no PTX yet: it has not been judged.").arg(side.name);
      return nullptr;
    };
    const auto put = [&](const std::string& left, const std::string& right) {
      texts->diff = std::make_shared<const diff::TextDiff>(diff::compare_texts(left, right, rules));
    };
    if (listing == CodeKind::source) {
      put(pair->left->record.text, pair->right->record.text);
    } else if (listing == CodeKind::ptx) {
      const std::string* left = ptx_of(*pair->left);
      const std::string* right = left ? ptx_of(*pair->right) : nullptr;
      if (right) {
        put(*left, *right);
        texts->left_lines = ptx::source_lines(ptx::parse(*left));
        texts->right_lines = ptx::source_lines(ptx::parse(*right));
      }
    } else {
      const auto left = machine_code_of(*pair->left), right = left ? machine_code_of(*pair->right) : nullptr;
      if (right) {
        put(left->text, right->text);
        texts->left_lines = left->lines;
        texts->right_lines = right->lines;
        texts->left_instructions = diff::instructions_of(left->text, diff::Form::sass);
        texts->right_instructions = diff::instructions_of(right->text, diff::Form::sass);
      }
    }
    return [this, texts, read] {
      if (machine_code_.size() + read.size() > kept_machine_code) machine_code_.clear();
      machine_code_.insert(read);
      emit compared(texts);
    };
  });
}

}  // namespace ww::widgets
