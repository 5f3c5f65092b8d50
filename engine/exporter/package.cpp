// SPDX-License-Identifier: Apache-2.0
#include "exporter/package.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include "base/described_json.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/visible.h"
#include "candidate/candidate.h"
#include "evidence/explain.h"
#include "exporter/backward_choice.h"
#include "exporter/cpp_header.h"
#include "exporter/dispatch.h"
#include "exporter/expected_case.h"
#include "exporter/templates.h"
#include "op/doubts.h"
#include "op/parse.h"
#include "review/decision.h"
#include "review/known_keys.h"
#include "review/receipt.h"
#include "store/paste.h"

namespace ww::exporter {
namespace fs = std::filesystem;
namespace {

struct File {
  fs::path path;  // within the folder
  std::string text;
};

constexpr std::size_t longest_name = 100;  // of an op: it becomes names of files

// The op's name in Python: not a Python keyword, nor a name that the package uses itself (such as "_FOLDER").
std::string function_name(const std::string& op) {
  static const std::set<std::string> taken = {"False",     "None",       "True",     "and",
                                              "as",        "assert",     "async",    "await",
                                              "break",     "class",      "continue", "def",
                                              "del",       "elif",       "else",     "except",
                                              "finally",   "for",        "from",     "global",
                                              "if",        "import",     "in",       "is",
                                              "lambda",    "nonlocal",   "not",      "or",
                                              "pass",      "raise",      "return",   "try",
                                              "while",     "with",       "yield",    "torch",
                                              "pathlib",   "cupy",       "numpy",    "math",
                                              "reference", "expression", "PLAN",     "Plan",
                                              "PlanError", "DTYPES",     "OPERATOR", "DIFFERENTIABLE",
                                              "FORWARD",   "BACKWARD",   "Operator", "gradient_by_autograd"};
  return op.starts_with('_') ? "op" + op : taken.contains(op) ? op + "_" : op;
}

// An acceptance made here.
struct Acceptance {
  std::string receipt;  // empty: there is none
  review::KeyStanding keys = review::KeyStanding::unknown;
  bool counts() const { return !receipt.empty() && keys != review::KeyStanding::revoked; }
};

// A stored candidate on its way into a folder.
struct Part {
  store::CandidateRecord candidate;
  PlanText plan;
  Acceptance acceptance;
  std::string receipt = "receipt.json";  // the file
  fs::path folder = ".";                 // of plan and code, beside the modules
  std::vector<Sizes> sizes;              // of a dispatch table
};

std::string signed_text(const Acceptance& acceptance, const std::string& receipt) {
  if (acceptance.receipt.empty()) return "**It has not been reviewed and signed.**";
  switch (acceptance.keys) {
    case review::KeyStanding::known: return "A person reviewed and signed it: `" + receipt + "`.";
    case review::KeyStanding::revoked: return "**The key that signed `" + receipt + "` has been revoked.**";
    case review::KeyStanding::other_name:
    case review::KeyStanding::repeated:
    case review::KeyStanding::unknown: break;
  }
  return fmt::format("`{}` is signed, but the exporter could not vouch for who signed it (key: {}).", receipt,
                     enum_name(acceptance.keys));
}

std::string standing_text(const Part& part) {
  const std::string mark = op::unconfirmed_text(part.plan.spec, op::Audience::reader);
  return (mark.empty() ? std::string() : "**" + mark + ".** ") +
         (part.candidate.verdict->proved_at() == evidence::ProvedAt::smaller_shapes
              ? "The gate of Warpwright proved this kernel at smaller shapes only. "
              : "The gate of Warpwright proved this kernel. ") +
         signed_text(part.acceptance, part.receipt);
}

// The limits of validity from the receipt, as a Markdown list.
Result<std::string> limits_text(store::Workspace& workspace, const store::CandidateRecord& c) {
  std::string text;
  for (const review::Fact& f : review::facts_of(WW_TRY(review::dossier_of(workspace, c.id))))
    if (f.topic == review::Topic::limits) text += "- " + f.text + '\n';
  return text;
}

// Code::corrupt: something was signed that is no longer in the workspace.
Result<Acceptance> acceptance_of(store::Workspace& workspace, const store::CandidateRecord& c) {
  const std::vector<store::ReviewRecord> reviews = WW_TRY(workspace.reviews(c.id));
  if (review::state_of(reviews, c.hash) < review::ReviewState::accepted) return Acceptance();
  Acceptance out{review::receipt_of(reviews, c.hash), review::KeyStanding::unknown};
  const review::Verification v = WW_TRY(review::verify_against(out.receipt, workspace));
  for (const review::Change& change : v.changes)
    if (change.against)
      return fail(Code::corrupt, fmt::format("candidate {} is no longer what was signed: {}", c.id, change.text));
  const review::KnownKeys known = WW_TRY(review::KnownKeys::load());
  out.keys = review::worst_of(known.standing(v));
  return out;
}

Status empty_folder(const fs::path& folder) {
  std::error_code ec;
  if (fs::exists(folder, ec) && (!fs::is_directory(folder, ec) || !fs::is_empty(folder, ec)))
    return fail(Code::invalid_argument, "'" + folder.string() + "' exists and is not an empty folder");
  fs::create_directories(folder, ec);
  if (ec) return fail(Code::io, "cannot make the folder '" + folder.string() + "'", ec.message());
  return {};
}

// How a kind of project is laid out: the folders of resources/export that it is made of, and the folders of its own
// that each hold its modules, plan and code.
struct Layout {
  std::vector<std::string> parts;
  std::vector<fs::path> inside;
  std::vector<std::string> only_inside;  // files beside the modules that no other folder gets
};

Layout layout_of(Kind kind, const std::string& package) {
  switch (kind) {
    case Kind::torch: return {{"common", "dispatch", "pytorch", "torch"}, {package}, {}};
    case Kind::kernels:
      return {{"common", "dispatch", "pytorch", "kernels"},
              {"build/torch-universal", "torch-ext/" + package},
              {"metadata.json"}};
    case Kind::cupy: return {{"common", "dispatch", "cupy"}, {package}, {}};
    case Kind::cpp: return {{"common", "cpp"}, {""}, {}};
    case Kind::ptx: break;
  }
  return {{"common", "ptx"}, {""}, {}};
}

bool is_module(const std::string& name) {
  return name.ends_with(".py") && !name.starts_with("test_") && name != "benchmark.py" && name != "loaded.py";
}

// ".in" keeps tools from reading a template as C++.
fs::path name_in_project(const std::string& name, const std::string& package) {
  if (name == "readme.md") return "README.md";
  if (name == "kernel.h.in") return package + ".h";
  return name.ends_with(".in") ? name.substr(0, name.size() - 3) : name;
}

Result<std::vector<File>> templates(const Layout& layout, const std::map<std::string, std::string>& values) {
  std::vector<File> files;
  for (const std::string& part : layout.parts) {
    const fs::path from = resources_dir() / "export" / part;
    std::error_code ec;
    for (const fs::directory_entry& entry : fs::directory_iterator(from, ec)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = entry.path().filename().string();
      const std::string text = filled(WW_TRY(read_file(entry.path())), values);
      if (is_module(name)) {
        for (const fs::path& inside : layout.inside) files.push_back({inside / name, text});
      } else if (std::find(layout.only_inside.begin(), layout.only_inside.end(), name) != layout.only_inside.end()) {
        files.push_back({layout.inside.front() / name, text});
      } else {
        files.push_back({name_in_project(name, values.at("package")), text});
      }
    }
    if (ec) return fail(Code::unavailable, "the files of '" + from.string() + "' are missing", ec.message());
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

// A name in the manner of Hugging Face's repositories: "ww-softmax".
std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// Code::invalid_argument if it would need `unsigned_too`.
Result<Part> part_of(store::Workspace& workspace, const op::Library& library, const store::CandidateRecord& c,
                     bool unsigned_too) {
  Part part{.candidate = c,
            .plan = WW_TRY(plan_text(workspace, library, c)),
            .acceptance = WW_TRY(acceptance_of(workspace, c))};
  if (part.plan.op.size() > longest_name)
    return fail(Code::invalid_argument,
                fmt::format("the op's name is longer than {} characters; give it a shorter one", longest_name));
  if (part.acceptance.counts() || unsigned_too) return part;
  return fail(Code::invalid_argument,
              part.acceptance.receipt.empty() ? fmt::format("candidate {} is not signed", c.id)
                                              : fmt::format("the key that signed candidate {} has been revoked", c.id),
              fmt::format("'{}' signs it; --unsigned exports it as it is and marks the exported files "
                          "accordingly",
                          store::pasted(workspace.folder(), fmt::format("accept {} --reviewer NAME", c.id))));
}

Result<Part> backward_part(store::Workspace& workspace, const op::Library& library, const store::CandidateRecord& c,
                           const Request& request) {
  if (!has_autograd(request.kind))
    return fail(Code::invalid_argument, "only the forms torch and kernels take a backward");
  Part part = WW_TRY(part_of(workspace, library, *request.backward, request.unsigned_too));
  const std::variant<op::Backward, NotBackward> fit =
      fit_backward(WW_TRY(asked_of(workspace, c)), WW_TRY(asked_of(workspace, part.candidate)));
  if (const auto* no = std::get_if<NotBackward>(&fit))
    return fail(Code::invalid_argument, fmt::format("candidate {} is not a backward of candidate {}: {}",
                                                    part.candidate.id, c.id, explain(*no)));
  part.receipt = "receipt_backward.json";
  part.folder = "backward";
  part.plan.gradient_inputs = std::get<op::Backward>(fit).incoming;
  part.plan.gradient_outputs = std::get<op::Backward>(fit).outgoing;
  return part;
}

// The kernels of the package, each once; several with the sizes that choose among them.
Result<std::vector<Part>> forward_parts(store::Workspace& workspace, const op::Library& library,
                                        const store::CandidateRecord& c, const Request& request) {
  if (request.others.empty()) return std::vector{WW_TRY(part_of(workspace, library, c, request.unsigned_too))};
  if (!has_dispatch(request.kind))
    return fail(Code::invalid_argument, "only the forms torch, kernels and cupy take several candidates");
  std::vector<Explored> explored{{c, WW_TRY(asked_of(workspace, c))}};
  for (const store::CandidateRecord& other : request.others)
    explored.push_back({other, WW_TRY(asked_of(workspace, other))});
  const DispatchTable table = WW_TRY(dispatch_table(explored));
  std::vector<Part> parts;
  for (const DispatchEntry& entry : table.entries) {
    const auto own = std::ranges::find(explored, entry.candidate, [](const Explored& e) { return e.candidate.hash; });
    Part part = WW_TRY(part_of(workspace, library, own->candidate, request.unsigned_too));
    if (!parts.empty()) part.receipt = fmt::format("receipt_{}.json", parts.size() + 1);
    part.folder = entry.folder;
    part.sizes = entry.sizes;
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string dispatch_json(const std::vector<Part>& parts) {
  DispatchTable table;
  for (const Part& p : parts) {
    table.op = p.plan.op;
    table.entries.push_back({p.folder.string(), p.candidate.hash, p.sizes});
  }
  return visible(json::text_of(table, 1), Escapes::json) + "\n";
}

void add_files(std::vector<File>& files, const fs::path& beside, const Part& part) {
  const fs::path inside = part.folder == "." ? beside : beside / part.folder;
  files.push_back({inside / "plan.json", visible(json::text_of(part.plan, 1), Escapes::json) + "\n"});
  files.push_back({inside / "kernel.ptx", part.candidate.verdict->ptx});
  const bool cuda = part.candidate.language == candidate::Language::cuda;
  files.push_back({inside / (cuda ? "kernel.cu" : "candidate.ptx"), part.candidate.text});
}

// The spec of the gradients beside the package, to be explored.
Status offer_backward(store::Workspace& workspace, const op::Library& library, const Part& forward,
                      const fs::path& folder, Exported& out, std::vector<File>& files) {
  const BackwardChoice choice = WW_TRY(backward_choice(workspace, library, forward.candidate));
  for (const BackwardCandidate& c : choice.candidates) out.backward_candidates.push_back(c.id);
  if (!choice.spec) {
    out.gradients = Gradients::refused;
    out.no_gradient = choice.no_gradient;
    return {};
  }
  out.gradients = Gradients::derived;
  out.explore_backward = {"explore", (folder / "backward.op").string()};
  out.explore_backward.insert(out.explore_backward.end(), choice.settings.begin(), choice.settings.end());
  files.push_back({"backward.op", op::print(*choice.spec)});
  return {};
}

std::string joined_names(const std::map<std::string, std::string>& by_name) {
  std::vector<std::string> names;
  for (const auto& [name, gradient] : by_name) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// For README and help: what autograd finds.
std::string gradients_text(const Exported& made, const std::optional<Part>& backward) {
  switch (made.gradients) {
    case Gradients::none: break;
    case Gradients::registered:
      return fmt::format(
          "Autograd is registered: candidate {} computes the gradients of {}. A second derivative is an error.",
          backward->candidate.hash.substr(0, 16), joined_names(backward->plan.gradient_outputs));
    case Gradients::derived:
      return "It has no backward. `backward.op` is the spec of its gradients: explore it, and export again with "
             "`--backward` and the number of a proved candidate.";
    case Gradients::refused: return "It has no backward, and none can be derived: " + made.no_gradient + ".";
  }
  return {};
}

std::string short_hash(const Part& part) { return part.candidate.hash.substr(0, 16); }

// "candidate `0a…`", or several with the sizes for which they were explored.
std::string candidates_text(const std::vector<Part>& kernels) {
  if (kernels.size() == 1) return fmt::format("candidate `{}`", short_hash(kernels.front()));
  std::vector<std::string> list;
  for (const Part& p : kernels) {
    std::vector<std::string> sizes;
    for (const Sizes& s : p.sizes) sizes.push_back(evidence::binding_text({s, {}}));
    list.push_back(fmt::format("`{}` ({})", short_hash(p), fmt::join(sizes, "; ")));
  }
  return fmt::format("candidates {}", fmt::join(list, ", "));
}

// By which operators are registered: packages that choose otherwise have others.
std::string identity_of(const std::vector<Part>& kernels) {
  if (kernels.size() == 1) return short_hash(kernels.front());
  Hasher hasher;
  for (const Part& p : kernels) {
    hasher.field(p.candidate.hash);
    for (const Sizes& s : p.sizes) hasher.field(evidence::binding_text({s, {}}));
  }
  return hasher.hex().substr(0, 16);
}

// What the templates of resources/export name.
Result<std::map<std::string, std::string>> template_values(store::Workspace& workspace,
                                                           const std::vector<Part>& kernels,
                                                           const std::optional<Part>& backward, const Exported& made) {
  const Part& forward = kernels.front();
  std::string standing = standing_text(forward), limits = WW_TRY(limits_text(workspace, forward.candidate));
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    standing += fmt::format(" Of `{}`: {}", short_hash(kernels[i]), standing_text(kernels[i]));
    limits += fmt::format("\n## What the proof of `{}` covers\n\n{}", short_hash(kernels[i]),
                          WW_TRY(limits_text(workspace, kernels[i].candidate)));
  }
  if (backward) {
    standing += " Its backward: " + standing_text(*backward);
    limits += "\n## What the proof of the backward covers\n\n" + WW_TRY(limits_text(workspace, backward->candidate));
  }
  return std::map<std::string, std::string>{
      {"package", made.name},
      {"kernel_name", dashed(made.name)},
      {"op", forward.plan.op},
      {"function", made.function},
      {"candidate", identity_of(kernels)},
      {"candidates", candidates_text(kernels)},
      {"dispatch",
       kernels.size() == 1
           ? ""
           : "\n- `dispatch.json` beside the plan names the sizes for which each kernel was explored. A shape "
             "runs the kernel with the nearest ones, by the logarithms of their quotients, among those that "
             "claim it."},
      {"backward", backward ? short_hash(*backward) : "none"},
      {"gradients", gradients_text(made, backward)},
      {"architecture", forward.plan.architecture},
      {"standing", standing},
      {"limits", limits}};
}

}  // namespace

bool has_dispatch(Kind kind) { return has_autograd(kind) || kind == Kind::cupy; }

bool has_autograd(Kind kind) { return kind == Kind::torch || kind == Kind::kernels; }

Result<bool> is_signed(store::Workspace& workspace, const store::CandidateRecord& c) {
  WW_TRY(accepted_here(c));
  const Acceptance acceptance = WW_TRY(acceptance_of(workspace, c));
  return acceptance.counts();
}

Result<Exported> export_candidate(store::Workspace& workspace, const op::Library& library,
                                  const store::CandidateRecord& c, const Request& request) {
  const std::vector<Part> kernels = WW_TRY(forward_parts(workspace, library, c, request));
  const Part& forward = kernels.front();
  std::optional<Part> backward;
  if (request.backward) backward = WW_TRY(backward_part(workspace, library, c, request));
  Exported out;
  std::vector<File> files;
  out.name = "ww_" + forward.plan.op;
  out.function = function_name(forward.plan.op);
  std::vector<const Part*> all;
  for (const Part& p : kernels) all.push_back(&p);
  if (backward) all.push_back(&*backward);
  out.is_signed = std::ranges::all_of(all, [](const Part* p) { return p->acceptance.counts(); });
  if (backward)
    out.gradients = Gradients::registered;
  else if (has_autograd(request.kind))
    WW_TRY(offer_backward(workspace, library, forward, request.folder, out, files));
  std::map<std::string, std::string> values = WW_TRY(template_values(workspace, kernels, backward, out));
  values["program"] = request.program;
  if (request.kind == Kind::cpp) {
    out.function = values["function"] = cpp_name(forward.plan.op);
    const PlanText in_cpp = WW_TRY(plan_text(workspace, library, c, HostLanguage::cpp));
    values.merge(WW_TRY(header_parts(in_cpp, c.verdict->ptx)));
    const auto expected = expected_case(WW_TRY(asked_of(workspace, c)), WW_TRY(candidate::parse(c.text, c.language)));
    values.merge(expected_parts(in_cpp, expected.get()));
  }
  const Layout layout = layout_of(request.kind, out.name);
  const std::vector<File> filled_in = WW_TRY(templates(layout, values));
  files.insert(files.begin(), filled_in.begin(), filled_in.end());
  for (const fs::path& inside : layout.inside) {
    for (const Part* part : all) add_files(files, inside, *part);
    if (kernels.size() > 1 || kernels.front().sizes.size() > 1)
      files.push_back({inside / "dispatch.json", dispatch_json(kernels)});
  }
  for (const Part* part : all)
    if (!part->acceptance.receipt.empty()) files.push_back({part->receipt, part->acceptance.receipt});
  WW_TRY(empty_folder(request.folder));
  for (const File& file : files) {
    std::error_code ec;
    fs::create_directories((request.folder / file.path).parent_path(), ec);
    WW_TRY(write_file_atomic(request.folder / file.path, file.text));
    out.files.push_back(file.path.string());
  }
  return out;
}

}  // namespace ww::exporter
