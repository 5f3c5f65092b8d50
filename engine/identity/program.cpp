// SPDX-License-Identifier: Apache-2.0
#include "identity/program.h"
#include <algorithm>
#include <map>
#include <set>
#include "base/hash.h"
#include "ptx/normal.h"

namespace ww::identity {
namespace {

void add_plan(Hasher& h, const candidate::Plan& plan, const std::map<std::string, std::string>& kernels) {
  std::map<std::string, std::string> temps;  // their names have no meaning: numbered in order of first use
  const auto tensor = [&](const std::string& name) {
    const bool temp = std::any_of(plan.temps.begin(), plan.temps.end(), [&](const auto& t) { return t.name == name; });
    return temp ? temps.emplace(name, "@" + std::to_string(temps.size())).first->second : name;
  };
  const auto dims = [&](const std::array<std::uint32_t, 3>& d) { h.add(d.data(), sizeof d); };
  for (const candidate::PlannedLaunch& l : plan.launches) {
    h.field("launch").field(kernels.at(l.kernel));
    dims(l.grid), dims(l.block), dims(l.cluster);
    h.add(&l.shared_bytes, sizeof l.shared_bytes)
        .add(&l.carveout, sizeof l.carveout)
        .field(l.cooperative ? "cooperative" : "");
    for (const candidate::PlannedArg& a : l.args) {
      h.field(std::to_string(static_cast<int>(a.kind)))
          .field(a.kind == candidate::PlannedArg::Kind::tensor ? tensor(a.tensor) : std::string());
      h.add(&a.integer, sizeof a.integer).add(&a.real, sizeof a.real);
    }
  }
  std::set<std::string> rest;  // in no order
  for (const candidate::PlannedTensor& t : plan.temps)
    rest.insert(tensor(t.name) + " " + std::string(dtype_name(t.dtype)) + " " + std::to_string(t.count) +
                (t.zeroed ? " zeroed" : ""));
  for (const std::string& z : plan.zeroed_outputs) rest.insert("zero " + z);
  for (const std::string& r : rest) h.field(r);
}

}  // namespace

std::string program_identity(const candidate::Candidate& c, const op::Spec& spec, const std::vector<BoundCase>& cases,
                             std::string_view ptx) {
  std::map<std::string, std::string> kernels = ptx::normalised_entries(ptx);
  for (auto& [name, text] : kernels) text = hash_hex(text);
  for (const candidate::Launch& l : c.launches)
    if (!kernels.contains(l.kernel)) return {};
  Hasher h;
  std::set<std::string> options(c.options.begin(), c.options.end());
  for (const std::string& o : options) h.field("option").field(o);
  const candidate::Tuning tuning = candidate::first_tuning(c);
  for (const BoundCase& one : cases) {
    h.field("case").field(one.name);
    const Result<bool> claimed = candidate::claims(c, spec, one.binding, tuning);
    if (!claimed) return {};
    if (!*claimed) {
      h.field("not claimed");
      continue;
    }
    const Result<candidate::Plan> plan = candidate::plan(c, spec, one.binding, tuning);
    if (!plan) return {};
    add_plan(h, *plan, kernels);
  }
  return h.hex();
}

}  // namespace ww::identity
