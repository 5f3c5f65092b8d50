// SPDX-License-Identifier: Apache-2.0
#include "compile/resources.h"
#include <algorithm>
#include <charconv>

namespace ww::compile {
namespace {

std::string_view between_quotes(std::string_view line) {
  const std::size_t a = line.find('\'');
  const std::size_t b = a == std::string_view::npos ? a : line.find('\'', a + 1);
  return b == std::string_view::npos ? std::string_view() : line.substr(a + 1, b - a - 1);
}

// Calls take(number, what follows it up to the next comma) for each "12 bytes stack frame" of the line.
template <class Take>
void each_count(std::string_view line, Take take) {
  while (!line.empty()) {
    std::string_view part = line.substr(0, line.find(','));
    line.remove_prefix(std::min(line.size(), part.size() + 1));
    const std::size_t digit = part.find_first_of("0123456789");
    if (digit == std::string_view::npos) continue;
    std::int64_t n = 0;
    const auto [stop, error] = std::from_chars(part.data() + digit, part.data() + part.size(), n);
    if (error == std::errc{}) take(n, part.substr(static_cast<std::size_t>(stop - part.data())));
  }
}

}  // namespace

AssemblerLog read_assembler_log(std::string_view log) {
  AssemblerLog out;
  KernelResources* kernel = nullptr;  // of the last "Compiling entry function"
  bool own_properties = false;  // the last "Function properties" were that kernel's, not those of a function it calls
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    const bool informative = line.starts_with("ptxas info") || line.starts_with("info ") ||
                             line.find("bytes stack frame") != std::string_view::npos;
    if (!informative) {
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) out.rest.append(line).push_back('\n');
      continue;
    }
    const auto has = [&](std::string_view what) { return line.find(what) != std::string_view::npos; };
    if (has("Compiling entry function")) {
      out.kernels.push_back({});
      kernel = &out.kernels.back();
      kernel->kernel = between_quotes(line);
    } else if (has("Function properties for")) {
      own_properties = kernel && line.ends_with(" " + kernel->kernel);
    } else if (kernel && has("bytes stack frame") && own_properties) {
      each_count(line, [&](std::int64_t n, std::string_view what) {
        if (what.find("stack frame") != std::string_view::npos) kernel->stack = n;
        if (what.find("spill stores") != std::string_view::npos) kernel->spill_stores = n;
        if (what.find("spill loads") != std::string_view::npos) kernel->spill_loads = n;
      });
    } else if (kernel && has("Used ") && has(" registers")) {
      each_count(line, [&](std::int64_t n, std::string_view what) {
        if (what.find("registers") != std::string_view::npos) kernel->registers = static_cast<int>(n);
        if (what.find("barriers") != std::string_view::npos) kernel->barriers = static_cast<int>(n);
        if (what.find("smem") != std::string_view::npos) kernel->static_shared = n;
        if (what.find("cmem") != std::string_view::npos) kernel->constant += n;
      });
    }
  }
  std::sort(out.kernels.begin(), out.kernels.end(),
            [](const KernelResources& a, const KernelResources& b) { return a.kernel < b.kernel; });
  return out;
}

}  // namespace ww::compile
