// SPDX-License-Identifier: Apache-2.0
#include "gate/resident.h"
#include <algorithm>
#include <cmath>
#include "base/hash.h"
#include "base/log.h"
#include "gate/compare.h"
#include "evidence/verdict_json.h"
#include "op/parse.h"
#include "oracle/oracle.h"

namespace ww::gate {
namespace {

constexpr double checked_work =
    2e5;  // largest work (gate/cases.h) of a case on which the two references are held against each other
constexpr double value_part = 1e-3;  // of the bound: f64 against f64 where the bound is that of f32
constexpr double bound_part = 0.1;   // of the larger bound: sums are bounded by their partial sums, whose order differs

std::string key_of(const op::Spec& spec, const InputSet& set) {
  Hasher hasher;
  hasher.field(spec.text)
      .field(binding_to_json(set.binding))
      .field(op::distribution_name(set.distribution))
      .field(std::to_string(set.seed));
  return hasher.hex();
}

bool uses_f64(const op::Spec& spec) {
  for (const auto* params : {&spec.inputs, &spec.outputs})
    for (const op::Param& p : *params)
      if (p.dtype == DType::f64) return true;
  return false;
}

bool same_value(double host, double device, double bound, bool f64) {
  if (std::isnan(host) || std::isnan(device)) return std::isnan(host) && std::isnan(device);
  if (host == device || !std::isfinite(bound)) return true;
  if (std::isinf(host) || std::isinf(device)) return false;
  return std::abs(host - device) <= (f64 ? bound : value_part * bound);
}

bool same_bound(double host, double device, bool few_values) {
  if (host == device) return true;
  if (!std::isfinite(host) || !std::isfinite(device)) return std::isfinite(host) == std::isfinite(device);
  if (few_values && device < host)
    return true;  // it follows a sequential sum where the evaluator counts terms (oracle/product.cpp)
  return std::abs(host - device) <= bound_part * std::max(host, device);
}

}  // namespace

Status same_reference(const std::string& tensor, const op::ReferenceTensor& host, const op::ReferenceTensor& device,
                      bool f64, bool few_values) {
  const auto differs = [&](const std::string& what) {
    return fail(Code::internal, "the device's reference differs from the host's for the tensor " + tensor, what);
  };
  if (host.shape != device.shape || host.dtype != device.dtype || host.value.size() != device.value.size() ||
      host.integer.size() != device.integer.size())
    return differs("a different shape or dtype");
  const auto place = [&](std::size_t i) {
    std::string at;
    for (const std::int64_t s : subscripts(static_cast<std::int64_t>(i), host.shape))
      at += (at.empty() ? "" : ", ") + std::to_string(s);
    return "at [" + at + "]: ";
  };
  const auto bound_at = [](const op::ReferenceTensor& t, std::size_t i) { return i < t.bound.size() ? t.bound[i] : 0; };
  for (std::size_t i = 0; i < host.value.size(); ++i)
    if (!same_value(host.value[i], device.value[i], bound_at(host, i), f64))
      return differs(place(i) + std::to_string(device.value[i]) + ", expected " + std::to_string(host.value[i]));
  for (std::size_t i = 0; i < host.integer.size(); ++i)
    if (host.integer[i] != device.integer[i] && bound_at(host, i) == 0)
      return differs(place(i) + std::to_string(device.integer[i]) + ", expected " + std::to_string(host.integer[i]));
  for (std::size_t i = 0; i < std::max(host.value.size(), host.integer.size()); ++i)
    if (!same_bound(bound_at(host, i), bound_at(device, i), few_values))
      return differs(place(i) + "a bound of " + std::to_string(bound_at(device, i)) + ", expected " +
                     std::to_string(bound_at(host, i)));
  return {};
}

ResidentCache::ResidentCache(device::Device& device, compile::Compiler& compiler, std::int64_t limit_bytes)
    : device_(device),
      compiler_(compiler),
      limit_(limit_bytes > 0 ? limit_bytes : std::max<std::int64_t>(device.facts().memory / 3, 1)) {}

ResidentCache::Known& ResidentCache::known(const op::Spec& spec) { return known_[hash_hex(spec.text)]; }

Result<std::string> ResidentCache::no_reference(const op::Spec& spec, const op::Binding& binding,
                                                ReferenceCache& references, int threads, const std::stop_token& stop) {
  Known& k = known(spec);
  if (!k.no_reference) {
    std::string why;
    if (const Result<oracle::Program> program = oracle::lower_reference(spec, binding); !program) {
      why = program.error().text();
    } else if (Status s = check(spec, binding, references, threads, stop); !s) {
      if (s.error().code != Code::internal) return fail(s.error());
      why = s.error().text();
      log::warn("op " + spec.name + ": " + why);
    }
    k.no_reference = std::move(why);
  }
  return *k.no_reference;
}

Result<std::shared_ptr<const device::ResidentSet>> ResidentCache::make(const op::Spec& spec, const InputSet& set,
                                                                       bool references, const std::stop_token& stop) {
  if (set.distribution > op::Distribution::zeros)
    return fail(Code::unsupported, "the device does not generate inputs of this distribution",
                std::string(op::distribution_name(set.distribution)));
  device::SetRequest request;
  request.binding = set.binding;
  request.distribution = set.distribution;
  request.seed = set.seed;
  request.references = references;
  request.stop = stop;
  auto made = device_.make_set(spec, request, compiler_);
  if (made || made.error().code != Code::unsupported || entries_.empty()) return made;
  shrink(0);  // memory may have run out
  return device_.make_set(spec, request, compiler_);
}

Result<std::shared_ptr<const device::ResidentSet>> ResidentCache::inputs_only(const op::Spec& spec, const InputSet& set,
                                                                              std::stop_token stop) {
  return make(spec, set, false, stop);
}

Result<std::shared_ptr<const device::ResidentSet>> ResidentCache::get(const op::Spec& spec, const InputSet& set,
                                                                      ReferenceCache& references, int threads,
                                                                      std::stop_token stop) {
  const std::string key = key_of(spec, set);
  for (auto at = entries_.begin(); at != entries_.end(); ++at)
    if (at->key == key) {
      entries_.splice(entries_.begin(), entries_, at);
      ++hits_;
      return at->set;
    }
  const std::string why = WW_TRY(no_reference(spec, set.binding, references, threads, stop));
  if (!why.empty()) return fail(Code::unsupported, "the op has no reference on the device", why);
  auto made = make(spec, set, true, stop);
  if (!made) return made;
  const auto bytes = static_cast<std::int64_t>((*made)->bytes());
  if (bytes > limit_) return made;
  shrink(limit_ - bytes);
  entries_.push_front({key, *made});
  bytes_ += bytes;
  return made;
}

void ResidentCache::shrink(std::int64_t limit) {
  while (!entries_.empty() && bytes_ > limit) {
    bytes_ -= static_cast<std::int64_t>(entries_.back().set->bytes());
    entries_.pop_back();
  }
}

void ResidentCache::leave_room(double bytes) {
  const auto memory = static_cast<double>(device_.facts().memory);
  if (memory > 0) shrink(static_cast<std::int64_t>(std::max(0.0, memory - bytes)));
}

Status ResidentCache::check(const op::Spec& spec, const op::Binding& binding, ReferenceCache& references, int threads,
                            const std::stop_token& stop) {
  CaseOptions options;
  options.case_limit = checked_work;
  options.stop = stop;
  const std::vector<Case> cases = WW_TRY(references.cases(spec, binding, options));
  std::vector<std::pair<double, const Case*>> small;
  for (const Case& c : cases)
    if (const Result<double> work = case_work(spec, c.binding); work && *work <= checked_work)
      small.emplace_back(*work, &c);
  std::stable_sort(small.begin(), small.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  int done = 0;
  Error last{Code::internal, "no case of the op is small enough for the evaluator", {}};
  // The largest of the small ones, and the smallest.
  for (const std::size_t i : {std::size_t{0}, small.size() - 1}) {
    if (small.empty() || (done > 0 && i == 0)) break;
    for (const op::Distribution distribution : {op::Distribution::normal, op::Distribution::ramp}) {
      const InputSet set{small[i].second->binding, distribution, 0};
      const Result<std::shared_ptr<const Reference>> host = references.get(spec, set, threads, stop);
      if (!host) {
        if (host.error().code == Code::cancelled) return fail(host.error());
        last = host.error();
        continue;
      }
      const auto made = WW_TRY(make(spec, set, true, stop));
      for (const auto& [name, tensor] : (*host)->inputs) {
        const op::HostTensor input = WW_TRY(made->input(name));
        if (input.bytes != tensor.bytes)
          return fail(Code::internal, "the device and the host generate different inputs for the tensor " + name);
      }
      for (const auto& [name, tensor] : (*host)->outputs) {
        const op::ReferenceTensor output = WW_TRY(made->reference(name));
        if (Status s = same_reference(name, tensor, output, uses_f64(spec), distribution == op::Distribution::ramp); !s)
          return s;
      }
      ++done;
    }
  }
  if (done == 0) return fail(Code::internal, "the device's own reference could not be checked", last.text());
  return {};
}

Result<const profile::DeviceDetails*> ResidentCache::details() {
  if (!details_) {
    profile::DeviceDetails read = WW_TRY(device_.details());
    details_ = std::move(read);
  }
  return &*details_;
}

Result<const profile::Ceilings*> ResidentCache::ceilings(const std::stop_token& stop) {
  if (!ceilings_) {
    profile::Ceilings read = WW_TRY(device_.ceilings(compiler_, stop));
    ceilings_ = std::move(read);
  }
  return &*ceilings_;
}

}  // namespace ww::gate
