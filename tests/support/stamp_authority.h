// SPDX-License-Identifier: Apache-2.0
// A time stamping authority for tests (RFC 3161, OpenSSL), with a key and a certificate made when it starts.
#pragma once
#include <memory>
#include <string>

namespace ww::support {

class StampAuthority {
 public:
  explicit StampAuthority(const std::string& name);
  ~StampAuthority();
  std::string certificate() const;                 // PEM, signed by itself
  std::string answer(const std::string& request);  // DER

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ww::support
