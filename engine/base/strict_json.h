// SPDX-License-Identifier: Apache-2.0
// For files that people write: while one of these lives, reading described structs on its thread (described_json.h)
// refuses members that no struct describes, so that a mistyped name is not silently without effect.
#pragma once

namespace ww::json {

class Strictly {
 public:
  Strictly();
  ~Strictly();
  Strictly(const Strictly&) = delete;
  Strictly& operator=(const Strictly&) = delete;

 private:
  bool before_;
};

}  // namespace ww::json
