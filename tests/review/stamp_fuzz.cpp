// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as a time stamp of RFC 3161. None is believed: no authority is trusted.
#include "stamps/rfc3161/rfc3161.h"
#include "support/fuzz.h"

using namespace ww;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    using namespace std::string_literals;
    return fuzz::Seeds{"\x30\x05\x30\x03\x02\x01\x02"s,
                       "\x30\x80\x30\x03\x02\x01\x00\x30\x80\x06\x09*\x86H\x86\xf7\r\x01\x07\x02"s};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto service = stamps::make_rfc3161();
  static const auto nobody = [] {
    fuzz::write(fuzz::folder() / "nobody.pem", "");
    return fuzz::folder() / "nobody.pem";
  }();
  const auto stamp = service->read(fuzz::view(data, size), "stamped", nobody);
  fuzz::require(!stamp || !stamp->trusted);
  return 0;
}
