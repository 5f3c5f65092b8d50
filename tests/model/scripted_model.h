// SPDX-License-Identifier: Apache-2.0
// A "model" for tests: speaks Chat Completions and answers from the content of each request alone (its seed, and the
// code in it), so that the order in which requests arrive changes nothing. All kernels that it gives were written for
// this test; each is of the op relu(x[R, C]) -> y. Asked as model "writer" it gives, by the request's seed, one of a
// fixed mix; as "analyst" a diagnosis; as "reviewer" notes that ask to accept.
#pragma once
#include <cstdint>
#include <string>
#include "support/loopback_server.h"

namespace ww::model_tests {

enum class Kind { good, compile_error, wrong_answer, out_of_bounds, hang, slow, malformed, malformed_twice, injected };
Kind kind_of(
    std::uint64_t seed);  // the mix: of 16 seeds on average 7 are good, 1 each is of the others, 2 are injected
std::string kernel(Kind kind, int level, std::uint64_t seed);  // the candidate file; level 0 to 4: more elements for
                                                               // each load; the seed varies what does not matter much
support::Answer answer(const support::Received& request);      // one HTTP request

// models.json of a preset "scripted" at that URL.
std::string catalogue(const std::string& url, const std::string& key_variable = "");

}  // namespace ww::model_tests
