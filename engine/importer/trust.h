// SPDX-License-Identifier: Apache-2.0
// Files that a person has allowed to be run: a PyTorch module is imported by running its file, as the person and
// outside of any sandbox. Answers are kept in config_dir()/"files.json", by place and content: a file that has changed
// is asked about again, and so is a copy elsewhere, which may import what lies beside it.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>
#include "base/result.h"

namespace ww::importer {

Result<std::string> read_program(const std::filesystem::path& file);  // of a module: at most 4 MiB
// `file`: empty for a text that is in no file.
bool may_run(const std::filesystem::path& file, const std::string& content);
Status let_run(const std::filesystem::path& file, const std::string& content);
using Program = std::pair<std::filesystem::path, std::string>;  // file and content
Status let_run(const std::vector<Program>& programs);           // all at once

}  // namespace ww::importer
