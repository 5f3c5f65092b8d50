// SPDX-License-Identifier: Apache-2.0
// The step of `kernelbench` that has solutions judged by KernelBench's own evaluation.
#pragma once
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>
#include "console.h"
#include "importer/task_folder.h"

namespace ww::cli {

struct Judging {
  std::filesystem::path repository, results;
  std::string device;
  importer::Trials trials;
};

Result<std::unique_ptr<importer::KernelBenchJudge>> started_judge(const Judging& judging, const std::stop_token& stop);
// The solutions of these tasks that have no verdict yet, one after the other; each verdict is kept at once.
// `first`: judges the first of them; may be null. Code::cancelled: the rest is left for the next time.
Status judge_solutions(const Judging& judging, const std::vector<importer::Task>& tasks, importer::TaskRecords& records,
                       std::unique_ptr<importer::KernelBenchJudge> first, LiveLine& live, const std::stop_token& stop);
Status keep(importer::TaskRecords& records, const importer::TaskRecord& record,
            const std::filesystem::path& results);  // and the report

}  // namespace ww::cli
