// SPDX-License-Identifier: Apache-2.0
// Logs to stderr (stdout carries results and the worker's protocol). WARPWRIGHT_LOG sets the level: trace, debug, info,
// warn (default), error, off. Known keys (secret.h) are redacted. A message may contain outside text: it is printed as
// one line that cannot control the terminal (visible.h), truncated at 4 KiB.
#pragma once
#include <string_view>

namespace ww::log {

enum class Level { trace, debug, info, warn, error };
void write(Level level, std::string_view message);
inline void debug(std::string_view m) { write(Level::debug, m); }
inline void info(std::string_view m) { write(Level::info, m); }
inline void warn(std::string_view m) { write(Level::warn, m); }
inline void error(std::string_view m) { write(Level::error, m); }

// Prints a line on stderr at any level, without a timestamp: a program's last words.
void say(std::string_view message);

}  // namespace ww::log
