// SPDX-License-Identifier: Apache-2.0
// The roofline model (Williams, Waterman, Patterson: "Roofline", CACM 52(4), 2009) of a case of an op: how long its
// bytes and its operations take at the rates of a device. *modelled*: bytes and operations are counted from the spec
// (op::work_of), each input read once and each output written once. Two different questions have two different answers
// here:
//
// 1. How good is a time? Against the floor at the rates that this device was measured to reach (profile::Ceilings),
//    with the datasheet's beside.
//    Where a spec's sum can share work between its elements (a running sum, a histogram: the spec's N^2 terms are N
//    additions for any kernel), its operations are no floor, and the floor is that of the bytes.
//
// 2. Can a time be true at all? Below least_us it cannot, whatever the kernel does, so that the timing or the kernel is
//    wrong. Only what holds for every right kernel counts there, at the highest rate known (datasheet, clock times
//    lanes, or measured):
//    - bytes of inputs that cannot be skipped: not those of any() and all() (they may stop early), read only in a
//      branch or under a condition, or gathered (rows may repeat). Outputs may stay in the L2 cache: what fits there is
//      not counted. In the cold regime inputs come from memory; in the warm one as much as the cache holds may be there
//      from the replay before, which leaves bytes - L2;
//    - operations only of plain contractions (sums of products with plain subscripts, without conditions), and half of
//      them: schemes such as Strassen's save 1/8 at a level; and at the rate of the fastest unit that takes the
//      narrowest of the case's dtypes. Convolutions (Winograd, FFT) and all other formulas can be rearranged to fewer
//      operations, and have no such floor.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include "base/describe.h"
#include "base/provenance.h"
#include "base/result.h"
#include "op/spec.h"
#include "profile/measurement.h"

namespace ww::profile {

enum class Limit : std::uint8_t { unknown, memory, compute };
constexpr auto names_of(Limit) {
  return std::to_array<Enumerator<Limit>>(
      {{Limit::unknown, "unknown"}, {Limit::memory, "memory"}, {Limit::compute, "compute"}});
}

struct Roof {                                  // one set of rates, and the resulting floor; unknown values are NaN
  double bandwidth = unknown, rate = unknown;  // bytes and operations per second
  double memory_us = unknown, compute_us = unknown;
  double us = unknown;           // the larger of the known terms
  Limit limit = Limit::unknown;  // the larger term
  WW_FIELDS(Roof, (us, "the larger of the two", nullable), (limit, nullable), (memory_us, nullable),
            (compute_us, nullable), (bandwidth, "bytes per second", nullable),
            (rate, "operations per second", nullable))
};

struct Roofline {
  static constexpr std::string_view described_as = "ROOFLINE";
  double flops = 0, special = 0, bytes_read = 0, bytes_written = 0;
  double intensity = 0;      // operations per byte
  std::string unit;          // that `rate` is for: "f32", "bf16", … (names of Ceilings::matrix_rate)
  bool shares_work = false;  // operations of the spec are no floor (see above); compute_us is then unknown
  Roof measured, datasheet;
  double least_cold_us = 0, least_warm_us = 0;  // 0: no lower bound
  std::string least_why;                        // the larger term: "134 MB at 4.92 TB/s"
  double least_us(Cache cache) const { return cache == Cache::cold ? least_cold_us : least_warm_us; }
  Provenance provenance() const { return Provenance::modelled; }
  WW_FIELDS(Roofline, provenance, flops, bytes_read, bytes_written, (intensity, "operations per byte"),
            (unit, "that `rate` belongs to: `f32`, `bf16`"),
            (shares_work, "the spec's operations are no floor: `compute_us` is then null"),
            (measured, "by rates measured on the device"), (datasheet, "by the vendor's rates"),
            (least_cold_us, "below which a time cannot be true; 0: no statement"), least_warm_us, least_why)
};
Result<Roofline> roofline(const op::Spec& spec, const op::Binding& binding, const DeviceDetails& details,
                          const Ceilings& ceilings);

struct Achieved {
  double bandwidth = unknown, rate = unknown;  // of the spec's bytes and operations in the measured time, per second
  double fraction = unknown;  // floor over time, by the measured roof (the datasheet's if nothing was measured)
  bool impossible = false;
  std::string why;  // if impossible: one sentence
};
Achieved achieved(const Roofline& roofline, Cache cache, double us);

}  // namespace ww::profile
