// SPDX-License-Identifier: Apache-2.0
#include "explore/proposer.h"
#include <algorithm>
#include <iterator>

namespace ww::explore {
namespace {

constexpr int empty_round_limit = 3;  // rounds in which everything was known already
constexpr int failure_limit = 3;      // failures of the generator in a row
constexpr int duplicate_limit = 32;   // candidates in a row that were the same as earlier ones

}  // namespace

Proposer::Proposer(std::unique_ptr<generator::Generator> generator, const RunSetup& setup)
    : generator_(std::move(generator)), setup_(setup) {
  request_.spec = setup.spec;
  request_.binding = setup.binding;
  request_.device = setup.options.device;
  request_.architecture = setup.options.architecture;
}

Status Proposer::begin(const generator::Host& host) {
  Status begun = fail(Code::internal, "it failed");
  try {
    begun = generator_->begin(host);
  } catch (const std::exception& e) { begun = fail(Code::internal, "it failed", e.what()); }
  if (begun) return {};
  return fail(begun.error().code,
              "the generator '" + setup_.options.generator + "' cannot start: " + begun.error().message,
              begun.error().cause);
}

void Proposer::add_feedback(generator::Feedback feedback) {
  duplicates_ = 0;
  new_feedback_.push_back(std::move(feedback));
}

void Proposer::add_duplicate(generator::Feedback feedback) {
  new_feedback_.push_back(std::move(feedback));
  if (++duplicates_ >= duplicate_limit && !exhausted_)
    end("the last " + std::to_string(duplicate_limit) + " candidates repeated earlier programs");
}

bool Proposer::asks_early(std::size_t queued, int judged) const {
  if (failures_ > 0 && judged == failed_at_) return false;  // tries again after the next verdict
  return setup_.workers > 1 && !generator_->in_rounds() && static_cast<int>(queued) < setup_.workers;
}

void Proposer::prepare(int judged, int in_work) {
  std::move(new_feedback_.begin(), new_feedback_.end(), std::back_inserter(request_.history));
  new_feedback_.clear();
  request_.wanted = static_cast<std::size_t>(std::max(4, 2 * setup_.workers));
  if (generator_->in_rounds())
    request_.wanted =
        std::max(request_.wanted, static_cast<std::size_t>(std::clamp(setup_.options.model.parallel, 1, 64)));
  if (const int budget = setup_.options.budget.candidates; budget > 0)
    request_.wanted = std::min(request_.wanted, static_cast<std::size_t>(budget - judged - in_work));
}

Result<std::vector<generator::Proposal>> Proposer::ask(std::stop_token stop) {
  try {
    return generator_->propose(request_, std::move(stop));
  } catch (const std::exception& e) { return fail(Code::internal, "the generator failed", e.what()); } catch (...) {
    return fail(Code::internal, "the generator failed");
  }
}

void Proposer::note_failure(const std::string& text, Code code, bool final, int judged) {
  failed_at_ = judged;
  code_ = code;
  if (++failures_ < failure_limit && !final) return;
  failed_ = true;
  end(text);
}

void Proposer::note_round(bool empty, bool any_new) {
  failures_ = 0;
  if (empty)
    end(generator_->why_ended().empty() ? "the generator has nothing more to propose" : generator_->why_ended());
  else if (any_new)
    empty_rounds_ = 0;
  else if (++empty_rounds_ >= empty_round_limit)
    end("the generator proposes only known programs");
}

void Proposer::end(std::string why) {
  exhausted_ = true;
  why_ = std::move(why);
}

}  // namespace ww::explore
