// SPDX-License-Identifier: Apache-2.0
#include "profile/measurement_json.h"
#include <cmath>
#include "base/json_members.h"

namespace ww::profile {
namespace {

using json::get, json::Json, json::list, json::member, json::Wrong;

void put(Json& j, const std::string& name, double v) {
  if (std::isnan(v)) return;
  if (std::isinf(v))
    j[name] = v > 0 ? "inf" : "-inf";
  else
    j[name] = v;
}

double real_of(const Json& v, const std::string& name) {
  if (v.is_number()) return v.get<double>();
  if (v == "inf") return HUGE_VAL;
  if (v == "-inf") return -HUGE_VAL;
  throw Wrong{"the member '" + name + "' is not a number"};
}

double real(const Json& j, const char* name) {  // unknown where it is absent
  if (!j.is_object()) throw Wrong{"it is no object"};
  const auto at = j.find(name);
  return at == j.end() ? unknown : real_of(*at, name);
}

Json numbers_json(const std::vector<std::pair<std::string, double>>& numbers) {
  Json j = Json::object();
  for (const auto& [name, v] : numbers) put(j, name, v);
  return j;
}

std::vector<std::pair<std::string, double>> numbers(const Json& j, const char* name) {
  const Json& v = member(j, name);
  if (!v.is_object()) throw Wrong{std::string("the member '") + name + "' is not an object"};
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [key, number] : v.items()) out.emplace_back(key, real_of(number, key));
  return out;
}

SubjectTiming read_timing(const Json& j) {
  SubjectTiming t;
  t.subject = get<std::string>(j, "subject");
  const auto cache = get<std::string>(j, "cache");
  if (cache != cache_name(Cache::cold) && cache != cache_name(Cache::warm))
    throw Wrong{"the member 'cache' has the unknown value '" + cache + "'"};
  t.cache = cache == cache_name(Cache::cold) ? Cache::cold : Cache::warm;
  t.graph = get<bool>(j, "graph");
  if (j.contains("note")) t.note = get<std::string>(j, "note");
  for (const Json& s : list(j, "samples")) {
    TimedSample out;
    out.us = real_of(member(s, "us"), "us");
    out.replays = get<int>(s, "replays");
    out.round = get<int>(s, "round");
    out.clocks.sm_mhz = real(s, "sm_mhz");
    out.clocks.memory_mhz = real(s, "memory_mhz");
    out.clocks.temperature_c = real(s, "temperature_c");
    out.clocks.power_w = real(s, "power_w");
    out.clocks.throttle_known = s.contains("throttle");
    if (out.clocks.throttle_known) out.clocks.throttle = get<std::uint64_t>(s, "throttle");
    t.samples.push_back(std::move(out));
  }
  return t;
}

DeviceDetails read_details(const Json& j) {
  DeviceDetails d;
  d.name = get<std::string>(j, "name");
  d.gpu = get<std::string>(j, "gpu");
  d.uuid = get<std::string>(j, "uuid");
  d.driver = get<std::string>(j, "driver");
  d.cuda = get<std::string>(j, "cuda");
  d.architecture = get<std::string>(j, "architecture");
  d.multiprocessors = get<int>(j, "multiprocessors");
  d.max_threads_per_sm = get<int>(j, "max_threads_per_sm");
  d.warp_threads = get<int>(j, "warp_threads");
  d.memory = get<std::int64_t>(j, "memory");
  d.free_memory = get<std::int64_t>(j, "free_memory");
  d.l2 = get<std::int64_t>(j, "l2");
  d.shared_per_sm = get<std::int64_t>(j, "shared_per_sm");
  d.max_shared_per_block = get<std::int64_t>(j, "max_shared_per_block");
  d.registers_per_sm = get<std::int64_t>(j, "registers_per_sm");
  d.sm_max_mhz = real(j, "sm_max_mhz");
  d.memory_max_mhz = real(j, "memory_max_mhz");
  d.memory_bus_bits = real(j, "memory_bus_bits");
  d.peak_bandwidth = real(j, "peak_bandwidth");
  d.peak_f32 = real(j, "peak_f32");
  d.peak_f64 = real(j, "peak_f64");
  d.datasheet = numbers(j, "datasheet");
  d.datasheet_source = get<std::string>(j, "datasheet_source");
  return d;
}

Ceilings read_ceilings(const Json& j) {
  Ceilings c;
  c.copy_bandwidth = real(j, "copy_bandwidth");
  c.matrix_rate = numbers(j, "matrix_rate");
  c.device = get<std::string>(j, "device");
  c.driver = get<std::string>(j, "driver");
  c.measured = get<std::string>(j, "measured");
  c.why_not = get<std::string>(j, "why_not");
  return c;
}

CounterReport read_report(const Json& j) {
  CounterReport r;
  r.set = get<std::string>(j, "set");
  for (const Json& k : list(j, "kernels")) {
    KernelCounters kernel;
    kernel.kernel = get<std::string>(k, "kernel");
    kernel.launch = get<int>(k, "launch");
    for (const Json& v : list(k, "values"))
      kernel.values.push_back({get<std::string>(v, "name"), get<std::string>(v, "unit"), real(v, "value")});
    if (k.contains("lines"))
      for (const Json& l : list(k, "lines")) {
        StallSamples samples;
        samples.line = get<int>(l, "line");
        const Json& reasons = member(l, "reasons");
        if (!reasons.is_object()) throw Wrong{"the member 'reasons' is not an object"};
        for (const auto& [name, count] : reasons.items())
          samples.reasons.emplace_back(name, get<std::uint64_t>(reasons, name.c_str()));
        kernel.lines.push_back(std::move(samples));
      }
    r.kernels.push_back(std::move(kernel));
  }
  r.passes = get<int>(j, "passes");
  r.seconds = real(j, "seconds");
  r.why_not = get<std::string>(j, "why_not");
  return r;
}

template <class T>
Result<T> guarded(const char* what, T (*read)(const Json&), const Json& j) {
  const std::string sentence = std::string("this is no ") + what + " in JSON";
  try {
    return read(j);
  } catch (const Wrong& wrong) { return fail(Code::corrupt, sentence, wrong.what); } catch (const std::exception& e) {
    return fail(Code::corrupt, sentence, e.what());
  }
}

template <class T>
Result<T> parsed(Result<T> (*read)(const Json&), std::string_view text) {
  const Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded()) return fail(Code::corrupt, "this is not JSON");
  return read(j);
}

