// SPDX-License-Identifier: Apache-2.0
// A loaded PTX module, ready to launch. Immutable and shareable between threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"

namespace ww::simt {

struct ParamInfo {
  std::string name;      // "vadd_param_0"
  std::string type;      // PTX type without the dot: "u64", "f32", "b8" (arrays: structs passed by value)
  std::size_t size = 0;  // bytes, arrays included
  std::size_t align = 1;
  std::size_t offset = 0;  // in LaunchConfig::params
  bool is_array = false;
};

struct Dims {  // 0 in x: not given
  std::uint32_t x = 0, y = 1, z = 1;
};

struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  std::size_t param_bytes = 0;     // size that LaunchConfig::params must have
  std::size_t static_shared = 0;   // bytes of .shared used by the kernel and the functions it calls
  std::size_t local_bytes = 0;     // .local bytes per thread of the kernel and the deepest acyclic call chain
  Dims maxntid, reqntid, cluster;  // as declared
  int ptx_line = 0;                // where the entry is in the PTX text
  int source_line = 0;             // its first .loc in the candidate, 0 when unknown
  std::vector<std::string>
      unsupported;  // "unsupported: mapa.u64 at line 12"; non-empty: launch() answers with the first
};

struct InstructionInfo {
  std::string opcode;   // with suffixes
  int ptx_line = 0;     // from 1
  int source_line = 0;  // in the candidate's own file (.file 1), 0 when unknown
};

class Module;  // the syntax tree (simt/module.h)
struct ProgramData;

class Program {
 public:
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();
  const std::vector<KernelInfo>& kernels() const;
  const KernelInfo* kernel(std::string_view name) const;  // null when there is none
  std::string_view target() const;                        // "sm_80"
  std::string_view ptx() const;                           // the text it was loaded from
  int source_line(int ptx_line) const;                    // candidate line of a PTX line, 0 when unknown
  // Instructions of one kernel in PTX order (those of functions it calls are not included).
  std::vector<InstructionInfo> instructions(std::string_view kernel) const;
  const Module& module() const;
  const ProgramData& data() const { return *data_; }  // for the machine itself

 private:
  friend Result<std::shared_ptr<const Program>> load(std::string_view ptx);
  explicit Program(std::unique_ptr<ProgramData> data);
  std::unique_ptr<ProgramData> data_;
};

// Parses PTX. Errors carry "line:column: what". Instructions that the machine does not know do not fail here; they are
// listed in KernelInfo::unsupported of each kernel that can reach them.
Result<std::shared_ptr<const Program>> load(std::string_view ptx);

// Marshals kernel arguments in declaration order. Each add_… converts to the next parameter's size and checks it.
class Arguments {
 public:
  explicit Arguments(const KernelInfo& kernel);
  Arguments& add_pointer(std::uint64_t device_address);
  Arguments& add_i64(std::int64_t value);  // integer parameters of 1 to 8 bytes; must be representable
  Arguments& add_f64(double value);        // .f32 / .f64 parameters, and .b32/.b64 ones as that float type
  Arguments& add_bytes(std::span<const std::byte> value);  // anything, by exact size
  Result<std::vector<std::byte>> bytes() const;            // fails when a value did not fit or the count differs

 private:
  const ParamInfo* next(const char* what);
  const KernelInfo* kernel_;
  std::size_t at_ = 0;
  std::vector<std::byte> bytes_;
  std::string problem_;
};

}  // namespace ww::simt
