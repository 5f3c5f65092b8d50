// SPDX-License-Identifier: Apache-2.0
#include "base/standard_streams.h"
#include <fcntl.h>
#include <unistd.h>

namespace ww {

void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) == -1)  // the lowest that is free is opened: this one
      (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace ww
