// SPDX-License-Identifier: Apache-2.0
#include "llm/consent.h"
#include <algorithm>
#include <mutex>
#include "base/describe.h"
#include "base/files.h"
#include "base/described_json.h"
#include "base/log.h"
#include "base/utc.h"
#include "llm/catalogue.h"

namespace ww::llm {
namespace {

std::mutex& guard() {
  static std::mutex mutex;
  return mutex;
}

std::filesystem::path hosts_file() { return config_dir() / "hosts.json"; }

struct Hosts {  // the file
  std::vector<Consent> hosts;
  WW_FIELDS(Hosts, hosts)
};

Result<std::vector<Consent>> read_hosts() {
  const std::filesystem::path file = hosts_file();
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return std::vector<Consent>();
  const std::string text = WW_TRY(read_file(file));
  return WW_TRY(json::read_text<Hosts>(
                    text, "'" + file.string() + "', the list of allowed hosts, cannot be read; repair or delete it"))
      .hosts;
}

Status write_hosts(const std::vector<Consent>& list) {
  return write_file_atomic(hosts_file(), json::text_of(Hosts{list}, 2) + "\n");
}

bool at_least(const Limits& given, const Limits& wanted) {
  return (given.sources || !wanted.sources) && (given.paths || !wanted.paths) &&
         (given.device_name || !wanted.device_name);
}

}  // namespace

bool operator==(const Limits& a, const Limits& b) {
  return a.sources == b.sources && a.paths == b.paths && a.device_name == b.device_name;
}

std::vector<OutgoingData> outgoing_data(const Limits& limits) {
  std::vector<OutgoingData> list = {
      {true, "the op spec, its shapes and its tolerances"},
      {true, "the instructions and examples of the prompt files"},
      {true, "verdicts and numbers of the run's candidates"},
      {limits.sources, "source code (candidates, your kernels and modules) and the compiler's messages that quote it"},
      {limits.device_name, "the device's name and driver"}};
  if (!limits.device_name) list.push_back({true, "the device's architecture"});
  list.push_back({limits.paths, "file names of this machine"});
  return list;
}

bool allowed(const Destination& to, const Limits& limits) {
  if (to.host.empty()) return false;
  if (!to.leaves()) return true;
  const std::lock_guard lock(guard());
  const Result<std::vector<Consent>> list = read_hosts();
  if (!list) {
    log::warn(list.error().text());
    return false;
  }
  return std::any_of(list->begin(), list->end(),
                     [&](const Consent& c) { return c.host == to.host && at_least(c.limits, limits); });
}

Status allow(const std::string& host, const Limits& limits) {
  const std::string name = host_of("none://" + host);
  if (name.empty())
    return fail(Code::invalid_argument,
                "'" + host + "' is not a host name such as 'api.openai.com' or 'gpu-server:8000'");
  const std::lock_guard lock(guard());
  std::vector<Consent> list = WW_TRY(read_hosts());
  std::erase_if(list, [&](const Consent& c) { return c.host == name; });
  list.push_back({name, utc_now("%Y-%m-%d"), limits});
  return write_hosts(list);
}

Status forget(const std::string& host) {
  const std::lock_guard lock(guard());
  std::vector<Consent> list = WW_TRY(read_hosts());
  if (std::erase_if(list, [&](const Consent& c) { return c.host == host; }) == 0)
    return fail(Code::not_found, "'" + host + "' was not allowed");
  return write_hosts(list);
}

Result<std::vector<Consent>> consents() {
  const std::lock_guard lock(guard());
  return read_hosts();
}

}  // namespace ww::llm
