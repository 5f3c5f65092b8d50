// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <unistd.h>
#include "base/ascii.h"
#include "base/files.h"
#include "llm/catalogue.h"

extern char** environ;

namespace ww::llm {
namespace {

constexpr std::string_view key_prefix = "WARPWRIGHT_KEY_";
constexpr std::string_view no_key = "WARPWRIGHT_KEY_PASSPHRASE_FILE";  // a file's name, for review/signing.h

struct Keys {
  std::mutex mutex;
  std::map<std::string, Secret> taken;  // by variable
  std::vector<Secret> others;           // values of presets' headers and query
  std::vector<KeyReader> readers;
};
Keys& keys() {
  static Keys k;
  return k;
}

std::string variable_part(const std::string& preset) {  // "openai-chat": OPENAI_CHAT
  std::string out;
  for (const char c : preset)
    out += c >= 'a' && c <= 'z'                               ? static_cast<char>(c - 'a' + 'A')
           : (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c
                                                              : '_';
  return out;
}

}  // namespace

std::string key_override(const std::string& preset) { return std::string(key_prefix) + variable_part(preset); }
std::string url_override(const std::string& preset) { return "WARPWRIGHT_URL_" + variable_part(preset); }

void take_keys(const Catalogue& catalogue) {
  std::set<std::string, std::less<>> wanted;
  for (const Preset& p : catalogue.presets())
    if (!p.key_variable.empty()) wanted.insert(p.key_variable);
  Keys& k = keys();
  const std::lock_guard lock(k.mutex);
  for (const Preset& p : catalogue.presets())
    k.others.insert(k.others.end(), p.endpoint.secrets.begin(), p.endpoint.secrets.end());
  std::set<std::string> found;
  for (char** at = environ; at && *at;
       ++at) {  // every one of that name: unsetenv removes doubles as well, but wipes none
    char* const equal = std::strchr(*at, '=');
    if (!equal) continue;
    const std::string_view name(*at, static_cast<std::size_t>(equal - *at));
    if (!wanted.contains(name) && (!name.starts_with(key_prefix) || name == key_prefix || name == no_key)) continue;
    const std::string_view value = trimmed(equal + 1);
    if (found.insert(std::string(name)).second && !value.empty())
      k.taken.insert_or_assign(std::string(name), Secret(value));  // the first one counts, as for getenv
    explicit_bzero(equal + 1, std::strlen(equal + 1));  // also what /proc/PID/environ shows: it reads this memory
  }
  for (const std::string& name : found) ::unsetenv(name.c_str());
  if (!k.taken.empty()) forbid_dumps();
}

void take_keys() {
  Result<Catalogue> catalogue = Catalogue::load();
  if (!catalogue) {
    const Result<std::string> shipped = read_file(Catalogue::shipped_file());
    catalogue = Catalogue::parse(shipped ? *shipped : std::string(), {});
  }
  take_keys(catalogue ? *catalogue : Catalogue());
}

void add_key_reader(KeyReader reader) {
  Keys& k = keys();
  const std::lock_guard lock(k.mutex);
  k.readers.push_back(std::move(reader));
}

Secret key_for(const Preset& preset) {
  Keys& k = keys();
  std::vector<KeyReader> readers;
  {
    const std::lock_guard lock(k.mutex);
    for (const std::string& variable : {key_override(preset.endpoint.preset), preset.key_variable})
      if (const auto found = k.taken.find(variable); found != k.taken.end()) return found->second;
    readers = k.readers;
  }
  for (const KeyReader& reader : readers)
    if (std::optional<Secret> key = reader(preset.endpoint.preset); key && !key->empty()) {
      forbid_dumps();
      return *key;
    }
  return {};
}

}  // namespace ww::llm
