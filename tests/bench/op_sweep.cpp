// SPDX-License-Identifier: Apache-2.0
// Every op of the library x every structure of the search through the gate on the SIMT machine: a table of verdicts.
//   bench_op_sweep [--op NAME]… [--structure PART] [--first N] [--work LIMIT] [--seeds N] [--dtype f16|bf16|f64] [--out
//   FOLDER]
// --work: the default shapes are halved until the reference's work is below it (0: as they are). --out: rejected
// candidates are written there.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include "base/sealed_folder.h"
#include "base/files.h"
#include "device/device.h"
#include "gate/cases.h"
#include "gate/gate.h"
#include "op/parse.h"
#include "op/transform.h"
#include "search/space.h"

namespace fs = std::filesystem;
using namespace ww;

namespace {

struct Options {
  std::set<std::string> ops;
  std::string structure, out, dtype;
  std::size_t first = 1000;
  double work = 2e5;
  int seeds = 2;
};

struct Totals {
  int judged = 0, accepted = 0, ops = 0, ops_accepted = 0;
};

void sweep(const fs::path& path, const Options& options, gate::Services& services, Totals& totals,
           std::map<std::string, std::pair<int, int>>& by_structure) {
  const auto text = read_file(path);
  auto spec = op::parse_spec(*text, path.filename().string());
  if (spec && !options.dtype.empty()) spec = op::with_dtype(*spec, *dtype_from_name(options.dtype));
  if (!spec) {
    std::printf("%-24s %s\n", path.stem().c_str(), spec.error().text().c_str());
    return;
  }
  const std::string spec_text = op::print(*spec);
  op::Binding binding;
  if (options.work > 0)
    if (const auto reduced = gate::reduced_case(*spec, {}, options.work)) binding = reduced->binding;
  std::vector<std::string> problems;
  const auto structures = search::structures_of(*spec, binding, &problems);
  for (const std::string& p : problems)
    std::printf("%-24s UNREADABLE %s\n", spec->name.c_str(), p.substr(0, 400).c_str());
  if (!structures) {
    std::printf("%-24s %s\n", spec->name.c_str(), structures.error().text().c_str());
    return;
  }
  ++totals.ops;
  bool any = false;
  std::size_t done = 0;
  for (const search::Structure& s : *structures) {
    if (!options.structure.empty() && s.name.find(options.structure) == std::string::npos) continue;
    if (done++ >= options.first) break;
    const auto pinned = candidate::pin(s.open, candidate::first_tuning(s.open));
    if (!pinned) continue;
    gate::Request request;
    request.spec = spec_text;
    request.candidate = pinned->text;
    request.binding = binding;
    request.seeds = options.seeds;
    request.measure = false;
    const auto start = std::chrono::steady_clock::now();
    const auto verdict = gate::judge(request, services);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool accepted = verdict && verdict->accepted;
    ++totals.judged;
    totals.accepted += accepted;
    any = any || accepted;
    auto& [good, all] = by_structure[s.name];
    good += accepted;
    ++all;
    std::string why = verdict ? verdict->summary() : verdict.error().text();
    if (verdict && !accepted)
      for (const evidence::StageResult& r : verdict->stages)
        if (r.outcome == evidence::Outcome::failed) {
          why += " | " + r.detail.substr(0, 300);
          if (r.failure) {
            for (const auto& [name, value] : r.failure->binding.symbols)
              why += " " + name + "=" + std::to_string(value);
            if (r.failure->fault) why += " line " + std::to_string(r.failure->fault->line);
          }
        }
    std::printf("%-24s %-28s %-8s %5.2fs %s\n", spec->name.c_str(), s.name.c_str(), accepted ? "ok" : "REJECTED",
                seconds, why.c_str());
    std::fflush(stdout);
    if (!accepted && !options.out.empty())
      (void)write_file_atomic(fs::path(options.out) / (spec->name + "." + s.name + ".cu"), pinned->text);
  }
  totals.ops_accepted += any;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--op")
      o.ops.insert(value);
    else if (key == "--structure")
      o.structure = value;
    else if (key == "--first")
      o.first = static_cast<std::size_t>(std::atoi(value.c_str()));
    else if (key == "--work")
      o.work = std::atof(value.c_str());
    else if (key == "--seeds")
      o.seeds = std::atoi(value.c_str());
    else if (key == "--dtype")
      o.dtype = value;
    else if (key == "--out")
      o.out = value;
  }
  auto compiler = compile::Compiler::open(std::make_shared<ww::SealedFolder>(cache_dir() / "compile"));
  if (!compiler) {
    std::printf("%s\n", compiler.error().text().c_str());
    return 1;
  }
  const auto simt = device::open_simt();
  gate::ReferenceCache references;
  gate::Services services{compiler->get(), simt.get(), &references, 0};
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(resources_dir() / "ops"))
    if (entry.path().extension() == ".op" && (o.ops.empty() || o.ops.count(entry.path().stem().string())))
      files.insert(entry.path());
  Totals totals;
  std::map<std::string, std::pair<int, int>> by_structure;
  for (const fs::path& f : files) sweep(f, o, services, totals, by_structure);
  std::printf("\n%-28s accepted of judged\n", "structure");
  for (const auto& [name, counts] : by_structure)
    std::printf("%-28s %4d / %d\n", name.c_str(), counts.first, counts.second);
  std::printf("\n%d of %d candidates accepted; %d of %d ops have one\n", totals.accepted, totals.judged,
              totals.ops_accepted, totals.ops);
  return 0;
}
