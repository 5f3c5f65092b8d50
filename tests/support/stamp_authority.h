// SPDX-License-Identifier: Apache-2.0
// A time stamping authority for tests (RFC 3161, OpenSSL), with a key and a certificate made when it starts.
#pragma once
#include <memory>
#include <string>

namespace ww::support {

class StampAuthority {
 public:
  // Its clock is `ahead` seconds ahead; its certificate is valid from an hour before now to an hour after. `named`: its
  // stamps name it.
  explicit StampAuthority(const std::string& name, bool named = false, long ahead = 0);
  ~StampAuthority();
  std::string certificate() const;                 // PEM, signed by itself
  std::string answer(const std::string& request);  // DER

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ww::support
