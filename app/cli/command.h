// SPDX-License-Identifier: Apache-2.0
// The commands of warpwright-cli, one file each. main.cpp alone knows the argument parser.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ww::cli {

// What a script can rely on.
enum Exit : int {
  done = 0,         // accepted, or the command did what it was asked
  negative = 1,     // rejected, not understood, failed
  usage = 2,        // the command line or a file that it names is not acceptable
  environment = 3,  // something outside is missing: worker, compiler, workspace, generator
};

struct Common {
  std::string command;
  bool json = false;
  std::filesystem::path workspace;   // empty: the default one
};

struct Judging {                     // of explore and check
  std::string device = "simt", architecture;  // empty: the device's own; sm_80 for the SIMT machine, which takes any
  int seeds = 5;
  std::vector<std::string> set;      // "R=512"
};

struct ExploreArgs {
  std::string subject;               // sentence, file or op name
  Judging judging;
  std::string generator = "search";
  int budget = 24;
  double minutes = 0;
  bool budget_given = false, minutes_given = false;
  int workers = 0;
  std::filesystem::path report;
  std::string resume;                // a run's number, or "last"
};

struct CheckArgs {
  std::filesystem::path candidate;
  std::string op;                    // name or file; empty: the one that the candidate names
  Judging judging;
};

struct MeasureArgs {                 // of the commands that time and count on a GPU
  std::string op;                    // name or file; empty: the one that the candidate names
  std::string device = "cuda:0", architecture;  // empty: the device's own
  std::vector<std::string> set;      // "R=512"
  int rounds = 10, samples = 5;
};

int doctor(const Common& common);
int time(const Common& common, const std::string& candidate, const MeasureArgs& args);
int profile(const Common& common, const std::string& candidate, const MeasureArgs& args, const std::string& set);
int baseline(const Common& common, const std::string& op, const std::string& candidate, const MeasureArgs& args, bool with_torch);
int compare(const Common& common, const std::string& first, const std::string& second, const MeasureArgs& args);
int bundle_export(const Common& common, const std::filesystem::path& file, const std::string& run);
int bundle_import(const Common& common, const std::filesystem::path& file);
int spec(const Common& common, const std::string& subject);
int explore(const Common& common, const ExploreArgs& args);
int check(const Common& common, const CheckArgs& args);
int list(const Common& common, const std::string& what, const std::string& run);
int show(const Common& common, const std::string& candidate, bool with_ptx);
int diff(const Common& common, const std::string& before, const std::string& after);
int report(const Common& common, const std::string& run, const std::filesystem::path& file);

}  // namespace ww::cli
