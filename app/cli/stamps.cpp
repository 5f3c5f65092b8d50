// SPDX-License-Identifier: Apache-2.0
#include "stamps.h"
#include <fmt/format.h>
#include "answer.h"
#include "base/files.h"
#include "console.h"
#include "interrupt.h"
#include "review/receipt.h"

namespace ww::cli {
namespace {

constexpr std::size_t largest_stamp_file = std::size_t{1} << 20;

std::filesystem::path stamp_file(std::filesystem::path file) { return file += ".tsr"; }

}  // namespace

std::optional<review::Stamp> stamp_beside(const std::filesystem::path& file, const std::string& receipt,
                                          const std::filesystem::path& authorities) {
  std::error_code ec;
  if (!std::filesystem::exists(stamp_file(file), ec)) return std::nullopt;
  const auto read = [&]() -> Result<review::Stamp> {
    const std::string stamp = WW_TRY(read_file(stamp_file(file), largest_stamp_file));
    const std::unique_ptr<review::StampService> service = WW_TRY(review::stamp_service());
    return service->read(stamp, receipt, authorities);
  }();
  if (read) return *read;
  review::Stamp unread;
  unread.why_not = read.error().text();
  return unread;
}

Json stamp_json(const review::Stamp& stamp) {
  return {{"created", stamp.created},
          {"authority", stamp.authority},
          {"fits", stamp.fits},
          {"trusted", stamp.trusted},
          {"why_not", stamp.why_not}};
}

std::string stamp_text(const review::Stamp& s) {
  const std::string authority = s.authority.empty() ? "an unnamed authority" : safe(s.authority);
  if (s.created.empty()) return fmt::format("  the time stamp cannot be read: {}\n", safe(s.why_not));
  if (!s.fits)
    return fmt::format(
        "  the time stamp of {} is {} of this file: the file was signed again or changed since; stamp it again\n",
        safe(s.created), coloured(Colour::red, "NOT"));
  return fmt::format("  stamped {} by {}{}\n", safe(s.created), authority,
                     s.trusted ? "" : fmt::format(", which is not trusted here ({})", safe(s.why_not)));
}

Result<int> receipt_stamp(const Common& common, const std::filesystem::path& file, const std::string& address) {
  const Result<std::string> receipt = read_file(file);
  if (!receipt) return failed(common, {Code::invalid_argument, receipt.error().message, receipt.error().cause});
  if (const review::Verification v = review::verify(*receipt); !v.genuine())
    return failed(common, {Code::corrupt, "the receipt is not genuine; it is not stamped", v.problems.front()},
                  Exit::negative);
  const Result<std::unique_ptr<review::StampService>> service = review::stamp_service();
  if (!service) return failed(common, service.error(), Exit::environment);
  const Interrupt interrupt("stopping: nothing is stamped");
  const Result<std::string> stamp = (*service)->ask(address, *receipt, interrupt.token());
  if (!stamp) return failed(common, stamp.error(), Exit::negative);
  const review::Stamp facts = WW_TRY((*service)->read(*stamp, *receipt, {}));
  if (const Status written = write_file_atomic(stamp_file(file), *stamp); !written)
    return failed(common, written.error());
  return print_answer(common, {{{"file", stamp_file(file).string()}, {"stamp", stamp_json(facts)}},
                               stamp_text(facts) + "The stamp is in " + safe(stamp_file(file).string()) + ".\n"});
}

}  // namespace ww::cli
