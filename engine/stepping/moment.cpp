// SPDX-License-Identifier: Apache-2.0
#include "stepping/moment.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/files.h"

namespace ww::stepping {
namespace {

constexpr std::size_t most_bytes = std::size_t{8} << 20;

}  // namespace

SteppedLaunch Moment::subject() const {
  return {spec, candidate, language, binding, distribution, seed, launch, debug};
}

void Moment::set_subject(const SteppedLaunch& subject) {
  spec = subject.spec;
  candidate = subject.candidate;
  language = subject.language;
  binding = subject.binding;
  distribution = subject.distribution;
  seed = subject.seed;
  launch = subject.launch;
  debug = subject.debug;
}

Status write_moment(const std::filesystem::path& file, const Moment& moment) {
  return write_file_atomic(file, json::dump(json::of(moment), 2) + "\n");
}

Result<Moment> read_moment(const std::filesystem::path& file) {
  const std::string what = "'" + file.string() + "' is no moment of a kernel";
  Moment m = WW_TRY(json::read_text<Moment>(WW_TRY(read_file(file, most_bytes)), what));
  const auto bad = [&](const char* why) { return fail(Code::corrupt, what, why); };
  if (m.version != 1) return bad("it was made by a later version of Warpwright");
  if (m.position < 0 || m.launch < 0 || m.warp < -1 || m.lane < 0 || m.lane > 31 || m.block.size() > 3 ||
      std::ranges::any_of(m.block, [](std::int64_t n) { return n < 0; }))
    return bad("a number in it cannot be");
  return m;
}

}  // namespace ww::stepping
