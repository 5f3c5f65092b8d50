// SPDX-License-Identifier: Apache-2.0
#include "simt/journal.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace ww::simt {
namespace {

// Of 8 bytes that are 0 or 1, the first is the lowest bit; and back.
std::uint8_t packed(const std::uint8_t* flags) {
  std::uint64_t v = 0;
  std::memcpy(&v, flags, sizeof v);
  return static_cast<std::uint8_t>(v * 0x0102040810204080u >> 56);
}
void unpack(std::uint8_t bits, std::uint8_t* flags) {
  for (unsigned k = 0; k < 8; ++k) flags[k] = bits >> k & 1;
}

void put_bit(std::uint8_t& bits, unsigned k, bool to) {
  bits = static_cast<std::uint8_t>((bits & ~(1u << k)) | (to ? 1u << k : 0u));
}

// The bits from `at` on and the flags change places.
void exchange_flags(LongBytes& bits, std::size_t at, std::uint8_t* flags, std::size_t count) {
  for (std::size_t k = 0; k < count;) {
    std::uint8_t& held = bits[(at + k) / 8];
    if ((at + k) % 8 == 0 && count - k >= 8) {
      const std::uint8_t now = packed(flags + k);
      if (now != held) unpack(held, flags + k);
      held = now;
      k += 8;
      continue;
    }
    const auto bit = static_cast<unsigned>((at + k) % 8);
    const bool now = flags[k] != 0;
    flags[k] = held >> bit & 1;
    put_bit(held, bit, now);
    ++k;
  }
}

}  // namespace

std::uint32_t WriteJournal::index_of(BufferView& buffer) {
  if (last_buffer_ < buffers_.size() && buffers_[last_buffer_] == &buffer) return last_buffer_;
  const auto at = std::ranges::find(buffers_, &buffer);
  last_buffer_ = static_cast<std::uint32_t>(at - buffers_.begin());
  if (at == buffers_.end()) buffers_.push_back(&buffer);
  return last_buffer_;
}

void WriteJournal::keep_values(const std::byte* value, std::size_t at, std::size_t bytes) {
  while (bytes > 0) {
    const std::span<std::uint8_t> to = values_.together(at, bytes);
    std::memcpy(to.data(), value, to.size());
    value += to.size();
    at += to.size();
    bytes -= to.size();
  }
}

void WriteJournal::keep_written(const std::uint8_t* init, std::size_t at, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes;) {
    std::uint8_t& held = written_[(at + k) / 8];
    if (init != nullptr && (at + k) % 8 == 0 && bytes - k >= 8) {
      held = packed(init + k);
      k += 8;
    } else {
      put_bit(held, static_cast<unsigned>((at + k) % 8), init == nullptr || init[k] != 0);
      ++k;
    }
  }
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
    values_.grow_to(now_.at + bytes);
    written_.grow_to((values_.size() + 7) / 8);
    keep_values(value, now_.at, bytes);
    keep_written(init, now_.at, bytes);
    sealed_ = false;
    now_ = {entries_.size(), values_.size()};
    done_ = 0;
    return;
  }
  keep_values(value, now_.at, bytes);
  keep_written(init, now_.at, bytes);
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
  for (std::size_t done = 0; done < to - from;) {
    const std::span<std::uint8_t> kept = values_.together(at + done, to - from - done);
    std::swap_ranges(kept.begin(), kept.end(), reinterpret_cast<std::uint8_t*>(b.data + e.offset + from + done));
    done += kept.size();
  }
  if (b.init != nullptr) exchange_flags(written_, at, b.init + e.offset + from, to - from);
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

std::size_t WriteJournal::bytes() const { return entries_.size() * sizeof(Entry) + values_.room() + written_.room(); }

}  // namespace ww::simt
