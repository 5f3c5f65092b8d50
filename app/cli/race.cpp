// SPDX-License-Identifier: Apache-2.0
#include "report/race.h"
#include <fmt/format.h>
#include "console.h"
#include "models.h"

namespace ww::cli {
namespace {

std::string found_text(const report::Race& race, const report::Find& f) {
  return race.provenance == Provenance::simulated ? fmt::format("{:.0f}", f.score)
                                                  : fmt::format("{:.4g} {}", f.score, race.unit);
}
std::string spent_text(double money, bool known) { return money_text(money) + (known ? "" : "+?"); }

}  // namespace

std::string race_text(const report::Race& race) {
  if (race.racers.size() < 2) return {};
  std::vector<std::vector<std::string>> rows, finds;
  for (const report::RacerResult& r : race.racers) {
    const report::Find* best = r.finds.empty() ? nullptr : &r.finds.back();
    rows.push_back({safe(r.strategy), std::to_string(r.candidates), std::to_string(r.accepted),
                    std::to_string(r.duplicates), std::to_string(r.failed), count_text(r.tokens),
                    spent_text(r.money, r.money_known), best ? found_text(race, *best) : "-",
                    best ? fmt::format("after {} candidates, {} tokens, {}", best->candidates, count_text(best->tokens),
                                       spent_text(best->money, r.money_known))
                         : "nothing proved"});
    for (const report::Find& f : r.finds)
      finds.push_back({safe(r.strategy), std::to_string(f.candidate), found_text(race, f) + (f.best_of_all ? " *" : ""),
                       std::to_string(f.candidates), count_text(f.tokens), spent_text(f.money, r.money_known),
                       fmt::format("{:.1f}", f.minutes), safe(f.note)});
  }
  std::string out = table(
      {"Strategy", "#Judged", "#Proved", "#Duplicates", "#No candidate", "#Tokens", "#Price", "#Best", "Found"}, rows);
  if (!finds.empty())
    out += '\n' + table({"Found by", "#No.", "#Best", "#Judged", "#Tokens", "#Price", "#Minutes", "What"}, finds) +
           "*: better than anything found before. Each strategy had an equal share.\n";
  return out;
}

}  // namespace ww::cli
