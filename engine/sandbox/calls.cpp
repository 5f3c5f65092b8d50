// SPDX-License-Identifier: Apache-2.0
#include "sandbox/calls.h"
#include <cerrno>
#include <unistd.h>
#include "sandbox/protections.h"

namespace ww::sandbox {
namespace {

bool allowed_for(const Call& call, const Options& options) {
  switch (call.who) {
    case Who::all: return true;
    case Who::driver: return options.device_driver;
    case Who::program: return !options.program.empty();
    case Who::no_driver: return !options.device_driver && options.program.empty();
  }
  return false;
}

int allow(scmp_filter_ctx filter, const Call& call) {
  std::array<scmp_arg_cmp, 2> when{};
  unsigned count = 0;
  for (const Argument& a : call.arguments) {
    if (a.mask == 0) continue;
    const std::uint64_t value = a.value == own_process ? static_cast<std::uint64_t>(::getpid()) : a.value;
    when[count++] = SCMP_CMP64(a.at, SCMP_CMP_MASKED_EQ, a.mask, value);
  }
  const int error = ::seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call.number, count, when.data());
  return error == -EDOM ? 0 : error;  // a call that this architecture does not have needs no rule
}

}  // namespace

Protection filter_calls(const Options& options) {
  Protection p = inactive("seccomp");
  if (sanitized) {
    p.detail = "built with sanitizers";
    return p;
  }
  // The filter of a process has one architecture, its own; calls of others (x32, 32 bit) kill it.
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!filter) {
    p.detail = "libseccomp cannot make a filter";
    return p;
  }
  int error = ::seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  if (error == 0) error = ::seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // The C library then uses clone, whose flags can be seen.
  if (error == 0) error = ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  for (const Call& call : allowed_calls)
    if (error == 0 && allowed_for(call, options)) error = allow(filter, call);
  if (error == 0) error = ::seccomp_load(filter);
  ::seccomp_release(filter);
  p.active = error == 0;
  if (!p.active)
    p.detail = why(-error);
  else if (options.device_driver)
    p.detail = "open for the GPU's driver: its ioctl commands, one local socket";
  return p;
}

}  // namespace ww::sandbox
