// SPDX-License-Identifier: Apache-2.0
// Which accesses each word has seen, for thread_races.cpp. A launch may touch millions of words, and an instruction of
// a warp up to 128 of them: a word keeps 8 bytes, and what all words of an instruction have in common is kept once.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ww::simt::races {

struct Instant {  // accesses of one instruction of a warp between two events that order memory
  std::uint64_t block = 0;
  std::uint32_t clock = 0, meeting = 0, pc = 0;
  std::uint8_t warp = 0;
  bool wrote = false, changed = false, strong = false;  // changed: by a write, the value
  bool operator==(const Instant&) const = default;
};

struct Seen {
  std::uint32_t instant : 27 = 0;
  std::uint32_t past : 1 = 0;   // a read of what the last change has overwritten
  std::uint32_t bytes : 4 = 0;  // of the word; 0: no access, or with `lanes` the index of a list
  std::uint32_t lanes = 0;
};
static_assert(sizeof(Seen) == 8);

class Shadow {
 public:
  using Number = std::uint32_t;  // of an instant
  class Records;

  // Forgets what no word refers to any more when there are many. A number is good until the next call.
  Number number_of(const Instant& now) {
    if (last_ < instants_.size() && instants_[last_] == now) return last_;
    const std::uint64_t place = now.block * 0x9e3779b97f4a7c15u ^ std::uint64_t{now.warp} << 32 ^ now.pc;
    if (const auto at = latest_.find(place); at != latest_.end() && instants_[at->second] == now)
      return last_ = at->second;
    if (instants_.size() >= room_) forget_unused();
    last_ = static_cast<Number>(instants_.size());
    instants_.push_back(now);
    latest_[place] = last_;
    return last_;
  }
  const Instant& instant(const Seen& e) const { return instants_[e.instant]; }
  Records at(std::uintptr_t word);
  // Words of whose writes that left the value some were dropped.
  std::unordered_set<std::uintptr_t> crowded;
  void clear() {
    crowded.clear();
    pages_.clear();
    last_page_ = nullptr;
    instants_.clear();
    latest_.clear();
    lists_.clear();
    free_lists_.clear();
    room_ = least_room;
  }

 private:
  static constexpr std::size_t page_words = 1024, least_room = std::size_t{1} << 16;
  static constexpr std::size_t most_instants = std::size_t{1} << 26;  // half of what Seen can number
  using Page = std::array<Seen, page_words>;

  static bool is_list(const Seen& e) { return e.bytes == 0 && e.lanes != 0; }
  template <class F>
  void for_each(F&& f) {
    for (auto& [number, page] : pages_)
      for (Seen& e : *page)
        if (e.bytes != 0) f(e);
    for (auto& list : lists_)
      for (Seen& e : list) f(e);
  }
  void forget_unused() {
    std::vector<Number> to(instants_.size(), 0);
    for_each([&](const Seen& e) { to[e.instant] = 1; });
    std::vector<Instant> kept;
    for (std::size_t i = 0; i < to.size(); ++i)
      if (to[i] != 0) {
        to[i] = static_cast<Number>(kept.size());
        kept.push_back(instants_[i]);
      }
    if (kept.size() >= most_instants) return clear();  // then races with what was before are missed
    for_each([&](Seen& e) { e.instant = to[e.instant]; });
    instants_ = std::move(kept);
    latest_.clear();
    room_ = std::max(least_room, 2 * instants_.size());
  }

  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  std::uintptr_t last_page_number_ = 0;
  Page* last_page_ = nullptr;
  std::vector<Instant> instants_;
  Number last_ = 0;                                   // asked for
  std::unordered_map<std::uint64_t, Number> latest_;  // by block, warp and pc, mixed
  std::size_t room_ = least_room;
  std::vector<std::vector<Seen>> lists_;
  std::vector<std::uint32_t> free_lists_;
};

// Of a word, the oldest first. Most words have one, in its page; more are in a list.
class Shadow::Records {
 public:
  Records(Shadow& shadow, Seen& word) : shadow_(shadow), word_(word) {}
  std::size_t size() const { return is_list(word_) ? list().size() : word_.bytes != 0 ? 1 : 0; }
  Seen& operator[](std::size_t i) { return is_list(word_) ? list()[i] : word_; }
  void push_back(const Seen& e) {
    if (size() == 0) {
      word_ = e;
    } else if (is_list(word_)) {
      list().push_back(e);
    } else {
      std::uint32_t index = static_cast<std::uint32_t>(shadow_.lists_.size());
      if (shadow_.free_lists_.empty()) {
        shadow_.lists_.emplace_back();
      } else {
        index = shadow_.free_lists_.back();
        shadow_.free_lists_.pop_back();
      }
      shadow_.lists_[index] = {word_, e};
      word_ = Seen{index, 0, 0, 1};
    }
  }
  void erase(std::size_t i) {  // of several
    list().erase(list().begin() + static_cast<std::ptrdiff_t>(i));
    keep_one_in_its_page();
  }
  void replace_by_last(std::size_t i) {
    if (!is_list(word_)) {
      word_ = Seen{};
      return;
    }
    std::vector<Seen>& all = list();
    all[i] = all.back();
    all.pop_back();
    keep_one_in_its_page();
  }

 private:
  void keep_one_in_its_page() {
    std::vector<Seen>& all = list();
    if (all.size() > 1) return;
    shadow_.free_lists_.push_back(word_.instant);
    const Seen left = all.front();
    std::vector<Seen>().swap(all);
    word_ = left;
  }
  std::vector<Seen>& list() const { return shadow_.lists_[word_.instant]; }
  Shadow& shadow_;
  Seen& word_;
};

inline Shadow::Records Shadow::at(std::uintptr_t word) {
  const std::uintptr_t page = word / page_words;
  if (page != last_page_number_ || last_page_ == nullptr) {
    auto& held = pages_[page];
    if (!held) held = std::make_unique<Page>();
    last_page_ = held.get();
    last_page_number_ = page;
  }
  return {*this, (*last_page_)[word % page_words]};
}

}  // namespace ww::simt::races
