// SPDX-License-Identifier: Apache-2.0
#include "simt/journal.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace ww::simt {

std::uint32_t WriteJournal::index_of(BufferView& buffer) {
  if (last_buffer_ < buffers_.size() && buffers_[last_buffer_] == &buffer) return last_buffer_;
  const auto at = std::ranges::find(buffers_, &buffer);
  last_buffer_ = static_cast<std::uint32_t>(at - buffers_.begin());
  if (at == buffers_.end()) buffers_.push_back(&buffer);
  return last_buffer_;
}

void WriteJournal::keep(BufferView& buffer, std::uint64_t offset, std::size_t bytes) {
  const std::byte* const value = buffer.data + offset;
  const std::uint8_t* const init = buffer.init == nullptr ? nullptr : buffer.init + offset;
  if (now_.at == values_.size()) {
    const std::uint32_t index = index_of(buffer);
    const bool joins = !sealed_ && entries_.back().buffer == index &&
                       entries_.back().offset + entries_.back().bytes == offset &&
                       entries_.back().bytes < std::numeric_limits<std::uint32_t>::max() - bytes;
    if (!joins) entries_.push_back({index, 0, offset});
    entries_.back().bytes += static_cast<std::uint32_t>(bytes);
    values_.insert(values_.end(), value, value + bytes);
    if (init != nullptr)
      written_.insert(written_.end(), init, init + bytes);
    else
      written_.resize(written_.size() + bytes, 1);
    sealed_ = false;
    now_ = {entries_.size(), values_.size()};
    done_ = 0;
    return;
  }
  std::memcpy(values_.data() + now_.at, value, bytes);
  if (init != nullptr) std::memcpy(written_.data() + now_.at, init, bytes);
  now_.at += bytes;
  done_ += bytes;
  while (now_.entry < entries_.size() && done_ >= entries_[now_.entry].bytes) {
    done_ -= entries_[now_.entry].bytes;
    ++now_.entry;
  }
}

WriteJournal::Cursor WriteJournal::seal() {
  sealed_ = true;
  return now_;
}

void WriteJournal::exchange(const Entry& e, std::size_t from, std::size_t to, std::size_t at) {
  BufferView& b = *buffers_[e.buffer];
  if (b.data == nullptr) return;
  std::swap_ranges(values_.data() + at, values_.data() + at + (to - from), b.data + e.offset + from);
  if (b.init != nullptr)
    std::swap_ranges(written_.data() + at, written_.data() + at + (to - from), b.init + e.offset + from);
}

void WriteJournal::move_to(Cursor to) {
  if (done_ != 0 && to.entry <= now_.entry) {  // back over the begun part of an entry
    now_.at -= done_;
    exchange(entries_[now_.entry], 0, done_, now_.at);
  } else if (done_ != 0) {
    const Entry& e = entries_[now_.entry++];
    exchange(e, done_, e.bytes, now_.at);
    now_.at += e.bytes - done_;
  }
  done_ = 0;
  while (now_.entry > to.entry) {
    const Entry& e = entries_[--now_.entry];
    now_.at -= e.bytes;
    exchange(e, 0, e.bytes, now_.at);
  }
  while (now_.entry < to.entry) {
    const Entry& e = entries_[now_.entry++];
    exchange(e, 0, e.bytes, now_.at);
    now_.at += e.bytes;
  }
}

std::size_t WriteJournal::bytes() const {
  return entries_.capacity() * sizeof(Entry) + values_.capacity() + written_.capacity();
}

}  // namespace ww::simt
