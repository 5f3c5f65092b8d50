// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"
#include <cstdio>
#include <cstdlib>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include "base/secret.h"
#include "base/utf8.h"
#include "base/visible.h"

namespace ww::log {
namespace {
spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> it = [] {
    auto l = std::make_shared<spdlog::logger>("warpwright", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    const char* level = std::getenv("WARPWRIGHT_LOG");
    l->set_level(level ? spdlog::level::from_str(level) : spdlog::level::warn);
    l->set_pattern("[%H:%M:%S.%e] [%P] [%l] %v");
    return l;
  }();
  return *it;
}

constexpr std::size_t max_bytes = 4096;

std::string line(std::string_view message) { return one_line(visible(clipped(redact(message), max_bytes))); }
}  // namespace

void write(Level level, std::string_view message) {
  constexpr spdlog::level::level_enum levels[] = {spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
                                                  spdlog::level::warn, spdlog::level::err};
  logger().log(levels[static_cast<int>(level)], "{}", line(message));
}

void say(std::string_view message) { std::fputs((line(message) + '\n').c_str(), stderr); }

}  // namespace ww::log
