// SPDX-License-Identifier: Apache-2.0
// A moment of a stepped launch as a file, so that others see the same: what is stepped through, where, and the state's
// fingerprint. It needs no workspace; whoever opens it runs the kernel again, in the worker.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "stepping/subject.h"

namespace ww::stepping {

inline constexpr const char* moment_suffix = ".wwmoment";

struct Moment {
  static constexpr std::string_view described_as = "MOMENT";
  int version = 1;
  std::string title, workspace, hash;  // told only: the folder's name, and the candidate's hash; may be empty
  std::string spec, candidate;         // texts
  candidate::Language language = candidate::Language::cuda;
  op::Binding binding;  // whole
  op::Distribution distribution = op::Distribution::normal;
  std::uint64_t seed = 1;
  int launch = 0;
  bool debug = false;
  std::vector<std::int64_t> block;  // empty: all
  std::int64_t position = 0;
  int warp = -1, lane = 0;
  std::string state;  // fingerprint; empty: not known
  WW_FIELDS(Moment, (version, "of this format: 1"), (title, "of the candidate", sparse),
            (workspace, "where it was made: the folder's name", sparse), (hash, "of the candidate", sparse),
            (spec, "the op spec's text"), (candidate, "its text"), (language, defaulted),
            (binding, "sizes and constants of the case"), (distribution, "of the inputs", defaulted),
            (seed, "of the inputs", defaulted), (launch, "of the plan, from 0", defaulted),
            (debug, "the code is not optimised, and its variables have names", defaulted),
            (block, "that is stepped through; empty: all", defaulted), (position, "steps that have run"),
            (warp, "that is shown; -1: the last step's", defaulted), (lane, "that is marked", defaulted),
            (state, "the state's fingerprint", sparse))
  SteppedLaunch subject() const;
  void set_subject(const SteppedLaunch& subject);
};

Status write_moment(const std::filesystem::path& file, const Moment& moment);
// Code::corrupt: no moment, one of a later version, or one with numbers that cannot be.
Result<Moment> read_moment(const std::filesystem::path& file);

}  // namespace ww::stepping
