// SPDX-License-Identifier: Apache-2.0
#include "sim/findings.h"
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include "sim/bytes.h"

namespace ww::sim {
namespace {

std::string_view check_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::race: return "races";
    case FaultKind::uninitialised_read: return "init";
    case FaultKind::barrier_divergence:
    case FaultKind::deadlock: return "sync";
    case FaultKind::out_of_bounds:
    case FaultKind::misaligned:
    case FaultKind::read_only_write:
    case FaultKind::null_pointer:
    case FaultKind::double_free:
    case FaultKind::stack_overflow: return "memory";
    default: return "program";
  }
}

std::vector<std::uint32_t> triple(const std::uint32_t (&d)[3]) { return {d[0], d[1], d[2]}; }

std::string value_text(const simt::MachineFault::Value& v) {
  if (v.bytes == 0) return {};
  std::string text = "0x";
  for (int i = v.bytes; i-- > 0;) text += to_hex({reinterpret_cast<const char*>(&v.bits) + i, 1});
  return text;
}

}  // namespace

simt::LaunchOptions options_for(const std::vector<Check>& checks) {
  const auto on = [&](Check c) { return std::ranges::count(checks, c) > 0; };
  simt::LaunchOptions out;
  const bool more = on(Check::races) || on(Check::init) || on(Check::sync);
  out.checks = more ? simt::Checks::full : simt::Checks::bounds;
  out.races = on(Check::races) ? simt::Races::threads : simt::Races::none;
  out.uninitialised = on(Check::init);
  out.synchronisation = on(Check::sync);
  out.goes_on = out.unsupported_on_use = true;
  return out;
}

Finding finding_of(const simt::MachineFault& f, bool ended) {
  Finding r;
  r.kind = f.kind;
  r.check = check_of(f.kind);
  r.message = f.message;
  r.kernel = f.kernel;
  r.site = {f.line, f.ptx_line, f.instruction, triple(f.block), triple(f.thread), -1, f.is_write, value_text(f.value)};
  if (f.other) {
    const auto& o = *f.other;
    r.other = Site{o.line,
                   o.ptx_line,
                   o.instruction,
                   triple(o.block),
                   o.thread_known ? triple(o.thread) : std::vector<std::uint32_t>(),
                   o.warp,
                   o.is_write,
                   value_text(o.value)};
  }
  r.space = simt::space_name(f.space);
  r.buffer = f.buffer;
  r.offset = f.offset;
  r.bytes = static_cast<std::int64_t>(f.access_bytes);
  r.ended = ended;
  return r;
}

std::string plain_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  if (status != 0 || !text) return name;
  std::string plain = text.get();
  if (plain.starts_with("void ")) plain.erase(0, 5);  // of templates
  return plain.substr(0, plain.find('('));
}

}  // namespace ww::sim
