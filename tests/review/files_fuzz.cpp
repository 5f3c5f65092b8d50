// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a policy of reviews, as answers, as the file of known keys, as names of reviewers. The first
// byte chooses.
#include "review/checklist.h"
#include "review/known_keys.h"
#include "review/people.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::review;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  ::setenv("WARPWRIGHT_CONFIG", fuzz::folder().c_str(), 1);
  fuzz::seeds(*argc, *argv, [] {
    const std::string key(64, 'a');
    return fuzz::Seeds{"a" + fuzz::source_file("resources/review/policy.json"),
                       "b" + answers_to_json({{"reads", "yes"}}),
                       "c{\"keys\":[{\"name\":\"Ada\",\"public_key\":\"" + key + "\",\"since\":\"2025-01-01\"}]}",
                       "d Ada  Lovelace\xcc\x88 \xd0\x90\xd0\xb4\xd0\xb0 \xe2\x80\xae \xef\xbc\xa1"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(fuzz::view(data + 1, size - 1));
  switch (data[0] % 4) {
    case 'a' % 4:
      if (const auto p = Policy::parse(text, "policy.json"))
        for (const Item& i : p->items) fuzz::require(p->item(i.id) == &i);
      break;
    case 'b' % 4:
      if (const auto a = answers_from_json(text)) fuzz::require(answers_from_json(answers_to_json(*a)) == *a);
      break;
    case 'c' % 4: {
      const auto file = fuzz::folder() / "keys.json";
      fuzz::write(file, text);
      auto known = KnownKeys::load(file);
      if (!known) break;
      if (known->trust("Bob", std::string(64, 'b'), "", true)) fuzz::require(KnownKeys::load(file).has_value());
      (void)known->revoke("Bob", "lost");
      break;
    }
    default: {
      const std::string name = normal_name(text);
      fuzz::require(normal_name(name) == name && name_shape(name) == name_shape(text));
    }
  }
  return 0;
}
