// SPDX-License-Identifier: Apache-2.0
#include "explore/formulation_check.h"
#include <fmt/format.h>
#include "op/doubts.h"
#include "rpc/worker_profile.h"

namespace ww::explore {
namespace {

bool decided(const std::optional<Result<CrossCheck>>& kernel) {
  return kernel && *kernel && (*kernel)->verdict.ruling() != evidence::Ruling::not_judged;
}

bool decided(const std::optional<Result<SpecComparison>>& module) {
  return module && *module &&
         ((*module)->agreement == op::Agreement::same || (*module)->agreement == op::Agreement::different);
}

std::string report_of(const Result<SpecComparison>& module) {
  if (!module) return "Not compared with the module: " + module.error().message + ".\n";
  switch (module->agreement) {
    case op::Agreement::same:
      return fmt::format("The module, as PyTorch exports it, computes this spec on {} sets of inputs.\n", module->sets);
    case op::Agreement::different:
      return "The module, as PyTorch exports it, does NOT compute this spec, " + module->difference + ".\n";
    case op::Agreement::unknown:
      return "The module, as PyTorch exports it, has other inputs or outputs than this spec, so they cannot be "
             "compared.\n";
    case op::Agreement::untried: break;
  }
  return "The module was not compared with this spec: even at small sizes it would take too long.\n";
}

std::string report_of(const Result<CrossCheck>& check) {
  if (!check) return "Not compared with the kernel: " + check.error().message + ".\n";
  const std::string plan = check->guessed ? ", launched as its signature suggests," : "";
  const std::string ignored =
      check->ignored_plan ? "Its '//@ launch' lines were ignored: they need a line '//@ candidate OP'.\n" : "";
  switch (check->verdict.ruling()) {
    case evidence::Ruling::accepted:
      return "The kernel" + plan + " computes this spec: " + check->verdict.summary() + ".\n" + ignored;
    case evidence::Ruling::rejected:
      return "The kernel" + plan + " does NOT compute this spec: " + check->verdict.summary() + ".\n" + ignored;
    case evidence::Ruling::not_judged: break;
  }
  return "The kernel could not be compared with this spec: " + check->verdict.summary() + ".\n" + ignored;
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

Result<SecondFormulation> formulated_again(const llm::Desk& desk, llm::Turns& models, const FormulationSource& source,
                                           const op::Spec& first, const std::stop_token& stop) {
  for (llm::Settings& s : models.models) s.seed = s.seed.value_or(0) + 1;
  const llm::Formulation again = WW_TRY(llm::formulate(desk, models, source.kind, source.text, stop));
  return SecondFormulation{again.text, compare_specs(first, again.spec)};
}

}  // namespace

Confirmation FormulationCheck::confirmation() const {
  if (!doubts().empty()) return Confirmation::none;
  return decided(kernel) ? Confirmation::kernel : decided(module) ? Confirmation::module : Confirmation::none;
}

bool FormulationCheck::contradicted() const {
  return (decided(kernel) && (*kernel)->verdict.ruling() == evidence::Ruling::rejected) ||
         (decided(module) && (*module)->agreement == op::Agreement::different);
}

std::vector<std::string> FormulationCheck::doubts() const {
  std::vector<std::string> out = lint;
  if (decided(kernel) && (*kernel)->verdict.ruling() != evidence::Ruling::accepted)
    out.push_back("the kernel it was made of does not compute it");
  if (decided(module) && (*module)->agreement == op::Agreement::different)
    out.push_back("the module it was made of does not compute it");
  const auto add_gaps = [&out](const char* source, const std::vector<std::string>& narrowed,
                               const std::vector<std::string>& unseen, bool unexamined) {
    for (const std::string& input : narrowed)
      out.push_back(fmt::format("it limits the values of '{}', and only within these limits does the {} compute it",
                                input, source));
    for (const std::string& part : unseen)
      out.push_back(fmt::format("nothing that was compared with the {} shows a part of it: {}", source, part));
    if (unexamined)
      out.push_back(fmt::format("it is not known whether what was compared with the {} shows all parts of it", source));
  };
  if (decided(kernel)) add_gaps("kernel", (*kernel)->narrowed, (*kernel)->unseen, (*kernel)->unexamined);
  if (decided(kernel))
    for (const candidate::ComparedLiteral& l : (*kernel)->untried)
      out.push_back(
          fmt::format("the kernel compares with {} in line {}, and no case that was compared shows what "
                      "changes there",
                      l.text, l.line));
  if (decided(module)) add_gaps("module", (*module)->narrowed, (*module)->unseen, (*module)->unexamined);
  if (!second || !*second) return out;
  if ((*second)->comparison.agreement == op::Agreement::different)
    out.push_back(
        "the model formulated it twice, and the two compute different results: what it is to compute is not clear");
  if ((*second)->comparison.agreement == op::Agreement::unknown)
    out.push_back("the model formulated it twice, with different inputs or outputs");
  return out;
}

std::string FormulationCheck::report() const {
  return (kernel ? report_of(*kernel) : std::string()) + (module ? report_of(*module) : std::string()) +
         (second ? report_of(*second) : std::string());
}

FormulationCheck check_formulation(const llm::Desk& desk, llm::Turns& models, const FormulationSource& source,
                                   const llm::Formulation& first, std::stop_token stop) {
  FormulationCheck check;
  check.lint = op::doubts(first.spec);
  if (check.lint.empty()) check.lint = op::doubts_of_values(first.spec);
  for (std::string& d : op::doubts_of_positions(first.spec)) check.lint.push_back(std::move(d));
  if (source.kind == llm::Source::kernel) {
    rpc::WorkerOptions options;
    options.profile = rpc::WorkerProfile::simt;
    rpc::Supervisor worker(options);
    check.kernel = cross_check(first.spec, source.text, worker, stop);
  }
  if (source.module)
    check.module = *source.module ? Result<SpecComparison>(check_against(first.spec, **source.module))
                                  : fail((*source.module).error());
  if (!decided(check.kernel) && !decided(check.module))
    check.second = formulated_again(desk, models, source, first.spec, stop);
  return check;
}

}  // namespace ww::explore
