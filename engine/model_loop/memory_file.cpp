// SPDX-License-Identifier: Apache-2.0
#include "model_loop/memory_file.h"
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>
#include "base/described_json.h"
#include "base/files.h"
#include "base/utc.h"
#include "model_loop/memory.h"
#include "op/parse.h"

namespace ww::model_loop {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_kernels = 1000, most_bytes = std::size_t{1} << 20;  // of one spec or code

fs::path memory_folder(const fs::path& workspace) { return workspace / "memory"; }

Status check_entry(const MemoryEntry& e) {
  if (e.spec.size() > most_bytes || e.code.size() > most_bytes) return fail(Code::corrupt, "a text is too long");
  if (e.device.empty() || e.unit.empty() || !std::isfinite(e.score) || !(e.score > 0) || !std::isfinite(e.gain))
    return fail(Code::corrupt, "its device, unit, score or gain is missing");
  const Result<op::Spec> spec = op::parse_spec(e.spec);
  if (!spec) return fail(Code::corrupt, "its spec has errors: " + spec.error().message);
  const Result<candidate::Candidate> c = candidate::parse(e.code, e.language);
  if (!c) return fail(Code::corrupt, "its code is no candidate: " + c.error().message);
  if (spec->name != e.op || c->op != e.op) return fail(Code::corrupt, "its spec or code is of another op");
  if (c->hash != e.hash) return fail(Code::corrupt, "its code does not have the hash that it names");
  return {};
}

}  // namespace

Result<MemoryFile> exported_memory(store::Workspace& workspace) {
  MemoryFile file;
  std::set<std::string> seen;
  for (const store::RunRecord& run : WW_TRY(workspace.runs())) {
    if (run.imported) continue;
    const Result<store::OpRecord> op = workspace.op(run.op);
    const std::optional<Remembered> best = best_of_run(workspace, run);
    if (!op || !best || !seen.insert(best->hash).second) continue;
    const store::CandidateRecord c = WW_TRY(workspace.candidate_row(best->candidate));
    MemoryEntry e{.op = run.op_name,
                  .spec = op->text,
                  .device = run.device == "simt" ? run.device : c.spread.gpu,
                  .hash = c.hash,
                  .structure = c.structure,
                  .move = best->move,
                  .language = c.language,
                  .code = c.text,
                  .score = best->score,
                  .unit = best->unit,
                  .gain = best->gain};
    if (check_entry(e)) file.kernels.push_back(std::move(e));
  }
  return file;
}

std::string memory_to_json(const MemoryFile& file) { return json::dump(json::of(file)); }

Result<MemoryFile> memory_from_json(const std::string& text) {
  MemoryFile file = WW_TRY(json::read_text<MemoryFile>(text, "the memory cannot be read"));
  if (file.schema != MemoryFile::version)
    return fail(Code::unsupported, fmt::format("it is no memory of this version ({})", MemoryFile::version));
  if (file.kernels.size() > most_kernels)
    return fail(Code::corrupt, fmt::format("it holds more than {} kernels", most_kernels));
  for (std::size_t i = 0; i < file.kernels.size(); ++i)
    if (const Status s = check_entry(file.kernels[i]); !s)
      return fail(Code::corrupt, fmt::format("kernel {} of the memory: {}", i + 1, s.error().message), s.error().cause);
  return file;
}

std::vector<ImportedMemory> imported_memory(const fs::path& workspace, std::vector<std::string>* problems) {
  std::vector<ImportedMemory> list;
  std::error_code error;
  for (fs::directory_iterator it(memory_folder(workspace), error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".json" || list.size() == most_kernels) continue;
    const Result<std::string> text = read_file(it->path(), 4 * most_bytes);
    Result<ImportedMemory> one =
        text ? json::read_text<ImportedMemory>(*text, "it cannot be read") : Result<ImportedMemory>(fail(text.error()));
    if (one)
      if (const Status s = check_entry(one->kernel); !s) one = fail(s.error());
    if (one)
      list.push_back(std::move(*one));
    else if (problems)
      problems->push_back(it->path().filename().string() + ": " + one.error().message);
  }
  std::ranges::sort(list, {}, [](const ImportedMemory& m) { return std::pair(m.imported, m.kernel.hash); });
  return list;
}

Result<int> import_memory(const fs::path& workspace, const MemoryFile& file) {
  std::error_code error;
  fs::create_directories(memory_folder(workspace), error);
  if (error) return fail(Code::io, "the workspace's memory cannot be written", error.message());
  int fresh = 0;
  const std::string now = utc_now("%Y-%m-%dT%H:%M:%SZ");
  for (const MemoryEntry& e : file.kernels) {
    const fs::path path = memory_folder(workspace) / (e.hash + ".json");
    if (fs::exists(path, error)) continue;
    WW_TRY(write_file_atomic(path, json::dump(json::of(ImportedMemory{now, e}))));
    ++fresh;
  }
  return fresh;
}

Result<int> forget_memory(const fs::path& workspace, const std::string& hash) {
  constexpr std::size_t least = 4;
  if (hash != "all" && hash.size() < least)
    return fail(Code::invalid_argument,
                fmt::format("name a kernel by at least {} characters of its hash, or all", least));
  int gone = 0;
  for (const ImportedMemory& m : imported_memory(workspace)) {
    if (hash != "all" && !m.kernel.hash.starts_with(hash)) continue;
    std::error_code error;
    fs::remove(memory_folder(workspace) / (m.kernel.hash + ".json"), error);
    if (error) return fail(Code::io, "a kernel of the memory cannot be removed", error.message());
    ++gone;
  }
  return gone;
}

}  // namespace ww::model_loop
