// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as an op spec, through all that happens to one outside of the sandbox: its worked example, its
// work, the structures of the search and its first candidates. A person's cancellation after two seconds ends it.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include "op/evaluate.h"
#include "op/parse.h"
#include "op/work.h"
#include "search/tuner.h"
#include "support/fuzz.h"

using namespace ww;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    fuzz::Seeds seeds;
    for (const auto& file : std::filesystem::directory_iterator(resources_dir() / "ops"))
      if (file.path().extension() == ".op") seeds.push_back(read_file(file.path()).value());
    return seeds;
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  const op::ParseOutcome parsed = op::parse(fuzz::view(data, size));
  if (!parsed) return 0;
  (void)op::worked_example(*parsed.spec);
  (void)op::work_of(*parsed.spec, {});
  (void)op::steps_of(*parsed.spec, {});
  std::mutex mutex;
  std::condition_variable_any changed;
  bool done = false;
  std::stop_source stop;
  std::jthread patience([&](const std::stop_token& over) {
    std::unique_lock lock(mutex);
    if (!changed.wait_for(lock, over, std::chrono::seconds(2), [&] { return done; })) stop.request_stop();
  });
  Result<search::Tuner> tuner = search::Tuner::make(*parsed.spec, {}, stop.get_token());
  if (!tuner) return 0;
  for (const search::Offer& o : tuner->next({}, 3, stop.get_token()))
    fuzz::require(candidate::parse(o.text, candidate::Language::cuda).has_value());
  return 0;
}
