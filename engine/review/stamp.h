// SPDX-License-Identifier: Apache-2.0
// Time stamps of RFC 3161: a service says, signed, that a file with this SHA-256 existed at a time. The stamp is the
// service's reply as it came (DER), in a file of its own beside the stamped one; `openssl ts -verify` reads it, too.
// The module plugins_dir()/stamps/librfc3161.so, which alone needs OpenSSL and libcurl, exports
//   extern "C" __attribute__((visibility("default"))) ww::review::StampService* ww_make_stamp_service();
//   extern "C" __attribute__((visibility("default"))) int ww_stamp_abi();  // returns stamp_abi
#pragma once
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww::review {

inline constexpr int stamp_abi = 1;

struct Stamp {
  std::string created;    // by the service's clock, ISO 8601 in UTC
  std::string authority;  // subject of the certificate that signed it; empty: the stamp has none
  bool fits = false;      // it is of these bytes
  bool trusted = false;   // its signature holds, and its certificates led to a trusted authority at that time
  std::string why_not;    // where it is not trusted
};

class StampService {  // thread-safe
 public:
  virtual ~StampService() = default;
  // Sends the SHA-256 of `bytes` and a random number, nothing else, to `url`. Errors are those of http/http.h;
  // Code::corrupt: the reply is no stamp of what was asked; Code::unavailable: the service refused.
  virtual Result<std::string> ask(const std::string& url, std::string_view bytes, std::stop_token stop) = 0;
  // Code::corrupt: these bytes are no stamp. `authorities`: certificates to trust, PEM; empty: the system's.
  virtual Result<Stamp> read(std::string_view stamp, std::string_view bytes,
                             const std::filesystem::path& authorities) = 0;
};

Result<std::unique_ptr<StampService>> stamp_service();  // Code::unavailable: the module is missing or cannot be loaded

}  // namespace ww::review
