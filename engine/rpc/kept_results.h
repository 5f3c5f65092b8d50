// SPDX-License-Identifier: Apache-2.0
// A supervisor's cache of its workers' results, sealed in a folder that no worker can reach (base/sealed_folder.h). A
// worker may have been taken over by a candidate, so what it hands back is kept for that candidate alone; measured
// ceilings of a GPU are kept only from a worker that has not seen a candidate yet.
#pragma once
#include <string_view>
#include "base/sealed_folder.h"
#include "candidate/candidate.h"
#include "rpc/handed_kept.h"

namespace ww::rpc {

class KeptResults {
 public:
  explicit KeptResults(const std::filesystem::path& folder) : folder_(folder) {}
  KeptEntries of_candidate(std::string_view text, candidate::Language language);
  void keep_of_candidate(std::string_view text, candidate::Language language, const KeptEntries& made);
  KeptEntries of_device(const std::string& device);
  void keep_of_device(const std::string& device, const KeptEntries& made);

 private:
  KeptEntries read(const std::string& scope);
  void merge(const std::string& scope, const KeptEntries& made);
  SealedFolder folder_;
};

}  // namespace ww::rpc
