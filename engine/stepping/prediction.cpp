// SPDX-License-Identifier: Apache-2.0
#include "stepping/prediction.h"
#include <bit>
#include <charconv>
#include <cmath>
#include "base/ascii.h"

namespace ww::stepping {
namespace {

std::optional<double> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) base = 16, text.remove_prefix(2);
  if (base == 16) {
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return static_cast<double>(n);
  }
  double n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

}  // namespace

std::optional<Prediction> prediction_of(const sim::StepFacts& step, int lane) {
  using Asks = Prediction::Asks;
  for (const sim::SpaceAccess& a : step.accesses) {
    if (a.lanes.empty()) continue;
    if (a.space == sim::AccessedSpace::shared) return Prediction{Asks::wavefronts, {}, 0, std::to_string(a.wavefronts)};
    return Prediction{Asks::sectors, a.lanes.front().buffer, 0, std::to_string(a.sectors)};
  }
  const auto active = static_cast<std::uint32_t>(std::stoul(step.active, nullptr, 16));
  if (step.active != step.mask || active != ~0u)
    return Prediction{Asks::lanes, {}, 0, std::to_string(std::popcount(active))};
  if (step.registers.empty()) return std::nullopt;
  const sim::WrittenRegister& r = step.registers.front();
  if (r.type.ends_with("64") && !r.type.starts_with('f')) return std::nullopt;  // an address, as a rule
  const auto at = static_cast<std::size_t>(lane);                               // all lanes are active
  if (at >= r.values.size()) return std::nullopt;
  return Prediction{Asks::value, r.name, lane, r.values[at]};
}

bool is_right(const Prediction& prediction, std::string_view answer) {
  constexpr double digits = 5e-4;
  const std::string_view given = trimmed(answer);
  const auto said = number(given), is = number(prediction.answer);
  if (!said || !is) return given == prediction.answer;
  return std::abs(*said - *is) <= digits * std::abs(*is);
}

}  // namespace ww::stepping
