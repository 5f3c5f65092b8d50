// SPDX-License-Identifier: Apache-2.0
#include "importer/trust.h"
#include <algorithm>
#include "base/describe.h"
#include "base/described_json.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/utc.h"

namespace ww::importer {
namespace fs = std::filesystem;
namespace {

struct Allowed {
  std::string hash, file, date;
  WW_FIELDS(Allowed, hash, file, date)
};
struct Files {
  std::vector<Allowed> files;
  WW_FIELDS(Files, files)
};

fs::path list_file() { return config_dir() / "files.json"; }

std::string place_of(const fs::path& file) {
  std::error_code ec;
  const fs::path whole = file.empty() ? file : fs::weakly_canonical(fs::absolute(file, ec), ec);
  return (ec ? file : whole).string();
}

Result<Files> read_list() {
  std::error_code ec;
  if (!fs::exists(list_file(), ec)) return Files();
  return json::read_text<Files>(
      WW_TRY(read_file(list_file())),
      "'" + list_file().string() + "', the list of files that may be run, cannot be read; repair or delete it");
}

}  // namespace

Result<std::string> read_program(const fs::path& file) { return read_file(file, std::size_t{4} << 20); }

bool may_run(const fs::path& file, const std::string& content) {
  const Result<Files> list = read_list();
  if (!list) {
    log::warn(list.error().text());
    return false;
  }
  const std::string hash = hash_hex(content), place = place_of(file);
  return std::any_of(list->files.begin(), list->files.end(),
                     [&](const Allowed& a) { return a.hash == hash && a.file == place; });
}

Status let_run(const fs::path& file, const std::string& content) { return let_run({{file, content}}); }

Status let_run(const std::vector<Program>& programs) {
  make_folders(config_dir());
  // Of several processes none loses what another has just been allowed.
  const FileLock lock = WW_TRY(FileLock::wait(config_dir() / "files.lock"));
  Files list = WW_TRY(read_list());
  for (const auto& [file, content] : programs) {
    const std::string hash = hash_hex(content), place = place_of(file);
    std::erase_if(list.files, [&](const Allowed& a) { return a.hash == hash && a.file == place; });
    list.files.push_back({hash, place, utc_now("%Y-%m-%d")});
  }
  return write_file_atomic(list_file(), json::text_of(list, 2) + "\n");
}

}  // namespace ww::importer
