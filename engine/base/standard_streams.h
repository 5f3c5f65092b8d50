// SPDX-License-Identifier: Apache-2.0
// Programs that are started without stdin, stdout or stderr.
#pragma once

namespace ww {

// Occupies those of the descriptors 0 to 2 that are closed, so that no file that is opened later takes the place of
// one: reading and writing them go on failing, with EBADF. Runs before static objects are
// made; main calls it so that it is linked.
[[gnu::constructor(101)]] void hold_standard_streams();

}  // namespace ww
