// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"
#include <chrono>
#include <utility>
#include "base/hash.h"
#include "evidence/describe.h"
#include "gate/judge.h"
#include "op/parse.h"

namespace ww::gate {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

Result<Verdict> Judge::run() {
  const Clock::time_point start = Clock::now();
  op::Spec spec = WW_TRY(op::parse_spec(request_.spec));
  spec_ = std::move(spec);
  large_ = large_distribution(spec_);
  masks_ = !masked_inputs(spec_).empty();
  const std::optional<Secret> secret = request_.secret.empty() ? Secret::fresh() : Secret::read(request_.secret);
  if (!secret) return fail(Code::invalid_argument, "a secret has 16 hexadecimal digits, not '" + request_.secret + "'");
  secret_ = *secret;
  verdict_.proof.secret = secret_.text();
  verdict_.proof.precision = request_.precision;
  verdict_.spec = hash_hex(request_.spec);
  verdict_.device = services_.device->facts().name;
  verdict_.proof.checks = services_.device->facts().checks;
  using Step = Status (Judge::*)();
  constexpr std::pair<Stage, Step> steps[] = {{Stage::contract, &Judge::contract},
                                              {Stage::compile, &Judge::compile},
                                              {Stage::smoke, &Judge::smoke},
                                              {Stage::cases, &Judge::cases},
                                              {Stage::determinism, &Judge::determinism},
                                              {Stage::measure, &Judge::measure}};
  bool ended = false;
  for (const auto& [stage, step] : steps) {
    result_ = StageResult{};
    result_.stage = stage;
    if (ended) {
      result_.skipped = SkipReason::not_reached;
    } else if (stage == Stage::measure && !request_.measure) {
      result_.skipped = SkipReason::not_requested;
    } else {
      const Clock::time_point stage_start = Clock::now();
      result_.outcome = Outcome::passed;
      WW_TRY((this->*step)());
      result_.seconds = since(stage_start);
      if (result_.failure && result_.failure->fault && !decides(result_.failure->fault->kind))
        result_.outcome = Outcome::not_judged;
      ended = ends_judgement(result_.outcome);
    }
    if (result_.message.empty() && !ends_judgement(result_.outcome)) result_.message = stage_text(verdict_, result_);
    if (stage == Stage::determinism) verdict_.accepted = !ended;
    if (stage == Stage::measure && ended) verdict_.accepted = false;
    verdict_.stages.push_back(std::move(result_));
  }
  verdict_.proof.surroundings = services_.device->facts().surroundings;
  verdict_.proof.surroundings->runs = static_cast<std::int64_t>(runs_);
  if (undisturbed_) verdict_.proof.surroundings->l2 = verdict_.proof.surroundings->load = evidence::Varied::no;
  if (verdict_.accepted && !reach_.lines.empty())
    verdict_.proof.reach = Reached{ptx::missed_in(verdict_.ptx, reach_, request_.language == candidate::Language::ptx)};
  if (verdict_.accepted && branches_) verdict_.proof.branches = branches_->counts();
  verdict_.seconds = since(start);
  return std::move(verdict_);
}

Status Judge::reject(std::string message, std::string detail) {
  result_.outcome = Outcome::failed;
  result_.message = std::move(message);
  result_.detail = std::move(detail);
  return {};
}

void Judge::blame(FaultKind kind) {
  result_.failure = Failure{};
  result_.failure->fault = Fault{};
  result_.failure->fault->kind = kind;
  result_.failure->fault->message = result_.message;
}

Result<Verdict> judge(const Request& request, const Services& services, std::stop_token stop,
                      const ProgressHandler& progress) {
  if (!services.compiler || !services.device || !services.references)
    return fail(Code::internal, "the gate was called without its services");
  try {
    return Judge(request, services, stop, progress).run();
  } catch (const std::bad_alloc&) { throw; } catch (const std::exception& e) {
    return fail(Code::internal, "the gate failed", e.what());
  }
}

}  // namespace ww::gate
