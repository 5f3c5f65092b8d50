// SPDX-License-Identifier: Apache-2.0
// A kernel's fault, located in the candidate's text: one type for all devices, the gate and the store.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include "base/describe.h"

namespace ww {

enum class FaultKind : std::uint8_t {
  unknown,  // a stored kind that this build does not know
  out_of_bounds,
  misaligned,
  uninitialised_read,
  read_only_write,
  null_pointer,
  barrier_divergence,
  deadlock,
  budget_exceeded,  // of instructions or time; the kernel may never end
  trap,
  assertion,
  stack_overflow,
  invalid_instruction,
  double_free,
  out_of_memory,
  race,
  unsupported,  // the device cannot execute it; says nothing about the candidate
  launch_refused,
  input_changed,
  failed_while_timed,
  unbounded_error,  // of too many elements of an output: nothing is known of them
  device_error,     // one without a kind of its own here
  device_lost,      // not the candidate's fault
  crash,            // of the worker
  timeout,          // of the worker's request
  corrupt_reply,    // of the worker
  killed,           // the worker, twice, by another program
  memory_limit,     // of the worker
  processor_limit,
};
constexpr auto names_of(FaultKind) {
  using enum FaultKind;
  return std::to_array<Enumerator<FaultKind>>({{unknown, "unknown"},
                                               {out_of_bounds, "out of bounds"},
                                               {misaligned, "misaligned"},
                                               {uninitialised_read, "uninitialised read"},
                                               {read_only_write, "write to read-only memory"},
                                               {null_pointer, "null pointer"},
                                               {barrier_divergence, "barrier divergence"},
                                               {deadlock, "deadlock"},
                                               {budget_exceeded, "out of budget"},
                                               {trap, "trap"},
                                               {assertion, "assertion"},
                                               {stack_overflow, "stack overflow"},
                                               {invalid_instruction, "invalid instruction"},
                                               {double_free, "double free"},
                                               {out_of_memory, "out of memory"},
                                               {race, "race"},
                                               {unsupported, "unsupported"},
                                               {launch_refused, "launch refused"},
                                               {input_changed, "input changed"},
                                               {failed_while_timed, "failed while timed"},
                                               {unbounded_error, "error not bounded"},
                                               {device_error, "device error"},
                                               {device_lost, "device lost"},
                                               {crash, "crash"},
                                               {timeout, "timeout"},
                                               {corrupt_reply, "corrupt reply"},
                                               {killed, "killed"},
                                               {memory_limit, "memory limit"},
                                               {processor_limit, "processor time limit"}});
}

// Whether the kind proves the candidate wrong. An exhausted budget or an environment fault does not.
constexpr bool decides(FaultKind kind) {
  switch (kind) {
    case FaultKind::unsupported:
    case FaultKind::budget_exceeded:
    case FaultKind::unbounded_error:
    case FaultKind::out_of_memory:
    case FaultKind::device_lost:
    case FaultKind::timeout:
    case FaultKind::killed:
    case FaultKind::memory_limit:
    case FaultKind::processor_limit: return false;
    default: return true;
  }
}
// How a judgement ended, for ends that only the worker's supervisor can see.
constexpr bool is_of_supervisor(FaultKind kind) { return kind == FaultKind::crash || kind >= FaultKind::timeout; }

struct Fault {
  static constexpr std::string_view described_as = "FAULT";
  FaultKind kind = FaultKind::unknown;
  std::string message;  // one plain sentence
  std::string kernel;
  int line = 0;  // in the candidate's text; 0: unknown
  std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  std::uint64_t address = 0;
  std::string buffer;       // the tensor that contains the address or is nearest to it
  std::int64_t offset = 0;  // bytes from the start of that buffer; negative: before it

  WW_FIELDS(Fault, kind, message, kernel, (line, "of the candidate's text; 0: unknown"), block, thread, address,
            (buffer, "the tensor it belongs to or lies nearest to"), (offset, "bytes from that buffer's start"))
};

}  // namespace ww
