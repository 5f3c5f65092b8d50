// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/code_listings.h"
#include <numeric>
#include "ptx/lines.h"
#include "parts/theme/text.h"

namespace ww::widgets {

void CodeListings::make_ptx(const std::shared_ptr<const CandidateView>& candidate) {
  ptx_.submit([this, candidate]() -> LatestJob::Deliver {
    std::string text = candidate->record.verdict ? candidate->record.verdict->ptx : std::string();
    std::vector<int> lines;
    if (candidate->record.language == candidate::Language::ptx) {  // its own source
      lines.resize(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
      std::iota(lines.begin(), lines.end(), 1);
    } else {
      lines = ptx::source_lines(ptx::parse(text));
    }
    const auto listing = listing_of_ptx(std::move(text), std::move(lines));
    return [this, listing, id = candidate->record.id] { emit ptx_made(id, listing); };
  });
}

void CodeListings::make_sass(const std::shared_ptr<const CandidateView>& candidate) {
  sass_.submit([this, candidate, runs = context_.services.runs,
                architecture = context_.session->shown_architecture()]() -> LatestJob::Deliver {
    Result<compile::Sass> sass = runs->machine_rows(candidate->record, architecture);
    const auto listing = sass ? listing_of_sass(std::move(*sass)) : nullptr;
    return [this, listing, id = candidate->record.id, why = sass ? QString() : qs(sass.error().text())] {
      emit sass_made(id, listing, why);
    };
  });
}

void CodeListings::forget() {
  ptx_.forget();
  sass_.forget();
}

}  // namespace ww::widgets
