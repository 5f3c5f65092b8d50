// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a person's files of models and of allowed hosts, and as a stored request or reply. The first
// byte chooses.
#include "llm/catalogue.h"
#include "llm/consent.h"
#include "llm/message_json.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::llm;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  ::setenv("WARPWRIGHT_CONFIG", fuzz::folder().c_str(), 1);
  fuzz::seeds(*argc, *argv, [] {
    Request request;
    request.messages.push_back(message(Role::user, "u", true));
    request.schema = OutputSchema{"s", "{}"};
    Reply reply;
    reply.blocks.push_back({Block::Kind::thinking, "t", "{}"});
    return fuzz::Seeds{
        "a" + read_file(Catalogue::shipped_file()).value().substr(0, 3000),
        R"(a{"schema":"warpwright-models/1","presets":[{"name":"work","provider":"openai","dialect":"chat","base_url":)"
        R"("https://llm.example/v1","headers":{"X-Team":"a"},"key_variable":"K"}],)"
        R"("models":[{"preset":"work","name":"m*",)"
        R"("context":8000,"price":{"prompt":1,"completion":2,"source":"s","date":"2025-01-01"}}]})",
        R"(b{"hosts":[{"host":"api.openai.com","date":"2025-01-01","sources":true,"paths":false,"device_name":true}]})",
        "c" + request_to_json(request), "d" + reply_to_json(reply)};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::string shipped = read_file(Catalogue::shipped_file()).value();
  const std::string text(fuzz::view(data + 1, size - 1));
  switch (data[0] % 4) {
    case 'a' % 4:
      if (const auto c = Catalogue::parse(shipped, text))
        for (const Preset& p : c->presets()) (void)c->facts(p.endpoint.preset, "m"), (void)host_of(p.endpoint.base_url);
      break;
    case 'b' % 4:
      fuzz::write(fuzz::folder() / "hosts.json", text);
      (void)consents();
      (void)allowed({"api.openai.com"}, {});
      break;
    case 'c' % 4:
      if (const auto r = request_from_json(text))
        fuzz::require(request_to_json(request_from_json(request_to_json(*r)).value()) == request_to_json(*r));
      break;
    default:
      if (const auto r = reply_from_json(text))
        fuzz::require(reply_to_json(reply_from_json(reply_to_json(*r)).value()) == reply_to_json(*r));
  }
  (void)is_this_machine(host_of(text));
  return 0;
}
