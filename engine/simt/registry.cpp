// SPDX-License-Identifier: Apache-2.0
#include "simt/registry.h"
#include "simt/opcode.h"
#ifdef WW_SIMT_HAS_V3
#include <cpuid.h>
#endif
#include <cstdio>
#include <cstdlib>

namespace ww::simt {

#define WW_SIMT_FAMILIES(X) \
  X(integer)                \
  X(bits)                   \
  X(carry)                  \
  X(predicate)              \
  X(f32) X(f64) X(half) X(convert) X(math) X(moves) X(global) X(shared) X(local) X(atomic) X(warp) X(matrix) X(async)
#define WW_DECLARE(family) void register_##family(Registry&);
#ifdef WW_SIMT_HAS_BASELINE
namespace baseline {
WW_SIMT_FAMILIES(WW_DECLARE)
}
#endif
#ifdef WW_SIMT_HAS_V3
namespace v3 {
WW_SIMT_FAMILIES(WW_DECLARE)
}
#endif

namespace {

std::string expand(std::string_view pattern, std::string_view type) {
  std::string out;
  for (const char c : pattern) {
    if (c == '$')
      out += type;
    else
      out += c;
  }
  return out;
}

#ifdef WW_SIMT_HAS_V3
bool has_f16c() {  // older clangs do not know the name in __builtin_cpu_supports
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

bool use_v3() {
#ifdef WW_SIMT_HAS_V3
#ifdef WW_SIMT_HAS_BASELINE
  const char* forced = std::getenv("WARPWRIGHT_SIMT_ISA");
  if (forced != nullptr && std::string_view(forced) == "baseline") return false;
#endif
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
         has_f16c();
#else
  return false;
#endif
}

Registry* build() {
  auto* r = new Registry;  // lives as long as the process
#ifdef WW_SIMT_HAS_V3
  if (use_v3()) {
#define WW_REGISTER(family) v3::register_##family(*r);
    WW_SIMT_FAMILIES(WW_REGISTER)
#undef WW_REGISTER
    return r;
  }
#endif
#ifdef WW_SIMT_HAS_BASELINE
#define WW_REGISTER(family) baseline::register_##family(*r);
  WW_SIMT_FAMILIES(WW_REGISTER)
#undef WW_REGISTER
  return r;
#else
  std::fputs("This build is for processors with AVX2, FMA, BMI2 and F16C: build with WARPWRIGHT_PORTABLE=ON.\n",
             stderr);
  std::abort();
#endif
}

}  // namespace

void Registry::alu(const char* name, const char* type, Handler fn, const char* signature, InstrClass cls, int flops,
                   std::int64_t immediate) {
  AluEntry entry;
  entry.fn = fn;
  entry.cls = cls;
  entry.flops = static_cast<std::uint8_t>(flops);
  entry.immediate = immediate;
  const std::string words = expand(signature, type);
  bool first = true;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string_view word = std::string_view(words).substr(at, end - at);
    if (word == "imm") {
      entry.has_immediate = true;
    } else {
      const Type t = type_from_name(word).value_or(Type::none);
      if (first)
        entry.destination = t;
      else
        entry.source[entry.sources++] = t;
    }
    first = false;
    at = end + 1;
  }
  alu_[normal_opcode(expand(name, type))] = entry;
}

void Registry::memory(bool store, Space space, unsigned bytes, unsigned level, Handler fn) {
  memory_[store][static_cast<int>(space)][index(bytes)][level] = fn;
}
void Registry::atomic(const char* name, const char* type, Handler fn) { atomics_[std::string(name) + "." + type] = fn; }
void Registry::sync(const char* name, Handler fn) { syncs_[normal_opcode(name)] = fn; }

const AluEntry* Registry::find(std::string_view opcode) const {
  const auto it = alu_.find(normal_opcode(opcode));
  return it == alu_.end() ? nullptr : &it->second;
}
Handler Registry::find_memory(bool store, Space space, unsigned bytes, unsigned level) const {
  return memory_[store][static_cast<int>(space)][index(bytes)][level];
}
Handler Registry::find_atomic(std::string_view name, std::string_view type) const {
  const auto it = atomics_.find(std::string(name) + "." + std::string(type));
  return it == atomics_.end() ? nullptr : it->second;
}
Handler Registry::find_sync(std::string_view name) const {
  const auto it = syncs_.find(normal_opcode(name));
  return it == syncs_.end() ? nullptr : it->second;
}

const Registry& host_registry() {
  static const Registry* const registry = build();
  return *registry;
}

std::string_view host_isa() { return use_v3() ? "x86-64-v3" : "x86-64"; }

}  // namespace ww::simt
