// SPDX-License-Identifier: Apache-2.0
#include "llm/limited.h"
#include "base/name_chars.h"
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace ww::llm {
namespace {

bool word_char(char c) { return letter(c) || digit(c) || c == '_'; }
bool path_char(char c) {
  return word_char(c) || c == '.' || c == '-' || c == '+' || c == '@' || c == '~' || c == '%' || c == '/' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Is [begin, end) an absolute file name, and not a quotient in a formula or the path of a URL? One of the usual folders
// at the root, or three parts of two or more characters.
bool is_path(std::string_view text, std::size_t begin, std::size_t end) {
  static const std::set<std::string_view> roots{
      "home",    "root",      "tmp",    "usr", "var",  "opt", "etc",  "mnt",    "media",   "srv",   "run",
      "data",    "work",      "proc",   "sys", "dev",  "lib", "bin",  "sbin",   "scratch", "Users", "Volumes",
      "private", "workspace", "builds", "nix", "snap", "app", "boot", "export", "net"};
  std::vector<std::string_view> parts;
  for (std::size_t at = begin + 1; at <= end;) {
    const std::size_t next = std::min(text.find('/', at), end);
    if (next > at) parts.push_back(text.substr(at, next - at));
    at = next + 1;
  }
  if (parts.size() >= 2 && roots.contains(parts[0])) return true;
  return parts.size() >= 3 &&
         std::all_of(parts.begin(), parts.end(), [](std::string_view p) { return p.size() >= 2 && !digit(p[0]); });
}

// Words that name a product after "NVIDIA", or alone.
bool product_word(std::string_view w) {
  static const std::set<std::string_view> words{
      "GeForce", "RTX",   "GTX",    "TITAN",  "Tesla",       "Quadro",  "SXM",       "PCIe",  "PCIE",   "NVL",   "Ti",
      "SUPER",   "Super", "Laptop", "GPU",    "Generation",  "Ada",     "Blackwell", "Grace", "Hopper", "HBM2e", "HBM3",
      "HBM3e",   "Max",   "Q",      "Server", "Workstation", "Edition", "Pro",       "PRO",   "DGX",    "Spark"};
  return words.contains(w) || std::any_of(w.begin(), w.end(), digit);
}
// "H200", "A100-SXM4-80GB", "GB200", "L40S", "RTX"
bool model_word(std::string_view w) {
  if (w == "RTX" || w == "GTX" || w == "GeForce" || w == "Tesla" || w == "Quadro") return true;
  const std::size_t letters = std::min(w.find_first_of("0123456789"), w.size());
  const std::string_view head = w.substr(0, letters);
  static const std::set<std::string_view> series{"A", "B", "H", "L", "T", "V", "P", "K", "GB", "GH"};
  std::size_t digits = letters;
  while (digits < w.size() && digit(w[digits])) ++digits;
  const std::string_view tail = w.substr(digits), number = w.substr(letters, digits - letters);
  if (!series.contains(head) || !(tail.empty() || tail == "S" || tail[0] == '-')) return false;
  if (head == "L" || head == "T") return number == "4" || number == "40";  // L1 and L2 are caches
  return number.size() == 2 || number.size() == 3;
}

}  // namespace

std::string without_paths(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char before = i == 0 ? ' ' : text[i - 1];
    const bool starts = !path_char(before) || (before == '~' && (i < 2 || !word_char(text[i - 2])));
    const bool file_url = i >= 7 && text.substr(i - 7, 7) == "file://";
    if (text[i] == '/' && (starts || file_url) && i + 1 < text.size() && text[i + 1] != '/' && text[i + 1] != '*') {
      std::size_t end = i;
      while (end < text.size() && path_char(text[end])) ++end;
      while (end > i + 1 && text[end - 1] == '.') --end;
      if (before == '~' || file_url || is_path(text, i, end)) {
        if (before == '~') out.pop_back();
        out += "[path]";
        i = end;
        continue;
      }
    }
    // C:\folder
    if (letter(text[i]) && !word_char(before) && text.substr(i + 1, 2) == ":\\") {
      std::size_t end = i + 3;
      while (end < text.size() && (path_char(text[end]) || text[end] == '\\')) ++end;
      if (end > i + 4) {
        out += "[path]";
        i = end;
        continue;
      }
    }
    out += text[i++];
  }
  return out;
}

std::string without_device_names(std::string_view text) {
  std::string out;
  const auto word_end = [&](std::size_t at) {
    while (at < text.size() && (word_char(text[at]) || text[at] == '-')) ++at;
    return at;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (!word_char(text[i]) || (i > 0 && word_char(text[i - 1]))) {
      out += text[i++];
      continue;
    }
    std::size_t end = word_end(i);
    const std::string_view word = text.substr(i, end - i);
    if (word == "driver") {  // "driver 580.159.04"
      std::size_t at = end;
      while (at < text.size() &&
             (text[at] == ' ' || digit(text[at]) || (text[at] == '.' && at + 1 < text.size() && digit(text[at + 1]))))
        ++at;
      out += word;
      i = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(end), text.begin() + static_cast<std::ptrdiff_t>(at),
                       digit) == text.begin() + static_cast<std::ptrdiff_t>(at)
              ? end
              : at;
      continue;
    }
    if (word != "NVIDIA" && !model_word(word)) {
      out.append(word);
      i = end;
      continue;
    }
    const bool vendor = word == "NVIDIA";
    bool named = !vendor;
    for (std::size_t next = end; next < text.size() && text[next] == ' ';) {
      const std::size_t to = word_end(next + 1);
      const std::string_view more = text.substr(next + 1, to - next - 1);
      if (!product_word(more) || (more.size() < 3 && digit(more[0]))) break;  // "H200 4" may count something
      named = true;
      end = next = to;
    }
    out += named ? "the device" : "NVIDIA";
    i = end;
  }
  return out;
}

Sheet limited(const Sheet& sheet, const Limits& limits) {
  static const std::set<std::string_view> quote_no_code{
      "spec",      "reference", "case",       "device",          "simt",         "request",  "sentence",
      "similar",   "functions", "structures", "other_structure", "other_change", "no_edits", "tools",
      "tool_calls"};
  static const std::set<std::string_view> code{"spec",   "parent",    "other",   "module",
                                               "kernel", "candidate", "similar", "functions"};
  Sheet out;
  for (const auto& [name, text] : sheet) {
    std::optional<std::string> t;
    if (limits.sources || quote_no_code.contains(name))
      t = text.whole;
    else
      t = text.without_sources;
    if (!limits.device_name && name == "device") t = text.without_device_name;
    if (!t) continue;
    if (!limits.paths) t = without_paths(*t);
    if (!limits.device_name && !code.contains(name)) t = without_device_names(*t);
    out.emplace(name, std::move(*t));
  }
  return out;
}

}  // namespace ww::llm
