// SPDX-License-Identifier: Apache-2.0
// A workspace, or one of its runs, as one file (.wwb) that opens anywhere: a consistent copy of the database with its
// blobs inside, and a digest over every row. The file is itself an SQLite database: table `bundle` (format, created,
// program, digest), table `blob` (hash, bytes), and the workspace's tables. The digest detects damage, not forgery: it
// is not a signature.
#pragma once
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>
#include "base/describe.h"
#include "base/result.h"

namespace ww::store {

struct BundleFacts {
  static constexpr std::string_view described_as = "BUNDLE";
  std::string digest, created, program;  // of the content; ISO 8601, UTC; "warpwright 0.1.0" that wrote it
  std::int64_t runs = 0, candidates = 0, measurements = 0, blobs = 0;
  WW_FIELDS(BundleFacts, digest, created, program, runs, candidates, measurements, blobs)
};

// `run` 0: everything. The workspace may be in use; the bundle contains what was stored when the export began. Lost or
// damaged blobs are an error that names them. An existing file is replaced once the new one is complete.
Result<BundleFacts> export_bundle(const std::filesystem::path& workspace, const std::filesystem::path& file,
                                  std::int64_t run, const std::string& program);

struct Imported {
  BundleFacts bundle;
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // number in the bundle, number here
};
// Adds the bundle's runs to the workspace (created if missing) as new runs; existing data does not change. Texts that
// already exist are not duplicated. All or nothing. Code::corrupt for a damaged file, Code::invalid_argument for one
// that is not a bundle or was already imported, Code::unsupported for a newer version, Code::cancelled after a stop
// request.
Result<Imported> import_bundle(const std::filesystem::path& file, const std::filesystem::path& workspace,
                               const std::stop_token& stop = {});

}  // namespace ww::store
