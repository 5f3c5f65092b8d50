// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a server's header fields ("name: value" lines), asked when to try again; and as a URL.
#include <algorithm>
#include "http/http.h"
#include "http/retry.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::http;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    return fuzz::Seeds{"\nretry-after: 12\n",
                       "\nretry-after: Wed, 21 Oct 2026 07:28:00 GMT\ndate: Wed, 21 Oct 2026 07:27:00 GMT\n",
                       "\nretry-after-ms: 1500\nx-should-retry: true\n",
                       "\nx-ratelimit-remaining-tokens: 0\nx-ratelimit-reset-tokens: 6m0.5s\n",
                       "\nanthropic-ratelimit-requests-remaining: 0\n"
                       "anthropic-ratelimit-requests-reset: 2026-10-21T07:28:00.5+02:00\n",
                       "https://user:pass@[::1]:8080/v1?x=y"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::view(data, size);
  (void)host_of(std::string(text));
  Headers headers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (const std::size_t colon = line.find(": "); colon != line.npos)
      headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    at = end + 1;
  }
  const auto now = std::chrono::system_clock::time_point(std::chrono::seconds(1790000000));
  for (const int status : {429, 503, 200}) {
    Retry retry(RetryOptions{});
    for (int attempt = 0; attempt < 6; ++attempt) {
      const std::optional<Wait> wait = retry.next(status, headers, {}, now);
      if (!wait) break;
      fuzz::require(wait->time.count() >= 0 && wait->time <= RetryOptions{}.budget);
    }
  }
  return 0;
}
