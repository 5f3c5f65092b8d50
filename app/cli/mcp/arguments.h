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
  template <class V>
  static void fields(V&& v) {
    v("op", &DescribeArguments::op, op_doc);
  }
};

struct CheckArguments {
  std::string kernel, op;
  Settings set;
  std::string device = "simt", architecture, secret;
  int seeds = 5;
  double seconds = 60;
  template <class V>
  static void fields(V&& v) {
    v("kernel", &CheckArguments::kernel,
      "the whole candidate: //@ directives and CUDA, or PTX (warpwright://guide/candidate)");
    v("op", &CheckArguments::op,
      {"what it must compute: a name, a sentence or an op spec; default: the op of the library that its '//@ "
       "candidate' "
       "line names",
       Presence::defaulted});
    v("set", &CheckArguments::set, {set_doc, Presence::defaulted});
    v("device", &CheckArguments::device, {device_doc, Presence::defaulted});
    v("architecture", &CheckArguments::architecture,
      {"architecture to compile for, such as sm_90; default: the device's own, sm_80 for simt", Presence::defaulted});
    v("seeds", &CheckArguments::seeds, {"input sets per case", Presence::defaulted, {"", 1, 1000}});
    v("seconds", &CheckArguments::seconds,
      {"time limit; a kernel that exceeds it is not judged", Presence::defaulted, {"", 1, 3600}});
    v("secret", &CheckArguments::secret,
      {"16 hexadecimal digits of an earlier verdict, to repeat its inputs", Presence::defaulted});
  }
};

struct SubmitArguments {
  std::string kernel, run = "last", parent, note;
  template <class V>
  static void fields(V&& v) {
    v("kernel", &SubmitArguments::kernel, "the whole candidate, as for check");
    v("run", &SubmitArguments::run, {"a run that has ended: its number, or last", Presence::defaulted});
    v("parent", &SubmitArguments::parent,
      {"the stored candidate that it derives from: its number, or the prefix of its hash", Presence::defaulted});
    v("note", &SubmitArguments::note, {"one line: what was changed, and why", Presence::defaulted});
  }
};

struct ExploreArguments {
  std::string op;
  std::vector<std::string> kernels;
  bool search = true;
  Settings set;
  int budget = 24, seeds = 5, workers = 0;
  double minutes = 0;
  std::string device = "simt", architecture, resume;
  template <class V>
  static void fields(V&& v) {
    v("op", &ExploreArguments::op, {op_doc, Presence::defaulted});
    v("kernels", &ExploreArguments::kernels, {"your own candidates, judged first", Presence::defaulted});
    v("search", &ExploreArguments::search,
      {"the built-in search proposes further candidates; false: only yours are judged and kept", Presence::defaulted});
    v("set", &ExploreArguments::set, {set_doc, Presence::defaulted});
    v("budget", &ExploreArguments::budget, {"candidates to judge", Presence::defaulted, {"", 1, 10000}});
    v("minutes", &ExploreArguments::minutes, {"time limit; 0: none", Presence::defaulted, {"", 0, 1440}});
    v("seeds", &ExploreArguments::seeds, {"input sets per case", Presence::defaulted, {"", 1, 1000}});
    v("workers", &ExploreArguments::workers,
      {"worker processes; 0: one per two hardware threads, on a GPU at most three", Presence::defaulted, {"", 0, 256}});
    v("device", &ExploreArguments::device, {device_doc, Presence::defaulted});
    v("architecture", &ExploreArguments::architecture,
      {"architecture to compile for, such as sm_90", Presence::defaulted});
    v("resume", &ExploreArguments::resume,
      {"resumes a cancelled run (its number, or last) with a new budget instead of starting one", Presence::defaulted});
  }
};

