// SPDX-License-Identifier: Apache-2.0
#include "explore/formulation_check.h"
#include <fmt/format.h>
#include "rpc/worker_profile.h"

namespace ww::explore {
namespace {

bool decided(const std::optional<Result<CrossCheck>>& kernel) {
  return kernel && *kernel && (*kernel)->verdict.ruling() != evidence::Ruling::not_judged;
}

std::string report_of(const Result<CrossCheck>& check) {
  if (!check) return "Not compared with the kernel: " + check.error().message + ".\n";
  const std::string plan = check->guessed ? ", launched as its signature suggests," : "";
  switch (check->verdict.ruling()) {
    case evidence::Ruling::accepted:
      return "The kernel" + plan + " computes this spec: " + check->verdict.summary() + ".\n";
    case evidence::Ruling::rejected:
      return "The kernel" + plan + " does NOT compute this spec: " + check->verdict.summary() + ".\n";
    case evidence::Ruling::not_judged: break;
  }
  return "The kernel could not be compared with this spec: " + check->verdict.summary() + ".\n";
}

std::string report_of(const Result<SecondFormulation>& second) {
  if (!second) return "Not compared with a second formulation: " + second.error().message + ".\n";
  const SpecComparison& c = second->comparison;
  const std::string text = second->text + (second->text.ends_with('\n') ? "" : "\n");
  switch (c.agreement) {
    case op::Agreement::same:
      return fmt::format(
          "A second formulation by the model computes the same on {} sets of inputs. That alone is no confirmation: "
          "both may share a misreading.\n",
          c.sets);
    case op::Agreement::different:
      return "A second formulation by the model does NOT compute the same, " + c.difference + ":\n" + text;
    case op::Agreement::unknown:
      return "A second formulation by the model has other inputs or outputs, so they cannot be compared:\n" + text;
    case op::Agreement::untried: break;
  }
  return "A second formulation by the model was not compared: even at small sizes it would take too long.\n";
}

Result<SecondFormulation> formulated_again(const llm::Desk& desk, llm::Turns& models, llm::Source source,
                                           const std::string& text, const op::Spec& first,
                                           const std::stop_token& stop) {
  for (llm::Settings& s : models.models) s.seed = s.seed.value_or(0) + 1;
  const llm::Formulation again = WW_TRY(llm::formulate(desk, models, source, text, stop));
  return SecondFormulation{again.text, compare_specs(first, again.spec)};
}

}  // namespace

bool FormulationCheck::confirmed() const {
  return decided(kernel) && (*kernel)->verdict.ruling() == evidence::Ruling::accepted;
}

std::string FormulationCheck::doubt() const {
  if (decided(kernel) && !confirmed()) return "the kernel it was made of does not compute it";
  if (!second || !*second) return {};
  switch ((*second)->comparison.agreement) {
    case op::Agreement::different:
      return "the model formulated it twice, and the two compute different results: what it is to compute is not clear";
    case op::Agreement::unknown: return "the model formulated it twice, with different inputs or outputs";
    default: return {};
  }
}

std::string FormulationCheck::report() const {
  return (kernel ? report_of(*kernel) : std::string()) + (second ? report_of(*second) : std::string());
}

FormulationCheck check_formulation(const llm::Desk& desk, llm::Turns& models, llm::Source source,
                                   const std::string& text, const llm::Formulation& first, std::stop_token stop) {
  FormulationCheck check;
  if (source == llm::Source::kernel) {
    rpc::WorkerOptions options;
    options.profile = rpc::WorkerProfile::simt;
    rpc::Supervisor worker(options);
    check.kernel = cross_check(first.spec, text, worker, stop);
  }
  if (!decided(check.kernel)) check.second = formulated_again(desk, models, source, text, first.spec, stop);
  return check;
}

}  // namespace ww::explore
