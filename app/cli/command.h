// SPDX-License-Identifier: Apache-2.0
// What the commands of warpwright-cli are asked, without the parser of arguments.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
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
  std::filesystem::path workspace;  // empty: the default one
};

struct Judging {                              // of explore and check
  std::string device = "simt", architecture;  // empty: the device's own; sm_80 for the SIMT machine, which takes any
  int seeds = 5;
  std::vector<std::string> set;  // "R=512"
};

struct ModelArgs {    // of the commands that ask models. A key is no argument: keys come from the environment
  std::string model;  // "PRESET:MODEL"
  std::string effort;
  std::optional<double> temperature;
  std::int64_t seed = 0, tokens = 0;  // tokens: limit, 0: none
  double money = 0;                   // limit in US dollars, 0: none
  std::int64_t output_tokens = 16384, prompt_tokens = 24000;
  bool no_sources = false, no_device_name = false;
  std::vector<std::string> allow_hosts;
};

struct ExploreArgs {
  std::string subject;  // sentence, file or op name
  Judging judging;
  std::string generator = "search";
  int budget = 24;
  double minutes = 0;
  bool budget_given = false, minutes_given = false;
  int workers = 0;
  std::filesystem::path report;
  std::string resume;  // a run's number, or "last"
  bool generator_given = false;
  ModelArgs model;  // of the generator "model"
  bool tokens_given = false, money_given = false;
  std::string analyst, mode = "cuda";
  std::vector<std::string> strategies;  // several race
  int parallel = 4;
  int width = 4, children = 2, patience = 4, fixes = 4;
};

struct CampaignArgs {
  std::vector<std::string> shares;  // "softmax=0.6"
  ExploreArgs explore;              // its subject and report stay empty; resume: a campaign's number, or "last"
  int slice = 4;                    // candidates before the next choice
};

struct CheckArgs {
  std::filesystem::path candidate;
  std::string op;  // name or file; empty: the one that the candidate names
  Judging judging;
};

struct MeasureArgs {                            // of the commands that time and count on a GPU
  std::string op;                               // name or file; empty: the one that the candidate names
  std::string device = "cuda:0", architecture;  // empty: the device's own
  std::vector<std::string> set;                 // "R=512"
  int rounds = 10, samples = 5;
};

int time(const Common& common, const std::string& candidate, const MeasureArgs& args);
int profile(const Common& common, const std::string& candidate, const MeasureArgs& args, const std::string& set);
int baseline(const Common& common, const std::string& op, const std::string& candidate, const MeasureArgs& args,
             bool with_torch);
int compare(const Common& common, const std::string& first, const std::string& second, const MeasureArgs& args);

}  // namespace ww::cli
