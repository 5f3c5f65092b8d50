// SPDX-License-Identifier: Apache-2.0
#include "explore/cross_check.h"
#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include "candidate/bare_kernel.h"
#include "candidate/candidate.h"
#include "explore/far_sizes.h"
#include "op/effects.h"
#include "op/mutate.h"
#include "op/parse.h"
#include "op/stray_subscripts.h"
#include "op/transform.h"

namespace ww::explore {
namespace {

constexpr std::array compared_on{op::Distribution::normal, op::Distribution::uniform, op::Distribution::positive,
                                 op::Distribution::large,  op::Distribution::ramp,    op::Distribution::constant};

// With the inputs in this order; empty: their shapes do not fit.
std::optional<SpecComparison> compared(const op::Spec& a, const op::Spec& b, const std::vector<std::size_t>& order) {
  const op::Binding mine = op::small_sizes(a);
  const std::optional<op::Shapes> shapes = op::shapes_at(a, mine);
  if (!shapes || shapes->size() != order.size()) return std::nullopt;
  op::Shapes theirs(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) theirs[order[i]] = (*shapes)[i];
  const std::optional<op::Binding> binding = op::binding_of_count(b, theirs, mine);
  if (!binding) return std::nullopt;
  SpecComparison out;
  for (const op::Distribution d : compared_on) {
    ++out.sets;
    const std::string difference = op::result_difference(a, mine, b, *binding, order, d);
    if (difference.empty()) continue;
    out.agreement = op::Agreement::different;
    out.difference = "on " + std::string(op::distribution_name(d)) + " inputs: " + difference;
    return out;
  }
  out.agreement = op::Agreement::same;
  return out;
}

// The inputs of `b` that are named as those of `a`; empty: they have other names.
std::vector<std::size_t> order_of_names(const op::Spec& a, const op::Spec& b) {
  std::vector<std::size_t> order;
  for (const op::Param& p : a.inputs) {
    const auto at = std::ranges::find(b.inputs, p.name, &op::Param::name);
    if (at == b.inputs.end()) return {};
    order.push_back(static_cast<std::size_t>(at - b.inputs.begin()));
  }
  return order;
}

// A spec without the limits on its inputs' values; `limited`: the inputs that had some.
struct Wide {
  op::Spec spec;
  std::vector<std::string> limited;
};
Wide wide_of(const op::Spec& spec) {
  Result<op::Spec> wide = op::widened(spec);
  if (!wide) return {spec, {}};
  std::vector<std::string> limited;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i)
    if (op::print(spec.inputs[i]) != op::print(wide->inputs[i])) limited.push_back(spec.inputs[i].name);
  return {std::move(*wide), std::move(limited)};
}

std::string unseen_part(const std::string& before, const std::string& after) {
  return "'" + before + "' as well as '" + after + "'";
}

// Into a CrossCheck or a SpecComparison.
template <class Check>
void add_without_effect(const op::Spec& spec, const std::vector<op::Binding>& tried, Check& check) {
  const auto parts = op::without_effect(spec, tried);
  check.unexamined = !parts;
  if (!parts) return;
  for (const op::Replaceable& part : *parts) check.unseen.push_back(unseen_part(part.before, part.after));
}

void add_unseen(const op::Spec& spec, CrossCheck& check) {
  const evidence::Verdict& verdict = check.verdict;
  if (verdict.ruling() != evidence::Ruling::accepted) return;
  std::vector<op::Binding> tried;
  for (const evidence::CaseCoverage& c : verdict.coverage)
    if (c.seeds > 0) tried.push_back(c.binding);
  add_without_effect(spec, tried, check);
  if (!verdict.proof.mutants) return;
  const evidence::MutantCounts& mutants = *verdict.proof.mutants;
  for (const evidence::Survivor& s : mutants.survivors)
    if (s.kind == op::Mutation::dropped) check.unseen.push_back(unseen_part(s.before, s.after));
  check.unexamined = check.unexamined || mutants.unlisted() > mutants.undefined;
}

// Numbers of the candidate's text in lines of which a judgement knows that a condition came out the same in all cases.
std::vector<candidate::ComparedLiteral> untried_in(const evidence::Verdict& verdict,
                                                   std::vector<candidate::ComparedLiteral> literals) {
  const evidence::Proof& proof = verdict.proof;
  std::erase_if(literals, [&](const candidate::ComparedLiteral& l) {
    const bool missed =
        proof.reach && std::ranges::find(proof.reach->missed, l.line, &ptx::Missed::line) != proof.reach->missed.end();
    const bool size =
        proof.branches && std::ranges::find(proof.branches->untried, l.line) != proof.branches->untried.end();
    return !missed && !size;
  });
  return literals;
}

// Beyond the numbers that were not tried. A rejection there is the verdict.
Status judge_beyond(const op::Spec& spec, rpc::GateRequest request, rpc::Supervisor& worker,
                    const std::stop_token& stop, CrossCheck& out) {
  constexpr int most_judgements = 6;
  int judged = 0;
  std::set<std::int64_t> tried;
  for (const candidate::ComparedLiteral& literal : std::vector(out.untried)) {
    if (!tried.insert(literal.value).second || std::ranges::find(out.untried, literal) == out.untried.end()) continue;
    for (const op::Binding& sizes : sizes_beyond(spec, literal.value)) {
      if (++judged > most_judgements) return {};
      request.binding = sizes;
      evidence::Verdict verdict = WW_TRY(worker.gate(request, stop));
      if (verdict.ruling() == evidence::Ruling::not_judged) continue;
      if (verdict.ruling() == evidence::Ruling::rejected) {
        out.verdict = std::move(verdict);
        out.untried.clear();
        return {};
      }
      out.untried = untried_in(verdict, std::move(out.untried));
    }
  }
  return {};
}

// Inputs whose values the spec limits, although the kernel handles others as subscripts without leaving its tensors.
Result<std::vector<std::string>> handled_beyond(const op::Spec& spec, rpc::GateRequest request,
                                                const std::vector<candidate::ComparedLiteral>& literals,
                                                rpc::Supervisor& worker, const std::stop_token& stop) {
  std::vector<std::int64_t> negative;
  for (const candidate::ComparedLiteral& l : literals)
    if (l.value < 0 && negative.size() < 2 && std::ranges::find(negative, l.value) == negative.end())
      negative.push_back(l.value);
  std::vector<std::string> handled;
  for (const op::StraySubscripts& stray : op::stray_subscripts(spec, negative)) {
    if (std::ranges::find(handled, stray.input) != handled.end()) continue;
    request.spec = stray.spec.text;
    const evidence::Verdict verdict = WW_TRY(worker.gate(request, stop));
    const evidence::Ruling ruling = verdict.ruling();
    const bool wrong = ruling == evidence::Ruling::rejected && verdict.last_fault() == FaultKind::unknown;
    if (wrong || (ruling == evidence::Ruling::accepted && !stray.within)) handled.push_back(stray.input);
  }
  return handled;
}

// What an acceptance leaves open.
Status add_gaps(const op::Spec& spec, const rpc::GateRequest& request, rpc::Supervisor& worker,
                const std::stop_token& stop, int lines_above, CrossCheck& out) {
  add_unseen(spec, out);
  if (out.verdict.ruling() != evidence::Ruling::accepted) return {};
  const std::vector<candidate::ComparedLiteral> literals = candidate::compared_literals(request.candidate);
  out.untried = untried_in(out.verdict, literals);
  rpc::GateRequest further = request;
  further.measure = false;
  further.seeds = 2;
  WW_TRY(judge_beyond(spec, further, worker, stop, out));
  for (candidate::ComparedLiteral& l : out.untried) l.line -= lines_above;
  if (out.verdict.ruling() != evidence::Ruling::accepted) return {};
  for (std::string& input : WW_TRY(handled_beyond(spec, further, literals, worker, stop)))
    if (std::ranges::find(out.narrowed, input) == out.narrowed.end()) out.narrowed.push_back(std::move(input));
  return {};
}

// The kernel with a launch plan: its own, else the one that its signature suggests.
Result<std::string> planned(const op::Spec& spec, const std::string& kernel, bool& guessed) {
  if (const auto own = candidate::parse(kernel, candidate::Language::cuda); own && !own->launches.empty())
    return kernel;
  const std::vector<candidate::BareKernel> kernels = candidate::bare_kernels(kernel);
  if (kernels.size() != 1)
    return fail(Code::not_found, "the source has " + std::to_string(kernels.size()) +
                                     " kernels; only a single one can be compared with the spec");
  candidate::SuggestedLaunch launch = candidate::suggest_launch(kernels[0], kernel, spec);
  if (launch.block.text.empty()) launch.block = {"256", candidate::Source::guessed};  // it asks for its own size
  if (const std::size_t at = launch.grid.text.find('?'); at != std::string::npos) {
    launch.grid.text.replace(at, 1, launch.block.text);
    launch.grid.source = candidate::Source::guessed;
  }
  if (!launch.complete())
    return fail(Code::not_found, "the launch of '" + kernels[0].name + "' cannot be derived from its signature");
  const auto is_guess = [](const candidate::Suggested& s) { return s.source == candidate::Source::guessed; };
  guessed = is_guess(launch.grid) || is_guess(launch.block) || is_guess(launch.shared) ||
            std::any_of(launch.args.begin(), launch.args.end(), is_guess);
  return candidate::with_plan_lines(kernel, spec, kernels[0], launch);
}

}  // namespace

