// SPDX-License-Identifier: Apache-2.0
#include "measure/baselines.h"
#include <algorithm>
#include <fmt/format.h>
#include <random>
#include "baseline/baseline.h"
#include "measure/torch.h"

namespace ww::measure {
namespace {

constexpr const char* torch_names[] = {"torch eager", "torch.compile"};

class Baselines {
 public:
  Baselines(Bench& bench, const Case& what, const op::Library& library, const std::stop_token& cancel,
            const ProgressHandler& progress)
      : bench_(bench), what_(what), library_(library), cancel_(cancel), progress_(progress) {
    request_ = bench.time_request(what);
    measurement_ = bench.begin(profile::MeasurementKind::baseline, what);
  }

  Result<profile::Measurement> run(const Subject* candidate, bool torch) {
    if (candidate) {
      request_.subjects.push_back({"candidate", candidate->text, candidate->language, ""});
      profile::MeasuredSubject& s = subject("candidate");
      s.hash = candidate->hash;
      s.title = candidate->title;
      s.tuning = candidate->tuning;
    }
    request_.subjects.push_back({"naive", "", candidate::Language::cuda, "naive"});
    add_modules();
    if (torch) start_torch();
    WW_TRY(time_rounds());
    sort();
    return std::move(measurement_);
  }

 private:
  profile::MeasuredSubject& subject(const std::string& name) { return outcome_of(measurement_.subjects, name); }
  void say(int round, const std::string& text) const {
    if (progress_) progress_({static_cast<double>(round) / request_.rounds, text});
  }

  void add_modules() {
    const baseline::List modules = baseline::load();
    for (const auto& module : modules.usable) {
      const Result<baseline::Applies> applies = module->applies(what_.spec_text, what_.binding);
      if (applies && applies->yes)
        request_.subjects.push_back({module->name(), "", candidate::Language::cuda, module->name()});
      else
        subject(module->name()).why_not = applies ? applies->message : applies.error().text();
    }
    for (const baseline::RefusedModule& m : modules.refused)
      subject(m.file.stem().string()).why_not = "the module " + m.file.string() + " was refused: " + m.reason;
  }

  void start_torch() {
    if (const Status s = prepare_torch(); !s) lose_torch(s.error());
  }

  Status prepare_torch() {
    say(0, "starting PyTorch");
    std::unique_ptr<TorchHelper> helper = WW_TRY(TorchHelper::start(request_.device, cancel_));
    measurement_.torch = helper->version() + " (" + helper->python() + ")";
    say(0, "PyTorch compiles the op");
    for (const TorchHelper::Variant& v : WW_TRY(helper->prepare(library_, what_, cancel_))) {
      profile::MeasuredSubject& s = subject(v.name);
      s.why_not = v.error;
      s.note = "PyTorch " + measurement_.torch + (v.note.empty() ? "" : ", " + v.note) +
               "; its result was not verified by Warpwright";
      if (v.error.empty()) torch_times_ = true;
    }
    torch_ = std::move(helper);
    return {};
  }

  void lose_torch(const Error& error) {
    torch_times_ = false;
    for (const char* name : torch_names)
      if (profile::MeasuredSubject& s = subject(name); s.why_not.empty()) s.why_not = error.text();
  }

  void time_torch(int round) {
    if (!torch_times_) return;
    say(round, fmt::format("round {} of {}: PyTorch", round + 1, request_.rounds));
    const Result<std::vector<profile::SubjectTiming>> timings = torch_->time(round, request_.samples, cancel_);
    if (!timings) return lose_torch(timings.error());
    for (const profile::SubjectTiming& t : *timings) add_timing(subject(t.subject), t);
  }

  // Worker and helper take turns in random order, round by round, so that drift affects both.
  Status time_rounds() {
    std::mt19937_64 random(0);
    for (int round = 0; round < request_.rounds; ++round) {
      if (cancel_.stop_requested()) return fail(Code::cancelled, "measuring was cancelled");
      const bool torch_first = random() % 2 == 0;
      if (torch_first) time_torch(round);
      WW_TRY(time_round(bench_, request_, round, measurement_.subjects, cancel_, progress_));
      if (!torch_first) time_torch(round);
    }
    if (cancel_.stop_requested()) return fail(Code::cancelled, "measuring was cancelled");
    return {};
  }

  // In the order of a reader's interest; a subject that failed in some round has no timings.
  void sort() {
    const auto place = [](const profile::MeasuredSubject& s) {
      return s.name == "candidate" ? 0 : s.name == "naive" ? 1 : s.name.starts_with("torch") ? 3 : 2;
    };
    std::stable_sort(measurement_.subjects.begin(), measurement_.subjects.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    for (profile::MeasuredSubject& s : measurement_.subjects)
      if (!s.why_not.empty()) s.timings.clear();
  }

  Bench& bench_;
  const Case& what_;
  const op::Library& library_;
  const std::stop_token& cancel_;
  const ProgressHandler& progress_;
  rpc::TimeRequest request_;
  profile::Measurement measurement_;
  std::unique_ptr<TorchHelper> torch_;
  bool torch_times_ = false;
};

}  // namespace

Result<profile::Measurement> baselines(Bench& bench, const Case& what, const Subject* candidate,
                                       const op::Library& library, bool torch, const std::stop_token& cancel,
                                       const ProgressHandler& progress) {
  return Baselines(bench, what, library, cancel, progress).run(candidate, torch);
}

const profile::MeasuredSubject* reference_of(const profile::Measurement& m) {
  const auto at = std::find_if(m.subjects.begin(), m.subjects.end(), [](const auto& s) { return !s.timings.empty(); });
  return at == m.subjects.end() ? nullptr : &*at;
}

}  // namespace ww::measure
