// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>
#include "commands.h"
#include "mcp/server.h"

namespace ww::cli {
namespace {

// Duplicates the protocol's descriptors. Other readers of stdin get nothing, and other output goes to stderr.
struct Ends {
  int in = -1, out = -1;
};
Ends take_ends() {
  Ends ends{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) {
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
  }
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return ends;
}

Result<int> serve(mcp::Options options) {
  const op::Library library = WW_TRY(op_library());
  std::error_code ec;
  if (!options.exports.empty() && !std::filesystem::is_directory(options.exports, ec))
    return fail(Code::invalid_argument, "--export-to: '" + options.exports.string() + "' is not a folder");
  const Ends ends = take_ends();
  if (ends.in < 0 || ends.out < 0) return fail(Code::unavailable, "stdin and stdout must be open");
  mcp::Server(options, library, ends.in, ends.out).run();
  return Exit::done;
}

}  // namespace

void add_mcp(Commands& commands) {
  const auto options = std::make_shared<mcp::Options>();
  CLI::App& app = commands.add("mcp", "serves the tools to an agent: the Model Context Protocol on stdin and stdout",
                               [options](const Common& common) {
                                 options->common = common;
                                 return serve(*options);
                               });
  app.add_option("--export-to", options->exports, "folder for the agent's exports; default: no exporting");
  app.add_flag("--unsigned", options->unsigned_too, "also allows exporting unsigned candidates");
}

}  // namespace ww::cli