Result<CrossCheck> cross_check(const op::Spec& spec, const std::string& kernel, rpc::Supervisor& worker,
                               std::stop_token stop) {
  CrossCheck out;
  rpc::GateRequest request;
  request.candidate = WW_TRY(planned(spec, kernel, out.guessed));
  out.ignored_plan = kernel.find("//@ launch") != kernel.npos && kernel.find("//@ candidate") == kernel.npos;
  const auto lines_above =
      static_cast<int>(std::ranges::count(request.candidate, '\n') - std::ranges::count(kernel, '\n'));
  const Wide wide = wide_of(spec);
  if (!wide.limited.empty()) {
    request.spec = wide.spec.text;
    out.verdict = WW_TRY(worker.gate(request, stop));
    if (out.verdict.ruling() == evidence::Ruling::accepted) {
      WW_TRY(add_gaps(wide.spec, request, worker, stop, lines_above, out));
      return out;
    }
  }
  request.spec = spec.text;
  out.verdict = WW_TRY(worker.gate(request, stop));
  if (out.verdict.ruling() == evidence::Ruling::accepted) out.narrowed = wide.limited;
  WW_TRY(add_gaps(spec, request, worker, stop, lines_above, out));
  return out;
}

SpecComparison compare_specs(const op::Spec& a, const op::Spec& b) {
  SpecComparison out;
  const Result<op::Spec> x = op::with_dtype(a, DType::f32), y = op::with_dtype(b, DType::f32);
  if (!x || !y) return out;
  out.agreement = op::agreement(*x, *y);
  if (out.agreement == op::Agreement::untried || x->inputs.size() != y->inputs.size()) return out;
  if (const std::vector<std::size_t> named = order_of_names(*x, *y); !named.empty())
    return compared(*x, *y, named).value_or(out);
  if (out.agreement == op::Agreement::unknown) return out;
  std::vector<std::size_t> order(x->inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::optional<SpecComparison> first;  // in an order that fits
  do {
    const std::optional<SpecComparison> one = compared(*x, *y, order);
    if (one && one->agreement == op::Agreement::same) return *one;
    if (one && !first) first = one;
  } while (std::next_permutation(order.begin(), order.end()));
  return first.value_or(out);
}

SpecComparison check_against(const op::Spec& spec, const op::Spec& source) {
  const Wide wide = wide_of(spec);
  SpecComparison out = compare_specs(wide.spec, source);
  if (out.agreement != op::Agreement::same && !wide.limited.empty()) {
    out = compare_specs(spec, source);
    if (out.agreement == op::Agreement::same) out.narrowed = wide.limited;
  }
  if (out.agreement != op::Agreement::same) return out;
  for (const op::Mutant& m : op::mutants_of(wide.spec))
    if (m.kind == op::Mutation::dropped && compare_specs(m.spec, source).agreement == op::Agreement::same)
      out.unseen.push_back(unseen_part(m.before, m.after));
  if (const Result<op::Spec> as_compared = op::with_dtype(wide.spec, DType::f32))
    add_without_effect(*as_compared, {op::small_sizes(*as_compared)}, out);
  return out;
}

}  // namespace ww::explore
