// SPDX-License-Identifier: Apache-2.0
#include "exporter/package.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include "base/described_json.h"
#include "base/files.h"
#include "base/visible.h"
#include "candidate/candidate.h"
#include "exporter/cpp_header.h"
#include "exporter/templates.h"
#include "op/doubts.h"
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

// The op's name in Python: not a Python keyword, nor a name that the package uses itself (such as "_LAUNCHER").
std::string function_name(const std::string& op) {
  static const std::set<std::string> taken = {
      "False",   "None",      "True",  "and",    "as",        "assert",   "async",  "await",    "break",
      "class",   "continue",  "def",   "del",    "elif",      "else",     "except", "finally",  "for",
      "from",    "global",    "if",    "import", "in",        "is",       "lambda", "nonlocal", "not",
      "or",      "pass",      "raise", "return", "try",       "while",    "with",   "yield",    "torch",
      "pathlib", "reference", "PLAN",  "Plan",   "PlanError", "Launcher", "DTYPES"};
  return op.starts_with('_') ? "op" + op : taken.contains(op) ? op + "_" : op;
}

// An acceptance made here.
struct Acceptance {
  std::string receipt;  // empty: there is none
  review::KeyStanding keys = review::KeyStanding::unknown;
  bool counts() const { return !receipt.empty() && keys != review::KeyStanding::revoked; }
};

std::string signed_text(const Acceptance& acceptance) {
  if (acceptance.receipt.empty()) return "**It has not been reviewed and signed.**";
  switch (acceptance.keys) {
    case review::KeyStanding::known: return "A person reviewed and signed it: `receipt.json`.";
    case review::KeyStanding::revoked: return "**The key that signed `receipt.json` has been revoked.**";
    case review::KeyStanding::other_name:
    case review::KeyStanding::repeated:
    case review::KeyStanding::unknown: break;
  }
  return fmt::format("`receipt.json` is signed, but the exporter could not vouch for who signed it (key: {}).",
                     enum_name(acceptance.keys));
}

std::string standing_text(const Acceptance& acceptance, const store::CandidateRecord& c, const std::string& spec) {
  const std::string mark = op::unconfirmed_text(spec, op::Audience::reader);
  return (mark.empty() ? std::string() : "**" + mark + ".** ") +
         (c.verdict->proved_at() == evidence::ProvedAt::smaller_shapes
              ? "The gate of Warpwright proved this kernel at smaller shapes only. "
              : "The gate of Warpwright proved this kernel. ") +
         signed_text(acceptance);
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
    case Kind::torch: return {{"common", "pytorch", "torch"}, {package}, {}};
    case Kind::kernels:
      return {{"common", "pytorch", "kernels"}, {"build/torch-universal", "torch-ext/" + package}, {"metadata.json"}};
    case Kind::cupy: return {{"common", "cupy"}, {package}, {}};
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

}  // namespace

Result<bool> is_signed(store::Workspace& workspace, const store::CandidateRecord& c) {
  WW_TRY(accepted_here(c));
  const Acceptance acceptance = WW_TRY(acceptance_of(workspace, c));
  return acceptance.counts();
}

Result<Exported> export_candidate(store::Workspace& workspace, const op::Library& library,
                                  const store::CandidateRecord& c, Kind kind, const fs::path& folder, bool unsigned_too,
                                  const std::string& program) {
  const PlanText plan = WW_TRY(plan_text(workspace, library, c));
  if (plan.op.size() > longest_name)
    return fail(Code::invalid_argument,
                fmt::format("the op's name is longer than {} characters; give it a shorter one", longest_name));
  const Acceptance acceptance = WW_TRY(acceptance_of(workspace, c));
  if (!acceptance.counts() && !unsigned_too)
    return fail(Code::invalid_argument,
                acceptance.receipt.empty() ? fmt::format("candidate {} is not signed", c.id)
                                           : fmt::format("the key that signed candidate {} has been revoked", c.id),
                fmt::format("'{}' signs it; --unsigned exports it as it is and marks the exported files "
                            "accordingly",
                            store::pasted(workspace.folder(), fmt::format("accept {} --reviewer NAME", c.id))));
  Exported out;
  out.name = "ww_" + plan.op;
  out.function = function_name(plan.op);
  out.is_signed = acceptance.counts();
  std::map<std::string, std::string> values = {{"package", out.name},
                                               {"kernel_name", dashed(out.name)},
                                               {"op", plan.op},
                                               {"function", out.function},
                                               {"candidate", c.hash.substr(0, 16)},
                                               {"architecture", plan.architecture},
                                               {"standing", standing_text(acceptance, c, plan.spec)},
                                               {"limits", WW_TRY(limits_text(workspace, c))},
                                               {"program", program}};
  if (kind == Kind::cpp) {
    out.function = values["function"] = cpp_name(plan.op);
    const PlanText in_cpp = WW_TRY(plan_text(workspace, library, c, HostLanguage::cpp));
    values.merge(WW_TRY(header_parts(in_cpp, c.verdict->ptx)));
  }
  const Layout layout = layout_of(kind, out.name);
  std::vector<File> files = WW_TRY(templates(layout, values));
  for (const fs::path& inside : layout.inside) {
    files.push_back({inside / "plan.json", visible(json::text_of(plan, 1), Escapes::json) + "\n"});
    files.push_back({inside / "kernel.ptx", c.verdict->ptx});
    files.push_back({inside / (c.language == candidate::Language::cuda ? "kernel.cu" : "candidate.ptx"), c.text});
  }
  if (!acceptance.receipt.empty()) files.push_back({"receipt.json", acceptance.receipt});
  WW_TRY(empty_folder(folder));
  for (const File& file : files) {
    std::error_code ec;
    fs::create_directories((folder / file.path).parent_path(), ec);
    WW_TRY(write_file_atomic(folder / file.path, file.text));
    out.files.push_back(file.path.string());
  }
  return out;
}

}  // namespace ww::exporter
