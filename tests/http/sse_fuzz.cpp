// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as a stream of events; how they are cut into pieces changes nothing.
#include <cstdint>
#include "http/sse.h"

using namespace ww::http;

namespace {
std::string read_in(std::string_view bytes, std::size_t step) {
  EventParser parser;
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += step)
    if (!parser.feed(bytes.substr(at, step), [&](const ServerEvent& e) {
          out.append(e.event).append(1, '\0').append(e.data).append(1, '\0').append(e.id).append(1, '\0');
          return out.size() < 100000;
        }))
      out += "error";
  return out + (parser.unfinished() ? "unfinished" : "");
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = read_in(bytes, size);
  if (read_in(bytes, 1) != whole || read_in(bytes, 3) != whole || read_in(bytes, 7) != whole) __builtin_trap();
  return 0;
}
