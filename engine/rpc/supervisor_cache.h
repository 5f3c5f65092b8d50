// SPDX-License-Identifier: Apache-2.0
// A supervisor's cache of its workers' results, sealed in a folder that no worker can access (base/sealed_folder.h).
// Since a candidate may have compromised a worker, its results are cached only for that candidate; measured ceilings of
// a GPU are cached only from a worker that has not seen a candidate yet.
#pragma once
#include <string_view>
#include "base/sealed_folder.h"
#include "candidate/candidate.h"
#include "rpc/worker_cache.h"

namespace ww::rpc {

class SupervisorCache {
 public:
  explicit SupervisorCache(const std::filesystem::path& folder) : folder_(folder) {}
  CacheEntries of_candidate(std::string_view text, candidate::Language language);
  void keep_of_candidate(std::string_view text, candidate::Language language, const CacheEntries& made);
  CacheEntries of_device(const std::string& device);
  void keep_of_device(const std::string& device, const CacheEntries& made);

 private:
  CacheEntries read(const std::string& scope);
  void merge(const std::string& scope, const CacheEntries& made);
  SealedFolder folder_;
};

}  // namespace ww::rpc
