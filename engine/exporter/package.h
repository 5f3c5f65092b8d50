// SPDX-License-Identifier: Apache-2.0
// Exports a proved candidate as a standalone project: source, PTX as judged, launch plan with size expressions, loader,
// test and benchmark. The loader's files are in resources/export/KIND; this code adds the parts specific to the
// candidate. Nothing is compiled or run here.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "exporter/backward.h"
#include "exporter/host_text.h"
#include "op/sentence/phrasebook.h"
#include "store/workspace.h"

namespace ww::exporter {

enum class Kind : std::uint8_t {
  torch,    // a Python package with a PyTorch custom op
  kernels,  // the same in the layout of Hugging Face's kernel-builder
  cupy,     // a Python package for CuPy
  cpp,      // a C++ header over the CUDA driver, and an example
  ptx,      // only PTX and plan
};
constexpr auto names_of(Kind) {
  return std::to_array<Enumerator<Kind>>({{Kind::torch, "torch"},
                                          {Kind::kernels, "kernels"},
                                          {Kind::cupy, "cupy"},
                                          {Kind::cpp, "cpp"},
                                          {Kind::ptx, "ptx"}});
}

bool has_autograd(Kind kind);  // takes a backward
bool has_dispatch(Kind kind);  // takes several candidates

// In words: a name of two or three words, and what is written, in a sentence.
std::string title_of(Kind kind);
std::string summary_of(Kind kind);

struct TensorText {  // expressions: see host_text.h
  std::string name, dtype;
  std::vector<std::string> shape;
  WW_FIELDS(TensorText, name, (dtype, "`f32`, `bf16`, `bool`, …"), (shape, "an expression for each dimension"))
};
struct InputText {
  TensorText tensor;
  std::optional<double> lo, hi;  // range of the values used by the judgement, if the spec limits it
  std::vector<std::string> rules;
  template <class V>
  static void fields(V&& v) {
    v(inlined, &InputText::tensor);
    v("lo", &InputText::lo, "the spec's domain; null: none");
    v("hi", &InputText::hi);
    v("rules", &InputText::rules,
      {"what it keeps to: `positive`, `sorted`, `distinct`, `permutation`", Presence::sparse});
  }
};
struct FixedText {  // an input whose value the spec has
  TensorText tensor;
  std::string data;
  template <class V>
  static void fields(V&& v) {
    v(inlined, &FixedText::tensor);
    v("data", &FixedText::data, "its elements in memory order, in base64");
  }
};
struct ArgumentText {
  std::string tensor, value, type;
  std::int64_t size = 0;
  WW_FIELDS(ArgumentText, (tensor, "a pointer to it; empty: `value`"), (value, "an expression"),
            (type, "of the parameter in PTX, such as `u32`"), (size, "bytes"))
};
struct LaunchText {
  std::string kernel;
  std::vector<std::string> grid, block, cluster;  // three expressions each
  std::string shared, carveout;
  bool cooperative = false;
  std::vector<ArgumentText> arguments;
  WW_FIELDS(LaunchText, kernel, (grid, "blocks: three expressions"), (block, "threads: three expressions"),
            (cluster, "blocks: three expressions"), (shared, "bytes of dynamic shared memory: an expression"),
            (carveout, "per cent of the on-chip memory as shared memory; -1: the driver's choice"), cooperative,
            arguments)
};
struct ConstantText {
  std::string name, value;
  WW_FIELDS(ConstantText, name, (value, "an expression of symbols and earlier constants"))
};
struct PlanText {
  static constexpr std::string_view described_as = "EXPORTED PLAN";
  std::string written_as = "warpwright/export/1";
  std::string op, spec, candidate, architecture, reference;
  std::vector<std::string> symbols;
  std::map<std::string, std::int64_t> sizes, tuning;
  std::vector<ConstantText> constants;
  std::vector<InputText> inputs;
  std::vector<FixedText> fixed;
  std::vector<TensorText> outputs, temporaries;
  std::vector<std::string> zeroed, requirements;
  std::vector<LaunchText> launches;
  std::map<std::string, std::string> gradient_inputs, gradient_outputs;
  WW_FIELDS(PlanText, ((schema, written_as)), op, (spec, "the op spec"), (candidate, "hash"),
            (architecture, "that the PTX is for, such as `sm_90`"),
            (reference, "the op in PyTorch; empty: the library has none"), (symbols, "of shapes"),
            (sizes, "of the case that the run asked for, by symbol"), (tuning, "the choices of its `tune` lines"),
            constants, inputs, (fixed, "further inputs, which are constants: their values", sparse), outputs,
            temporaries, (zeroed, "tensors that begin with zeros"),
            (requirements,
             "conditions: what the candidate claims, and the tensors' sizes up to which offsets are proved"),
            launches, (gradient_inputs, "of a backward: by output of the op, the input with its gradient", sparse),
            (gradient_outputs, "of a backward: by input of the op, the output with its gradient", sparse))
};

// The plan of a stored candidate accepted by a verdict of this machine. Code::invalid_argument if it is not accepted
// here or leaves a tuning choice open, Code::unsupported if `host` cannot express the plan.
Result<PlanText> plan_text(store::Workspace& workspace, const op::Library& library, const store::CandidateRecord& c,
                           HostLanguage host = HostLanguage::python);

Result<Asked> asked_of(const store::RunRecord& run);
Result<Asked> asked_of(store::Workspace& workspace, const store::CandidateRecord& c);  // by its run

Status accepted_here(const store::CandidateRecord& c);  // Code::invalid_argument if plan_text() would refuse it
// Whether it was signed here with a key that has not been revoked, so that exporting does not need `unsigned_too`.
Result<bool> is_signed(store::Workspace& workspace, const store::CandidateRecord& c);

// What a package does about gradients.
enum class Gradients : std::uint8_t {
  none,        // a form without autograd
  registered,  // another candidate computes them
  derived,     // they have a spec, for which a kernel can be explored
  refused,     // they cannot be derived
};
constexpr auto names_of(Gradients) {
  using enum Gradients;
  return std::to_array<Enumerator<Gradients>>(
      {{none, "none"}, {registered, "registered"}, {derived, "derived"}, {refused, "refused"}});
}

struct Exported {
  std::string name, function;  // of the package, and of the operator in it
  std::vector<std::string> files;
  bool is_signed = false;  // and so are the backward and the others
  Gradients gradients = Gradients::none;
  std::string no_gradient;                        // of `refused`: why
  std::vector<std::string> explore_backward;      // of `derived`: arguments of warpwright-cli
  std::vector<std::int64_t> backward_candidates;  // without a backward: those of the workspace that could be it
};
std::string next_step(Kind kind, const Exported& made);  // how to test and use it: a sentence
// How to get a backward, for the folder `workspace` and what was exported; empty where there is nothing to do.
std::string backward_step(const Exported& made, const std::filesystem::path& workspace,
                          const std::vector<std::int64_t>& candidates);

struct Request {
  Kind kind = Kind::torch;
  std::filesystem::path folder;                    // is created and must be empty
  bool unsigned_too = false;                       // also exports unsigned candidates and marks README and plan
  std::optional<store::CandidateRecord> backward;  // computes the gradients; of the forms for PyTorch only
  std::vector<store::CandidateRecord> others;      // for other sizes of the same op; of the forms for Python only
  std::string program;                             // "warpwright 1.2"
};
// Code::invalid_argument, too, if `backward` is not the op's backward, or `others` are not of the same op.
Result<Exported> export_candidate(store::Workspace& workspace, const op::Library& library,
                                  const store::CandidateRecord& c, const Request& request);

}  // namespace ww::exporter
