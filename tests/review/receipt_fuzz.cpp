// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as a receipt, also against a workspace. What is not genuine gives no kernel, no page and takes no
// signature; what is genuine has valid signatures.
#include "review/known_keys.h"
#include "review/receipt.h"
#include "store/bundle.h"
#include "store/workspace.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::review;

namespace {

store::Workspace& workspace() {
  static const std::unique_ptr<store::Workspace> opened = [] {
    const auto folder = fuzz::folder() / "workspace";
    const auto bundle = fuzz::source_dir() / "tests/review/fixtures/accepted.wwb";
    auto w = store::Workspace::open(folder);
    fuzz::require(w.has_value());
    fuzz::require(store::import_bundle(bundle, folder).has_value());
    return std::move(*w);
  }();
  return *opened;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  ::setenv("WARPWRIGHT_CONFIG", fuzz::folder().c_str(), 1);
  fuzz::seeds(*argc, *argv, [] {
    const std::string genuine = fuzz::source_file("tests/review/fixtures/receipt.json");
    const Result<Signer> second = Signer::open(fuzz::folder() / "second.key");
    return fuzz::Seeds{genuine, add_signature(genuine, "Bob", *second).value(),
                       R"({"body":{},"hashes":{},"schema":"warpwright/receipt/1","signatures":[]})"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Result<Signer> signer = Signer::open(fuzz::folder() / "signing.key");
  fuzz::require(signer.has_value());
  const std::string text(fuzz::view(data, size));
  const Verification v = verify(text);
  const auto kernel = kernel_of(text);
  const auto page = receipt_markdown(text);
  const auto signed_too = add_signature(text, "Carol", *signer);
  fuzz::require(v.genuine() == kernel.has_value() && v.genuine() == page.has_value());
  fuzz::require(!signed_too || (v.genuine() && verify(*signed_too).genuine()));
  if (v.genuine())
    for (const Signature& s : v.signatures) fuzz::require(s.valid);
  static const Result<KnownKeys> known = KnownKeys::load();
  fuzz::require(known && known->standing(v).size() == v.signatures.size());
  (void)unsigned_part(text);
  (void)verify_against(text, workspace());
  return 0;
}