enum class Listed { runs, candidates, ops };
constexpr auto names_of(Listed) {
  using enum Listed;
  return std::to_array<Enumerator<Listed>>({{runs, "runs"}, {candidates, "candidates"}, {ops, "ops"}});
}
struct ListArguments {
  Listed what = Listed::runs;
  std::string run = "last", words;
  template <class V>
  static void fields(V&& v) {
    v("what", &ListArguments::what, {"what to list", Presence::defaulted});
    v("run", &ListArguments::run, {"for candidates: the run's number, or last", Presence::defaulted});
    v("words", &ListArguments::words, {"for ops: words that describe them; default: all", Presence::defaulted});
  }
};

struct ShowArguments {
  std::string candidate;
  bool ptx = false, sass = false;
  template <class V>
  static void fields(V&& v) {
    v("candidate", &ShowArguments::candidate, required_candidate);
    v("ptx", &ShowArguments::ptx, {"also its PTX", Presence::defaulted});
    v("sass", &ShowArguments::sass, {"also its machine code (needs NVIDIA's nvdisasm)", Presence::defaulted});
  }
};

struct DiffArguments {
  std::string before, after;
  template <class V>
  static void fields(V&& v) {
    v("before", &DiffArguments::before, required_candidate);
    v("after", &DiffArguments::after, required_candidate);
  }
};

struct AdviseArguments {
  std::string candidate;
  template <class V>
  static void fields(V&& v) {
    v("candidate", &AdviseArguments::candidate, required_candidate);
  }
};

enum class Counters { small, full };
constexpr auto names_of(Counters) {
  return std::to_array<Enumerator<Counters>>({{Counters::small, "small"}, {Counters::full, "full"}});
}
struct ProfileArguments {
  std::string candidate, device = "cuda:0";
  Counters counters = Counters::small;
  Settings set;
  template <class V>
  static void fields(V&& v) {
    v("candidate", &ProfileArguments::candidate, required_candidate);
    v("device", &ProfileArguments::device, {"the GPU: cuda:0, cuda:1, ...", Presence::defaulted});
    v("counters", &ProfileArguments::counters, {"which hardware counters", Presence::defaulted});
    v("set", &ProfileArguments::set, {set_doc, Presence::defaulted});
  }
};

struct TimeArguments {
  std::string candidate, device = "cuda:0";
  int rounds = 10, samples = 5;
  Settings set;
  template <class V>
  static void fields(V&& v) {
    v("candidate", &TimeArguments::candidate, required_candidate);
    v("device", &TimeArguments::device, {"the GPU: cuda:0, cuda:1, ...", Presence::defaulted});
    v("rounds", &TimeArguments::rounds, {"rounds", Presence::defaulted, {"", 1, 1000}});
    v("samples", &TimeArguments::samples,
      {"samples of each cache regime in a round", Presence::defaulted, {"", 1, 1000}});
    v("set", &TimeArguments::set, {set_doc, Presence::defaulted});
  }
};

struct CompareArguments {
  std::string first, second, device;
  Settings set;
  template <class V>
  static void fields(V&& v) {
    v("first", &CompareArguments::first, required_candidate);
    v("second", &CompareArguments::second, required_candidate);
    v("device", &CompareArguments::device,
      {"a GPU, such as cuda:0, on which both are timed in turn; default: compares their stored numbers",
       Presence::defaulted});
    v("set", &CompareArguments::set, {"with a GPU: values of shape symbols or constants", Presence::defaulted});
  }
};

struct ExportArguments {
  std::string candidate, as = "torch", name;
  template <class V>
  static void fields(V&& v) {
    v("candidate", &ExportArguments::candidate, required_candidate);
    v("name", &ExportArguments::name, "name of the new folder: letters, digits, '-' and '_'");
    v("as", &ExportArguments::as,
      {"torch: a Python package with a PyTorch operator; ptx: PTX and plan", Presence::defaulted});
  }
};

struct NotesArguments {
  std::string candidate, text;
  int line = 0;
  template <class V>
  static void fields(V&& v) {
    v("candidate", &NotesArguments::candidate, required_candidate);
    v("text", &NotesArguments::text, "the note, for the person who reviews it");
    v("line", &NotesArguments::line,
      {"line of the candidate's text; 0: the whole text", Presence::defaulted, {"", 0, 1 << 20}});
  }
};

}  // namespace ww::cli::mcp