std::string dump(const Json& j, int indent) { return j.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json json_of(const SubjectTiming& t) {
  Json j = {{"subject", t.subject}, {"cache", cache_name(t.cache)}, {"graph", t.graph}};
  if (!t.note.empty()) j["note"] = t.note;
  j["samples"] = Json::array();
  for (const TimedSample& s : t.samples) {
    Json sample = Json::object();
    put(sample, "us", s.us);
    sample["replays"] = s.replays;
    sample["round"] = s.round;
    put(sample, "sm_mhz", s.clocks.sm_mhz);
    put(sample, "memory_mhz", s.clocks.memory_mhz);
    put(sample, "temperature_c", s.clocks.temperature_c);
    put(sample, "power_w", s.clocks.power_w);
    if (s.clocks.throttle_known) sample["throttle"] = s.clocks.throttle;
    j["samples"].push_back(std::move(sample));
  }
  return j;
}

Json json_of(const DeviceDetails& d) {
  Json j = {{"name", d.name},
            {"gpu", d.gpu},
            {"uuid", d.uuid},
            {"driver", d.driver},
            {"cuda", d.cuda},
            {"architecture", d.architecture},
            {"multiprocessors", d.multiprocessors},
            {"max_threads_per_sm", d.max_threads_per_sm},
            {"warp_threads", d.warp_threads},
            {"memory", d.memory},
            {"free_memory", d.free_memory},
            {"l2", d.l2},
            {"shared_per_sm", d.shared_per_sm},
            {"max_shared_per_block", d.max_shared_per_block},
            {"registers_per_sm", d.registers_per_sm}};
  put(j, "sm_max_mhz", d.sm_max_mhz);
  put(j, "memory_max_mhz", d.memory_max_mhz);
  put(j, "memory_bus_bits", d.memory_bus_bits);
  put(j, "peak_bandwidth", d.peak_bandwidth);
  put(j, "peak_f32", d.peak_f32);
  put(j, "peak_f64", d.peak_f64);
  j["datasheet"] = numbers_json(d.datasheet);
  j["datasheet_source"] = d.datasheet_source;
  return j;
}

Json json_of(const Ceilings& c) {
  Json j = Json::object();
  put(j, "copy_bandwidth", c.copy_bandwidth);
  j["matrix_rate"] = numbers_json(c.matrix_rate);
  j["device"] = c.device;
  j["driver"] = c.driver;
  j["measured"] = c.measured;
  j["why_not"] = c.why_not;
  return j;
}

Json json_of(const CounterReport& r) {
  Json j = {{"set", r.set}, {"kernels", Json::array()}, {"passes", r.passes}};
  for (const KernelCounters& k : r.kernels) {
    Json kernel = {{"kernel", k.kernel}, {"launch", k.launch}, {"values", Json::array()}};
    for (const Counter& c : k.values) {
      Json value = {{"name", c.name}, {"unit", c.unit}};
      put(value, "value", c.value);
      kernel["values"].push_back(std::move(value));
    }
    if (!k.lines.empty()) kernel["lines"] = Json::array();
    for (const StallSamples& l : k.lines) {
      Json line = {{"line", l.line}, {"reasons", Json::object()}};
      for (const auto& [name, count] : l.reasons) line["reasons"][name] = count;
      kernel["lines"].push_back(std::move(line));
    }
    j["kernels"].push_back(std::move(kernel));
  }
  put(j, "seconds", r.seconds);
  j["why_not"] = r.why_not;
  return j;
}

Result<SubjectTiming> timing_of(const Json& j) { return guarded("timing", &read_timing, j); }
Result<DeviceDetails> details_of(const Json& j) { return guarded("device's details", &read_details, j); }
Result<Ceilings> ceilings_of(const Json& j) { return guarded("device's ceilings", &read_ceilings, j); }
Result<CounterReport> counters_of(const Json& j) { return guarded("counter report", &read_report, j); }

std::string to_json(const SubjectTiming& v, int indent) { return dump(json_of(v), indent); }
std::string to_json(const DeviceDetails& v, int indent) { return dump(json_of(v), indent); }
std::string to_json(const Ceilings& v, int indent) { return dump(json_of(v), indent); }
std::string to_json(const CounterReport& v, int indent) { return dump(json_of(v), indent); }
Result<SubjectTiming> timing_from_json(std::string_view text) { return parsed(&timing_of, text); }
Result<DeviceDetails> details_from_json(std::string_view text) { return parsed(&details_of, text); }
Result<Ceilings> ceilings_from_json(std::string_view text) { return parsed(&ceilings_of, text); }
Result<CounterReport> counters_from_json(std::string_view text) { return parsed(&counters_of, text); }

}  // namespace ww::profile
