// SPDX-License-Identifier: Apache-2.0
// Accepted kernels on their way from one workspace to another: in a file, and in WORKSPACE/memory once the user has
// agreed. They help models; the gate never believes them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "candidate/candidate.h"
#include "store/workspace.h"

namespace ww::model_loop {

struct MemoryEntry {
  std::string op, spec;  // spec: its text
  std::string device;    // "simt", or the GPU's name
  std::string hash, structure, move;
  candidate::Language language = candidate::Language::cuda;
  std::string code;
  double score = 0;
  std::string unit;
  double gain = 0;  // the score of its run's first accepted candidate over its own; 0: not known
  WW_FIELDS(MemoryEntry, op, (spec, "text of the op spec"), (device, "`simt`, or the name of a GPU"), hash, structure,
            (move, "the step that led to it"), language, (code, "text of the candidate"), score, unit,
            (gain, "score of its run's first accepted candidate over its own; 0: not known"))
};
struct MemoryFile {
  static constexpr const char* version = "warpwright/memory/1";
  std::string schema = version;
  std::vector<MemoryEntry> kernels;
  WW_FIELDS(MemoryFile, schema, kernels)
};

// The best accepted kernel of each of its runs, each once; without those that came from elsewhere.
Result<MemoryFile> exported_memory(store::Workspace& workspace);
std::string memory_to_json(const MemoryFile& file);
// Checks all of it: every spec and candidate parses, and belongs to its op. Code::corrupt says what is wrong where.
Result<MemoryFile> memory_from_json(const std::string& text);

struct ImportedMemory {
  std::string imported;  // ISO 8601, UTC
  MemoryEntry kernel;
  WW_FIELDS(ImportedMemory, (imported, "ISO 8601, UTC"), kernel)
};
// Those of a workspace, ordered by time and hash. Files that cannot be read are left out, and named in `problems`.
std::vector<ImportedMemory> imported_memory(const std::filesystem::path& workspace,
                                            std::vector<std::string>* problems = nullptr);
// Returns how many are new.
Result<int> import_memory(const std::filesystem::path& workspace, const MemoryFile& file);
Result<int> forget_memory(const std::filesystem::path& workspace, const std::string& hash);  // its beginning, or "all"

}  // namespace ww::model_loop
