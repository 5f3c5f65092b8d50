// SPDX-License-Identifier: Apache-2.0
// libFuzzer: case files, and a short run of those that can be used. The first line is the case, the rest the file that
// it names.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include "sim/case_file.h"
#include "sim/run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(all.find('\n'), all.size());
  const auto read = [&](const std::string&, std::size_t most) -> ww::Result<std::string> {
    const std::string_view rest = all.substr(std::min(cut + 1, all.size()));
    if (rest.size() > most) return ww::fail(ww::Code::io, "too large");
    return std::string(rest);
  };
  auto job = ww::sim::job_of(all.substr(0, cut), read);
  if (!job || job->language != ww::candidate::Language::ptx) return 0;
  std::int64_t bytes = 0;
  for (const auto& a : job->args) bytes += a.buffer ? a.buffer->bytes : 0;
  if (bytes > 1 << 16) return 0;
  job->budget = 1000;
  job->threads = 1;
  job->runs = 1;
  (void)ww::sim::run(*job, nullptr);
  return 0;
}
