// SPDX-License-Identifier: Apache-2.0
// Arguments of warpwright-cli's commands, without the argument parser.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>
#include "generator/run_options.h"

namespace ww::cli {

// Exit codes, which scripts can rely on.
enum Exit : int {
  done = 0,         // accepted, or completed
  negative = 1,     // rejected, not understood, or failed
  usage = 2,        // invalid command line, or an invalid file named on it
  environment = 3,  // missing worker, compiler, workspace or generator
  unknown_key = 4,  // a receipt is genuine, but a signing key is not known under the signer's name
  revoked_key = 5,  // a receipt is genuine, but a signing key has been revoked
  not_judged = 6,   // neither accepted nor rejected: unsupported, out of budget, timed out, killed
  stopped = 130,    // by Ctrl-C, as a shell reports it; what was stored is kept
};

struct Common {
  std::string command;
  bool json = false;
  std::string format;               // of commands with records: "text", "json" (also sets `json`), "csv", "markdown"
  std::filesystem::path workspace;  // empty: the default one
};

struct RunArgs {                  // generator::RunOptions as flags, and other arguments of commands with such flags
  generator::RunOptions options;  // empty architecture: the device's own; sm_80 for the SIMT machine
  std::vector<std::string> set;   // "R=512"
  std::vector<std::string> allow_hosts;
  std::set<std::string, std::less<>> given;  // flags: "--budget"
  RunArgs() { options.architecture.clear(); }
};

struct ExploreArgs {
  std::string subject;  // sentence, file or op name
  RunArgs run;
  std::filesystem::path report;
  std::string resume;              // a run's number, or "last"
  std::vector<std::string> sweep;  // "R=64,512"
};

struct CampaignArgs {
  std::vector<std::string> shares;  // "softmax=0.6"
  ExploreArgs explore;              // its subject and report stay empty; resume: a campaign's number, or "last"
  int slice = 4;                    // candidates per slice
};

struct CheckArgs {
  std::filesystem::path candidate;
  std::string op;  // name or file; empty: the candidate's
  std::string secret;
  bool show_wrong = false;
  std::filesystem::path repro;  // a file for the failure; empty: none is written
  RunArgs run;
};

struct MeasureArgs {                            // of the commands that time and count on a GPU
  std::string op;                               // name or file; empty: the candidate's
  std::string device = "cuda:0", architecture;  // empty: the device's own
  std::vector<std::string> set;                 // "R=512"
  int rounds = 10, samples = 5;
};

Result<int> time(const Common& common, const std::string& candidate, const MeasureArgs& args);
Result<int> profile(const Common& common, const std::string& candidate, const MeasureArgs& args,
                    const std::string& set);
Result<int> baseline(const Common& common, const std::string& op, const std::string& candidate, const MeasureArgs& args,
                     bool with_torch);
Result<int> compare(const Common& common, const std::string& first, const std::string& second, const MeasureArgs& args);

}  // namespace ww::cli
