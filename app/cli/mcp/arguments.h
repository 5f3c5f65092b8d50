// SPDX-License-Identifier: Apache-2.0
// Arguments of each tool. Models read the descriptions.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include "base/describe.h"

namespace ww::cli::mcp {

using Settings = std::map<std::string, double>;

inline constexpr About required_candidate = {"a stored candidate: its number, or the prefix of its hash"};
inline constexpr const char* op_doc =
    "the op: its name in the library, a sentence such as 'softmax over the rows of a 512x1024 float matrix', or the "
    "text of an op spec";
inline constexpr const char* set_doc = "values of shape symbols or constants of the case, such as {\"R\": 512}";
inline constexpr const char* device_doc = "where kernels run: simt (no GPU needed), cuda:0, ...";

struct DescribeArguments {
  std::string op;
  WW_FIELDS(DescribeArguments, (op, op_doc))
};

struct CheckArguments {
  std::string kernel, op;
  Settings set;
  std::string device = "simt", architecture, secret;
  int seeds = 5;
  double seconds = 60;
  WW_FIELDS(CheckArguments,
            (kernel, "the whole candidate: //@ directives and CUDA, or PTX (warpwright://guide/candidate)"),
            (op,
             "what it must compute: a name, a sentence or an op spec; default: the op of the library that its '//@ "
             "candidate' line names",
             defaulted),
            (set, set_doc, defaulted), (device, device_doc, defaulted),
            (architecture, "architecture to compile for, such as sm_90; default: the device's own, sm_80 for simt",
             defaulted),
            (seeds, "input sets per case", defaulted, {"", 1, 1000}),
            (seconds, "time limit; a kernel that exceeds it is not judged", defaulted, {"", 1, 3600}),
            (secret, "16 hexadecimal digits of an earlier verdict, to repeat its inputs", defaulted))
};

struct SubmitArguments {
  std::string kernel, run = "last", parent, note;
  WW_FIELDS(SubmitArguments, (kernel, "the whole candidate, as for check"),
            (run, "a run that has ended: its number, or last", defaulted),
            (parent, "the stored candidate that it derives from: its number, or the prefix of its hash", defaulted),
            (note, "one line: what was changed, and why", defaulted))
};

struct ExploreArguments {
  std::string op;
  std::vector<std::string> kernels;
  bool search = true;
  Settings set;
  int budget = 24, seeds = 5, workers = 0;
  double minutes = 0;
  std::string device = "simt", architecture, resume;
  WW_FIELDS(
      ExploreArguments, (op, op_doc, defaulted), (kernels, "your own candidates, judged first", defaulted),
      (search, "the built-in search proposes further candidates; false: only yours are judged and kept", defaulted),
      (set, set_doc, defaulted), (budget, "candidates to judge", defaulted, {"", 1, 10000}),
      (minutes, "time limit; 0: none", defaulted, {"", 0, 1440}),
      (seeds, "input sets per case", defaulted, {"", 1, 1000}),
      (workers, "worker processes; 0: one per two hardware threads, on a GPU at most three", defaulted, {"", 0, 256}),
      (device, device_doc, defaulted), (architecture, "architecture to compile for, such as sm_90", defaulted),
      (resume, "resumes a cancelled run (its number, or last) with a new budget instead of starting one", defaulted))
};

enum class Listed { runs, candidates, ops };
constexpr auto names_of(Listed) {
  using enum Listed;
  return std::to_array<Enumerator<Listed>>({{runs, "runs"}, {candidates, "candidates"}, {ops, "ops"}});
}
struct ListArguments {
  Listed what = Listed::runs;
  std::string run = "last", words;
  WW_FIELDS(ListArguments, (what, "what to list", defaulted),
            (run, "for candidates: the run's number, or last", defaulted),
            (words, "for ops: words that describe them; default: all", defaulted))
};

struct ShowArguments {
  std::string candidate;
  bool ptx = false, sass = false;
  WW_FIELDS(ShowArguments, (candidate, required_candidate), (ptx, "also its PTX", defaulted),
            (sass, "also its machine code (needs NVIDIA's nvdisasm)", defaulted))
};

struct DiffArguments {
  std::string before, after;
  WW_FIELDS(DiffArguments, (before, required_candidate), (after, required_candidate))
};

struct AdviseArguments {
  std::string candidate;
  WW_FIELDS(AdviseArguments, (candidate, required_candidate))
};

enum class Counters { small, full };
constexpr auto names_of(Counters) {
  return std::to_array<Enumerator<Counters>>({{Counters::small, "small"}, {Counters::full, "full"}});
}
struct ProfileArguments {
  std::string candidate, device = "cuda:0";
  Counters counters = Counters::small;
  Settings set;
  WW_FIELDS(ProfileArguments, (candidate, required_candidate), (device, "the GPU: cuda:0, cuda:1, ...", defaulted),
            (counters, "which hardware counters", defaulted), (set, set_doc, defaulted))
};

struct TimeArguments {
  std::string candidate, device = "cuda:0";
  int rounds = 10, samples = 5;
  Settings set;
  WW_FIELDS(TimeArguments, (candidate, required_candidate), (device, "the GPU: cuda:0, cuda:1, ...", defaulted),
            (rounds, "rounds", defaulted, {"", 1, 1000}),
            (samples, "samples of each cache regime in a round", defaulted, {"", 1, 1000}), (set, set_doc, defaulted))
};

struct CompareArguments {
  std::string first, second, device;
  Settings set;
  WW_FIELDS(CompareArguments, (first, required_candidate), (second, required_candidate),
            (device, "a GPU, such as cuda:0, on which both are timed in turn; default: compares their stored numbers",
             defaulted),
            (set, "with a GPU: values of shape symbols or constants", defaulted))
};

struct ExportArguments {
  std::string candidate, as = "torch", name, backward;
  WW_FIELDS(ExportArguments, (candidate, required_candidate),
            (name, "name of the new folder: letters, digits, '-' and '_'"),
            (as, "torch: a Python package with a PyTorch operator; ptx: PTX and plan", defaulted),
            (backward, "of torch and kernels: a proved candidate for the op's gradients, for autograd", defaulted))
};

struct NotesArguments {
  std::string candidate, text;
  int line = 0;
  WW_FIELDS(NotesArguments, (candidate, required_candidate), (text, "the note, for the person who reviews it"),
            (line, "line of the candidate's text; 0: the whole text", defaulted, {"", 0, 1 << 20}))
};

}  // namespace ww::cli::mcp
