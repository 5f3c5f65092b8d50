// SPDX-License-Identifier: Apache-2.0
// Input sets in a device's own memory, kept for the next candidate of the same op, with cached facts of that device.
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

// Work of a case (gate/cases.h). Above host_work, a device that makes sets evaluates the reference, where it can; the
// host evaluates a default case up to host_default_work.
inline constexpr double host_work = 3e6, host_default_work = 1e9;

class ResidentCache {  // of one device whose facts().makes_sets; one thread at a time; must not outlive the device
 public:
  // Least recently used sets go first. limit_bytes 0: a third of the device's memory.
  ResidentCache(device::Device& device, compile::Compiler& compiler, std::int64_t limit_bytes = 0);

  // Before the first set of a spec its reference on the device is held against op::evaluate on small cases (inputs bit
  // for bit, values, bounds). Code::unsupported: no room, with the numbers, or no_reference, with its reason.
  Result<std::shared_ptr<const device::ResidentSet>> get(const op::Spec& spec, const InputSet& set,
                                                         ReferenceCache& references, int threads, std::stop_token stop);
  // Inputs alone, checked against nothing and not kept.
  Result<std::shared_ptr<const device::ResidentSet>> inputs_only(const op::Spec& spec, const InputSet& set,
                                                                 std::stop_token stop);
  // Why the spec has no reference on the device that can be believed (it cannot be lowered, or disagrees with the
  // evaluator); empty: it has one.
  Result<std::string> no_reference(const op::Spec& spec, const op::Binding& binding, ReferenceCache& references,
                                   int threads, const std::stop_token& stop);

  Result<const profile::DeviceDetails*> details();                         // read once
  Result<const profile::Ceilings*> ceilings(const std::stop_token& stop);  // read or measured once
  void leave_room(double bytes);  // of the device's memory for others: lets sets go
  std::int64_t bytes() const { return bytes_; }
  std::size_t hits() const { return hits_; }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const device::ResidentSet> set;
  };
  struct Known {  // of one spec, by its text's hash
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

// Checks the device's reference against the evaluator's. Values within a small part of the bound (both are f64; a whole
// bound where the op itself computes in f64), bounds within a tenth; of inputs with few distinct values (ramp) the
// device's bound may be any part of the evaluator's. Code::internal names the first element that does not.
Status same_reference(const std::string& tensor, const op::ReferenceTensor& host, const op::ReferenceTensor& device,
                      bool f64, bool few_values = false);

}  // namespace ww::gate
