// SPDX-License-Identifier: Apache-2.0
// RFC 3161 time stamps: a service certifies with its signature that a file with this SHA-256 existed at a given time.
// The stamp is the service's unmodified reply (DER), in a separate file beside the stamped one, which `openssl ts
// -verify` can also read. The module plugins_dir()/stamps/librfc3161.so, the only one that needs OpenSSL and libcurl,
// exports
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
  std::string authority;  // subject of the signing certificate; empty: not included
  bool fits = false;      // it is for these bytes
  bool trusted = false;   // its signature is valid, and its certificates led to a trusted authority at that time
  std::string why_not;    // if it is not trusted
};

class StampService {  // thread-safe
 public:
  virtual ~StampService() = default;
  // Sends only the SHA-256 of `bytes` and a random number to `url`. Errors are those of http/http.h; Code::corrupt: the
  // reply is not a stamp for the request; Code::unavailable: the service refused.
  virtual Result<std::string> ask(const std::string& url, std::string_view bytes, std::stop_token stop) = 0;
  // Code::corrupt: not a stamp. `authorities`: trusted certificates, PEM; empty: the system's.
  virtual Result<Stamp> read(std::string_view stamp, std::string_view bytes,
                             const std::filesystem::path& authorities) = 0;
};

Result<std::unique_ptr<StampService>> stamp_service();  // Code::unavailable: the module is missing or cannot be loaded

}  // namespace ww::review
