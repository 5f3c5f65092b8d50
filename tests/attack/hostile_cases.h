// SPDX-License-Identifier: Apache-2.0
// Hostile inputs, kept short: hostile/KIND.txt. A file is divided by lines
//   @@ NAME          what follows, whole lines, stands for @(NAME) from here on
//   == NAME | FLAGS  a case; lines "-- VALUE" in it make it as many cases, in each of which @= is one of the values.
//                    Flags: "slow" (takes its deadline), "refused" (no worker sees it)
// and in a text
//   @{N|TEXT@}  N times the text, in which @# is the number of the repetition, from 0, and @+ that from 1; @> as N: as
//               many as the repetition before
//   @$HH        a byte;  {canary}  the path of a file that nothing may open
// Lines before the first of these are comments.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "base/files.h"

namespace ww::attack {

struct Case {
  std::string name, raw;
  bool slow = false, refused = false;
};

class Expander {
 public:
  Expander(std::string_view text, std::string_view canary) : s_(text), canary_(canary) {}
  std::string all() {
    std::string out;
    run(out, 0);
    return out;
  }

 private:
  void run(std::string& out, long number) {  // to the end, or the "@}" of the repetition that it is in
    while (at_ < s_.size()) {
      const std::string_view two = s_.substr(at_, 2);
      if (two == "@}") return;
      if (two == "@#" || two == "@+") {
        out += std::to_string(two == "@#" ? number : number + 1);
        at_ += 2;
      } else if (two == "@$") {
        out += static_cast<char>(std::stoi(std::string(s_.substr(at_ + 2, 2)), nullptr, 16));
        at_ += 4;
      } else if (two == "@{") {
        at_ += 2;
        repeat(out);
      } else if (s_.substr(at_, 8) == "{canary}") {
        out += canary_;
        at_ += 8;
      } else {
        out += s_[at_++];
      }
    }
  }
  void repeat(std::string& out) {
    const std::size_t bar = s_.find('|', at_);
    const std::string count(s_.substr(at_, bar - at_));
    const long times = last_ = count == "@>" ? last_ : std::stol(count);
    std::string text;
    at_ = bar + 1;
    run(text, 0);
    const std::string_view body = s_.substr(bar + 1, at_ - bar - 1);
    const bool same = body.find("@#") == body.npos && body.find("@+") == body.npos;
    for (long i = 0; i < times; ++i) {
      if (i > 0 && !same) {
        at_ = bar + 1;
        text.clear();
        run(text, i);
      }
      out += text;
    }
    last_ = times;
    at_ += 2;
  }

  std::string_view s_, canary_;
  std::size_t at_ = 0;
  long last_ = 0;
};

inline std::string text_of(const Case& c, const std::string& canary) { return Expander(c.raw, canary).all(); }

namespace detail {

inline void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

inline void add_cases(std::vector<Case>& all, const std::string& head, const std::string& block) {
  const std::size_t bar = head.find(" | ");
  const std::string flags = bar == head.npos ? "" : head.substr(bar + 3);
  Case c{head.substr(0, bar), "", flags.find("slow") != flags.npos, flags == "refused"};
  std::vector<std::string> values;
  for (std::size_t at = 0; at < block.size();) {
    const std::size_t end = std::min(block.find('\n', at), block.size());
    const std::string line = block.substr(at, end - at);
    if (line == "--" || line.starts_with("-- "))
      values.push_back(line.substr(std::min<std::size_t>(3, line.size())));
    else
      c.raw += line + "\n";
    at = end + 1;
  }
  if (values.empty()) return all.push_back(std::move(c));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Case one = c;
    one.name += " " + std::to_string(i + 1);
    replace_all(one.raw, "@=", values[i]);
    all.push_back(std::move(one));
  }
}

}  // namespace detail

inline std::vector<Case> cases_of(const std::filesystem::path& file) {
  std::vector<Case> all;
  std::vector<std::pair<std::string, std::string>> names;  // the latest last
  const std::string text = read_file(file).value() + "\n== ";
  std::string head, block;
  const auto close = [&] {
    for (auto known = names.rbegin(); known != names.rend(); ++known)
      detail::replace_all(block, "@(" + known->first + ")", known->second);
    if (head.starts_with("@@ "))
      names.emplace_back(head.substr(3), block);
    else if (head.starts_with("== "))
      detail::add_cases(all, head.substr(3), block);
    block.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("@@ ") || line.starts_with("== ")) {
      close();
      head = line;
    } else {
      block += line + "\n";
    }
  }
  return all;
}

}  // namespace ww::attack
