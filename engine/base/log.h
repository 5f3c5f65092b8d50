// SPDX-License-Identifier: Apache-2.0
// Logging goes to stderr (stdout belongs to results and to the worker's protocol). Level from WARPWRIGHT_LOG:
// trace, debug, info, warn (default), error, off. Known keys (secret.h) are replaced. Texts from outside may be part of
// a message: it stays one line that cannot steer the terminal (visible.h), and its end is cut off beyond 4 KiB.
#pragma once
#include <string_view>

namespace ww::log {

enum class Level { trace, debug, info, warn, error };
void write(Level level, std::string_view message);
inline void debug(std::string_view m) { write(Level::debug, m); }
inline void info(std::string_view m) { write(Level::info, m); }
inline void warn(std::string_view m) { write(Level::warn, m); }
inline void error(std::string_view m) { write(Level::error, m); }

// A line on stderr at any level, without a time: what a program that has no other way says before it ends.
void say(std::string_view message);

}  // namespace ww::log
