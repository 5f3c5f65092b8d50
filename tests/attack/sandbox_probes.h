// SPDX-License-Identifier: Apache-2.0
// What a process behind the sandbox's walls tries. Two tables: plain system calls, which must answer EPERM, and
// attempts, which must fail in whatever way.
#pragma once
#include <span>
#include <string>
#include <sys/types.h>

namespace ww::attack {

struct World {                // what lies outside, made by the test
  pid_t victim = 0;           // a process of the same user
  std::string folder;         // of the user, not given to the sandbox
  std::string secret;         // a private file in it
  std::string shared_memory;  // a file in /dev/shm
  std::string socket;         // a listening local socket in `folder`
  std::string abstract_name;  // of another one, without the leading NUL
  int port = 0;               // of a TCP socket that listens on 127.0.0.1
  int shared_segment = -1;    // System V
  std::string terminal;       // a terminal of the user
  std::string cache;          // the one folder that the sandbox leaves writable
};

struct PlainCall {
  const char* name;
  long number;
  long arguments[4];
};
struct Attempt {
  const char* name;
  long (*run)(const World&);  // negative: denied
};

std::span<const PlainCall> plain_calls();
std::span<const Attempt> attempts();

}  // namespace ww::attack
