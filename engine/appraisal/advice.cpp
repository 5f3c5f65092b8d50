// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include "appraisal/advice.h"
#include "gate/measure.h"
#include "op/evaluate.h"

namespace ww::appraisal {
namespace {
using profile::Named;

// Operations of expf as NVRTC 13 compiles it, beside ex2: four fma, an add, a multiplication.
constexpr double flops_of_special = 10;

int multiprocessors_of(const RunContext& g) {
  if (g.details && g.details->multiprocessors > 0) return g.details->multiprocessors;
  return !g.details && g.modelled ? g.modelled->multiprocessors : 0;
}

void add_plan(const RunContext& g, const store::CandidateRecord& c, profile::AdviceInput& in) {
  const std::vector<profile::LaunchUse> uses = uses_of(g, c);
  if (uses.empty()) return;
  const auto add = [&](const char* name, double value) { in.values.emplace_back(name, value); };
  double blocks = 0, warps = 0, threads = 0, most = 0;
  const profile::LaunchUse
      *tightest = nullptr,
      *largest = nullptr;  // of several launches the one that fills the machine least, and the one with most blocks
  for (const profile::LaunchUse& use : uses) {
    const double n = static_cast<double>(use.launch.grid[0]) * use.launch.grid[1] * use.launch.grid[2];
    blocks += n;
    warps += n * ((use.shape.block_threads + 31) / 32);
    threads += n * use.shape.block_threads;
    if (n > most) most = n, largest = &use;
    if (use.occupancy && use.occupancy->blocks > 0 &&
        (!tightest || use.occupancy->fraction < tightest->occupancy->fraction))
      tightest = &use;
  }
  add("plan_launches", static_cast<double>(uses.size()));
  add("plan_blocks", blocks);
  add("plan_warps", warps);
  add("plan_threads", threads);
  if (tightest) {
    add("occupancy", tightest->occupancy->fraction);
    add("registers", tightest->resources->registers);
    add("spill_bytes", static_cast<double>(tightest->resources->spill_stores + tightest->resources->spill_loads));
    add("block_threads", tightest->shape.block_threads);
    in.limiter = tightest->occupancy->limiter;
  }
  add("plan_most_blocks", most);
  const int multiprocessors = multiprocessors_of(g);
  if (multiprocessors <= 0) return;
  add("multiprocessors", multiprocessors);
  in.gpu = g.details && !g.details->gpu.empty() ? g.details->gpu : g.modelled ? g.modelled->gpu : std::string();
  if (!largest || !largest->occupancy || largest->occupancy->blocks <= 0) return;
  const double waves = most / (static_cast<double>(largest->occupancy->blocks) * multiprocessors);
  add("waves", waves);
  add("tail_waste", 1 - waves / std::ceil(waves));
}

Named& line_of(profile::AdviceInput& in, int line) {
  for (auto& [number, values] : in.lines)
    if (number == line) return values;
  return in.lines.emplace_back(line, Named()).second;
}

void add_samples(const profile::CounterReport& counters, profile::AdviceInput& in) {
  for (const profile::KernelCounters& k : counters.kernels)
    for (const profile::StallSamples& s : k.lines) {
      Named& values = line_of(in, s.line);
      for (const auto& [reason, samples] : s.reasons) {
        const std::string name = "stall." + reason;
        const auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == name; });
        if (at == values.end())
          values.emplace_back(name, static_cast<double>(samples));
        else
          at->second += static_cast<double>(samples);
      }
    }
}

}  // namespace

std::vector<profile::LaunchUse> uses_of(const RunContext& g, const store::CandidateRecord& c) {
  const Result<candidate::Candidate> parsed = candidate::parse(c.text, c.language);
  if (!parsed) return {};
  const Result<candidate::Plan> plan = candidate::plan(*parsed, g.spec, g.binding, candidate::first_tuning(*parsed));
  const Result<profile::DeviceLimits> limits =
      profile::device_limits(!g.details && g.modelled ? g.modelled->architecture : g.architecture);
  if (!plan) return {};
  return profile::launches_of(*plan, c.resources, limits ? &*limits : nullptr);
}

