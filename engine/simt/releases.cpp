// SPDX-License-Identifier: Apache-2.0
#include "simt/releases.h"

namespace ww::simt {

void Releases::take_tag(Exec& x) {
  constexpr std::uint32_t tags = by_atomics - written_before - 1;
  x.tag = static_cast<std::uint8_t>(written_before + 1 + next_++ % tags);
  x.own_tags.add(x.tag);
  known_of_[x.tag].add(x.known);  // where blocks share a tag, what any of them knows
}

void Releases::begin_block(Exec& x) {
  constexpr std::uint8_t most_fences = 8;
  const std::scoped_lock lock(mutex_);
  x.own_tags = x.known = {};
  x.tags_left = most_fences;
  x.wrote = false;
  take_tag(x);
}

void Releases::fence(Exec& x) {
  const std::scoped_lock lock(mutex_);
  x.known.add(x.tag);
  if (x.tags_left == 0) {
    known_of_[x.tag].add(x.tag);
    return;
  }
  --x.tags_left;
  x.wrote = false;
  take_tag(x);
}

void Releases::learn_all(Exec& x, const TagSet& of) {
  x.known.add(of);
  known_of_[x.tag].add(of);
}

void Releases::learn(Exec& x, std::uint8_t writer) {
  if (writer <= written_before || owns(x, writer)) return;
  const std::scoped_lock lock(mutex_);
  learn_all(x, known_of_[writer]);
}

void Releases::learn_at(Exec& x, const std::byte* place, std::uint32_t bytes) {
  if (!told_any_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  for (std::uintptr_t word = at / 4; word <= (at + bytes - 1) / 4; ++word)
    if (const auto found = told_.find(word); found != told_.end()) learn_all(x, found->second);
}

void Releases::note_atomic(Exec& x, const std::byte* place, std::uint32_t bytes, bool read) {
  const std::scoped_lock lock(mutex_);
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  for (std::uintptr_t word = at / 4; word <= (at + bytes - 1) / 4; ++word) {
    Atomics& a = atomics_[word];
    a.writers.add(x.tag);
    a.reader = read ? x.tag : std::uint8_t{0};
  }
}

bool Releases::follows_atomics(const Exec& x, const std::byte* place) {
  const std::scoped_lock lock(mutex_);
  const auto found = atomics_.find(reinterpret_cast<std::uintptr_t>(place) / 4);
  if (found == atomics_.end()) return true;
  const Atomics& a = found->second;
  return (a.reader != 0 && owns(x, a.reader)) || a.writers.within(x.own_tags, x.known);
}

void Releases::tell_at(Exec& x, const std::byte* place, std::uint32_t bytes) {
  if (x.known.empty()) return;
  const std::scoped_lock lock(mutex_);
  told_any_.store(true, std::memory_order_relaxed);
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  for (std::uintptr_t word = at / 4; word <= (at + bytes - 1) / 4; ++word) told_[word].add(x.known);
}

}  // namespace ww::simt
