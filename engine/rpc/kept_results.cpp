// SPDX-License-Identifier: Apache-2.0
#include "rpc/kept_results.h"
#include "base/hash.h"
#include "rpc/kept_messages.h"

namespace ww::rpc {
namespace {

std::string candidate_scope(std::string_view text, candidate::Language language) {
  return Hasher().field("candidate").field(candidate::language_name(language)).field(text).hex();
}

std::string device_scope(const std::string& device) { return Hasher().field("device").field(device).hex(); }

}  // namespace

KeptEntries KeptResults::read(const std::string& scope) {
  const std::optional<std::string> text = folder_.load(scope);
  if (!text) return {};
  const Result<Json> message = json::parse(*text);
  Result<KeptEntries> entries = message ? read_kept(*message) : Result<KeptEntries>(fail(message.error()));
  return entries ? std::move(*entries) : KeptEntries();
}

// The newest entries win where there is no room for all.
void KeptResults::merge(const std::string& scope, const KeptEntries& made) {
  if (made.empty()) return;
  KeptEntries all = made;
  add_as_room_allows(all, read(scope));
  folder_.store(scope, json::dump({{"kept", kept_json(all)}}));
}

KeptEntries KeptResults::of_candidate(std::string_view text, candidate::Language language) {
  return read(candidate_scope(text, language));
}
void KeptResults::keep_of_candidate(std::string_view text, candidate::Language language, const KeptEntries& made) {
  merge(candidate_scope(text, language), made);
}
KeptEntries KeptResults::of_device(const std::string& device) { return read(device_scope(device)); }
void KeptResults::keep_of_device(const std::string& device, const KeptEntries& made) {
  merge(device_scope(device), made);
}

}  // namespace ww::rpc
