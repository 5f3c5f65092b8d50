// SPDX-License-Identifier: Apache-2.0
// A child process that speaks the protocol on its stdin and stdout (one socket); the end of its stderr is kept. It
// leads its own process group and inherits no other file; it gets only the necessary environment variables (listed in
// process.cpp), never a key. Nothing here raises SIGPIPE; every started process is reaped, unless the kernel holds it
// for longer than end_limit after SIGKILL.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "base/wake.h"
#include "rpc/framing.h"

namespace ww::rpc {

using Milliseconds = std::chrono::milliseconds;
inline constexpr Milliseconds end_limit{30000};  // for a killed process to end; then waiting stops

class Process {
 public:
  // `environment`: further variables to inherit, by name, or by prefix with a trailing '*'.
  static Result<std::unique_ptr<Process>> start(const std::filesystem::path& program,
                                                const std::vector<std::string>& arguments = {},
                                                const std::vector<std::string>& environment = {});
  ~Process();  // kills and reaps the process if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int pid() const { return pid_; }   // 0 once reaped
  void post(std::string_view body);  // frames a message for sending; pump() sends it
  bool sent() const { return out_at_ == out_.size(); }
  void close_input();  // the child sees the end of its input after all posted messages are sent

  // Sends and receives for at most `wait`, or until something arrives or `wake` (if any) is signalled. False if the
  // child has closed its end.
  bool pump(Milliseconds wait, const Wake* wake = nullptr);
  Result<std::optional<std::string>> next() { return frames_.next(); }  // received messages
  const std::string& errors() const { return errors_; }                 // the end of its stderr

  bool wait(Milliseconds limit);  // until it ends on its own; reaps it
  void terminate(
      Milliseconds grace);  // SIGTERM, after `grace` SIGKILL, to the whole group; reaps it, for at most end_limit
  bool kill(
      Milliseconds limit);  // SIGKILL; false if it has not ended by then (a driver may hold it while a kernel runs)
  // "exited with status 3", "was killed by signal 9 (Killed)"; empty while it runs.
  std::string end_text() const;
  enum class End : std::uint8_t {
    of_itself,  // including by a signal that its own work raises
    killed,     // by another process, or by the kernel if memory is short
    out_of_memory,
    out_of_processor_time,  // RLIMIT_CPU
  };
  static constexpr int out_of_memory_status = 12;  // a worker's exit status when it runs out of memory
  End end() const;                                 // once it has ended

 private:
  Process(int pid, int socket, int error_pipe) : pid_(pid), socket_(socket), error_pipe_(error_pipe) {}
  bool reap();  // without waiting; true if it has ended
  void drain_errors();

  int pid_ = 0;
  int socket_ = -1, error_pipe_ = -1;
  std::optional<int> status_;  // as returned by waitpid
  std::string out_;
  std::size_t out_at_ = 0;
  bool close_after_ = false;
  FrameReader frames_;
  std::string errors_;
};

}  // namespace ww::rpc