profile::AdviceInput advice_input(const RunContext& g, const store::CandidateRecord& c,
                                  const profile::CounterReport* counters) {
  profile::AdviceInput in;
  in.text = c.text;
  if (c.verdict && c.verdict->metrics && (!counters || c.verdict->metrics->provenance == Provenance::measured)) {
    const evidence::Metrics& m = *c.verdict->metrics;
    in.provenance = m.provenance;
    in.values = m.values;
    if (m.floor) in.values.emplace_back("floor_us", m.floor->us);
    if (m.provenance == Provenance::simulated)
      if (const Result<Cost> cost = simulated_cost(g.rules, m, g.architecture); cost && cost->total > 0) {
        in.values.emplace_back("simulated_cost", cost->total);
        for (const CostPart& p : cost->parts) in.shares.emplace_back(p.group, p.cost / cost->total);
      }
    for (const evidence::LineCount& l : m.lines) {
      in.lines.push_back({l.line,
                          {{"warp_instructions", static_cast<double>(l.warp_instructions)},
                           {"thread_instructions", static_cast<double>(l.thread_instructions)},
                           {"global_sectors", static_cast<double>(l.global_sectors)},
                           {"shared_wavefronts", static_cast<double>(l.shared_wavefronts)},
                           {"bank_conflicts", static_cast<double>(l.bank_conflicts)},
                           {"divergent_branches", static_cast<double>(l.divergent_branches)}}});
      const auto add_moved = [&](const char* sectors, const char* wasted, std::uint64_t moved, std::uint64_t asked) {
        Named& values = in.lines.back().second;
        if (moved > 0) values.emplace_back(sectors, static_cast<double>(moved));
        if (asked > 0)
          values.emplace_back(wasted, std::max(0.0, static_cast<double>(moved) - static_cast<double>(asked) / 32));
      };
      add_moved("global_load_sectors", "wasted_load_sectors", l.global_load_sectors, l.global_load_bytes);
      add_moved("global_store_sectors", "wasted_store_sectors", l.global_store_sectors, l.global_store_bytes);
    }
  }
  if (counters) {
    in.provenance = Provenance::measured;
    for (const auto& [name, value] :
         gate::plan_counters(*counters))  // lookup finds the first entry, so those of the verdict come first
      in.values.emplace_back(name, value);
    add_samples(*counters, in);
  }
  if (in.provenance == Provenance::unknown) return in;
  add_plan(g, c, in);
  if (const Result<op::Work> work = op::work_of(g.spec, g.binding)) {
    in.values.emplace_back("op_flops", work->flops);
    in.values.emplace_back("op_special_flops", flops_of_special * work->special);
    in.values.emplace_back("op_bytes_read", work->bytes_read);
    in.values.emplace_back("op_bytes_written", work->bytes_written);
    if (const double bytes = work->bytes_read + work->bytes_written; bytes > 0)
      in.values.emplace_back("op_intensity", work->flops / bytes);
  }
  return in;
}

std::vector<profile::Advice> advice_of(const RunContext& g, const store::CandidateRecord& c,
                                       const profile::CounterReport* counters) {
  if (!g.advice) return {};
  const bool known = c.verdict && c.verdict->metrics;
  std::vector<profile::Advice> list;
  if (known) list = g.advice->advise(advice_input(g, c));
  if (!counters || counters->kernels.empty()) return list;
  for (profile::Advice& a : g.advice->advise(advice_input(g, c, counters))) {
    const auto same =
        std::find_if(list.begin(), list.end(), [&](const profile::Advice& old) { return old.id == a.id; });
    if (same == list.end())
      list.push_back(std::move(a));
    else
      *same = std::move(a);  // measured, and with the lines of the samples
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const profile::Advice& a, const profile::Advice& b) { return a.gain > b.gain; });
  return list;
}

}  // namespace ww::appraisal
