// SPDX-License-Identifier: Apache-2.0
// For programs that are started without stdin, stdout or stderr.
#pragma once

namespace ww {

// Occupies the closed ones of descriptors 0 to 2, so that no file opened later gets one of these numbers; reading and
// writing them still fail with EBADF. Runs before static objects are constructed; main calls it so that it is linked.
[[gnu::constructor(101)]] void hold_standard_streams();

}  // namespace ww
