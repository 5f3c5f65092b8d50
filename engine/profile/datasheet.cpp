// SPDX-License-Identifier: Apache-2.0
#include "profile/datasheet.h"
#include <algorithm>
#include <cmath>
#include "base/described_json.h"
#include "base/files.h"

namespace ww::profile {
namespace fs = std::filesystem;

namespace {

Result<Datasheet> parse(const fs::path& path) {
  const auto text = WW_TRY(read_file(path));
  static const std::vector<std::string> known = {"bandwidth", "f64", "f32", "f64_tensor", "tf32", "f16", "bf16", "i8"};
  const std::string unreadable = "the figures in '" + path.filename().string() + "' cannot be read";
  const Datasheet d = WW_TRY(json::read_text<Datasheet>(text, unreadable));
  if (d.multiprocessors <= 0) return fail(Code::corrupt, unreadable, "'multiprocessors' must be positive");
  for (const auto& [name, rate] : d.rates) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fail(Code::corrupt, unreadable, "'" + name + "' is not a rate");
    if (!std::isfinite(rate) || rate <= 0) return fail(Code::corrupt, unreadable, "'" + name + "' must be positive");
  }
  return d;
}

}  // namespace

Result<std::vector<Datasheet>> datasheets() {
  std::vector<fs::path> paths;
  std::error_code ec;
  for (fs::directory_iterator at(resources_dir() / "devices", ec), end; !ec && at != end; at.increment(ec))
    if (const fs::path& p = at->path(); p.extension() == ".json" && !p.stem().string().starts_with("sm_"))
      paths.push_back(p);
  std::sort(paths.begin(), paths.end());
  std::vector<Datasheet> out;
  for (const fs::path& p : paths) {
    auto d = WW_TRY(parse(p));
    out.push_back(std::move(d));
  }
  return out;
}

Result<Datasheet> datasheet(std::string_view gpu_name) {
  auto all = WW_TRY(datasheets());
  for (Datasheet& d : all)
    if (std::find(d.names.begin(), d.names.end(), gpu_name) != d.names.end()) return std::move(d);
  return fail(Code::not_found, "there is no datasheet for '" + std::string(gpu_name) + "'");
}

std::optional<Datasheet> modelled_gpu(std::string_view gpu, std::string_view architecture) {
  const Result<std::vector<Datasheet>> all = datasheets();
  if (!all) return {};
  for (const Datasheet& d : *all)
    if (!gpu.empty() && d.gpu == gpu) return d;
  for (const Datasheet& d : *all)
    if (d.architecture == architecture) return d;
  return {};
}

}  // namespace ww::profile
