// SPDX-License-Identifier: Apache-2.0
// The meaning of a profile, as tables for a terminal.
#include <cmath>
#include <fmt/format.h>
#include <map>
#include "measured.h"

namespace ww::cli {
namespace {

std::string known_text(double value, int decimals = 0) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}

std::string share_text(double part, double whole) { return known_text(100 * part / whole, 1); }

// A heading and a table; what is not known is a sentence.
std::string section(const std::string& title, const std::vector<std::string>& headers,
                    std::vector<std::vector<std::string>> rows, const std::string& why_not) {
  if (!rows.empty()) return "\n" + title + "\n" + table(headers, std::move(rows));
  return why_not.empty() ? "" : "\n" + title + ": not known: " + safe(why_not) + "\n";
}

std::string speed_of_light_text(const std::vector<measure::SpeedOfLightRow>& list) {
  std::vector<std::vector<std::string>> rows;
  std::map<std::string, std::string> missing;  // parts, by the reason
  for (const measure::SpeedOfLightRow& r : list) {
    if (std::isfinite(r.percent)) {
      rows.push_back({safe(r.part), known_text(r.percent, 1), measure::provenance_text(r), safe(r.from)});
    } else {
      std::string& parts = missing[r.why_not];
      parts += (parts.empty() ? "" : ", ") + r.part;
    }
  }
  std::string out = section("Speed of light (percent of the peak, or of the simulated cost)",
                            {"Part", "#Percent", "Provenance", "From"}, std::move(rows), {});
  for (const auto& [why, parts] : missing) out += "\nNot measured: " + safe(parts) + ". " + safe(why) + "\n";
  return out;
}

std::string launches_text(const measure::LaunchTimes& times) {
  std::vector<std::vector<std::string>> rows;
  if (times.launches.size() > 1)
    for (const measure::LaunchTime& l : times.launches)
      rows.push_back({std::to_string(rows.size() + 1), safe(l.kernel), std::to_string(l.blocks),
                      std::to_string(l.threads), known_text(l.us, 2), known_text(100 * l.part, 1)});
  return section("Launches (parts: " + title_of(times.source) + ")",
                 {"#No.", "Kernel", "#Blocks", "#Threads", "#us", "#Percent"}, std::move(rows), {});
}

std::string mix_text(const measure::InstructionMix& mix) {
  std::vector<std::vector<std::string>> rows;
  for (const measure::MixPart& p : mix.parts)
    if (p.count > 0) rows.push_back({p.title, known_text(p.count), share_text(p.count, mix.total), p.about});
  return section("Instruction mix" + (mix.parts.empty() ? "" : ": " + title_of(mix.source)),
                 {"Kind", "#Instructions", "#Percent", "What it is"}, std::move(rows), mix.why_not);
}

std::string memory_text(const measure::MemoryFlow& flow) {
  std::vector<std::vector<std::string>> rows;
  for (const measure::MemoryArrow& a : flow.arrows)
    rows.push_back({title_of(a.path), known_text(a.bytes), known_text(a.requests), known_text(a.sectors_each, 2),
                    known_text(100 * a.used), a.why_not});
  std::string out = section("Memory (" + (flow.arrows.empty() ? "unknown" : enum_string(flow.provenance)) + ")",
                            {"Path", "#Bytes", "#Requests", "#Sectors each", "#Percent used", "Not known because"},
                            std::move(rows), flow.why_not);
  const auto fact = [&](const char* name, double value, int decimals, const char* unit) {
    if (std::isfinite(value)) out += fmt::format("{}: {}{}\n", name, known_text(value, decimals), unit);
  };
  fact("Hits in L1", flow.l1_hits, 1, " %");
  fact("Hits in L2", flow.l2_hits, 1, " %");
  fact("Bank conflicts", flow.bank_conflicts, 0, "");
  fact("Sectors of local memory", flow.local_sectors, 0, "");
  fact("Requests to local memory", flow.local_requests, 0, "");
  return out;
}

std::string stalls_text(const measure::Stalls& stalls) {
  std::vector<std::vector<std::string>> rows;
  const bool samples = stalls.source == measure::StallSource::samples;
  for (const measure::StallProfile& p : stalls.launches)
    for (const measure::StallPart& part : p.parts)
      rows.push_back({p.kernel.empty() ? "-" : safe(p.kernel), safe(part.title()),
                      known_text(part.amount, samples ? 0 : 2), share_text(part.amount, p.total), part.meaning()});
  return section("Stall reasons (measured)",
                 {"Kernel", "Waits for", samples ? "#Samples" : "#Cycles per instruction", "#Percent", "What it means"},
                 std::move(rows), stalls.why_not);
}

std::string hot_text(const std::optional<measure::HotLines>& hot) {
  std::vector<std::vector<std::string>> rows;
  if (!hot) return {};
  for (const measure::HotLine& l : hot->lines)
    rows.push_back({l.line > 0 ? std::to_string(l.line) : "-", known_text(l.amount), known_text(100 * l.share, 1),
                    known_text(100 * l.cumulative, 1), safe(measure::stall_title(l.mostly)), safe(l.text)});
  return section("Hot lines: " + hot->title + " (" + enum_string(hot->provenance) + ")",
                 {"#Line", "#Amount", "#Percent", "#Summed", "Mostly", "Text"}, std::move(rows), {});
}

}  // namespace

std::string meaning_text(const measure::Meaning& m) {
  return speed_of_light_text(m.speed_of_light) + launches_text(m.launch_times) + mix_text(m.instruction_mix) +
         memory_text(m.memory) + stalls_text(m.stalls) + hot_text(m.hot_lines);
}

}  // namespace ww::cli
