// SPDX-License-Identifier: Apache-2.0
// Input sets in device memory, cached for the next candidate of the same op, with cached facts of the device.
#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include "base/result.h"
#include "compile/compile.h"
#include "device/device.h"
#include "gate/reference.h"
#include "profile/measurement.h"

namespace ww::gate {

// Work of a case (gate/cases.h). Above host_work, a device that generates sets evaluates the reference if it can; the
// host evaluates a default case of up to host_default_work.
inline constexpr double host_work = 3e6, host_default_work = 1e9;

class ResidentCache {  // for one device with facts().makes_sets; not thread-safe; must not outlive the device
 public:
  // Evicts the least recently used. limit_bytes 0: a third of the device's memory.
  ResidentCache(device::Device& device, compile::Compiler& compiler, std::int64_t limit_bytes = 0);

  // Before the first set of a spec, its reference on the device is compared with op::evaluate on small cases (inputs
  // bit for bit, values, bounds). Code::unsupported: not enough memory, with the numbers, or the reason from
  // no_reference.
  Result<std::shared_ptr<const device::ResidentSet>> get(const op::Spec& spec, const InputSet& set,
                                                         ReferenceCache& references, int threads, std::stop_token stop);
  // Only inputs, unchecked and not cached.
  Result<std::shared_ptr<const device::ResidentSet>> inputs_only(const op::Spec& spec, const InputSet& set,
                                                                 std::stop_token stop);
  // Why the spec has no trustworthy reference on the device (it cannot be lowered, or disagrees with the evaluator);
  // empty: it has one.
  Result<std::string> no_reference(const op::Spec& spec, const op::Binding& binding, ReferenceCache& references,
                                   int threads, const std::stop_token& stop);

  Result<const profile::DeviceDetails*> details();                         // read once
  Result<const profile::Ceilings*> ceilings(const std::stop_token& stop);  // read or measured once
  void leave_room(double bytes);  // of device memory for others, by evicting sets
  std::int64_t bytes() const { return bytes_; }
  std::size_t hits() const { return hits_; }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const device::ResidentSet> set;
  };
  struct Known {  // facts of one spec, by its text's hash
    std::optional<std::string> no_reference;
  };
  Status check(const op::Spec& spec, const op::Binding& binding, ReferenceCache& references, int threads,
               const std::stop_token& stop);
  Result<std::shared_ptr<const device::ResidentSet>> make(const op::Spec& spec, const InputSet& set, bool references,
                                                          const std::stop_token& stop);
  Known& known(const op::Spec& spec);
  void shrink(std::int64_t limit);

  device::Device& device_;
  compile::Compiler& compiler_;
  const std::int64_t limit_;
  std::list<Entry> entries_;  // most recent first
  std::int64_t bytes_ = 0;
  std::size_t hits_ = 0;
  std::map<std::string, Known> known_;
  std::optional<profile::DeviceDetails> details_;
  std::optional<profile::Ceilings> ceilings_;
};

// Checks the device's reference against the evaluator's. Values must agree within a small part of the bound (both are
// f64; within the bound if the op itself computes in f64), bounds within a tenth; for inputs with few distinct values
// (ramp) the device's bound may be any part of the evaluator's. Code::internal names the first mismatch.
Status same_reference(const std::string& tensor, const op::ReferenceTensor& host, const op::ReferenceTensor& device,
                      bool f64, bool few_values = false);

}  // namespace ww::gate
