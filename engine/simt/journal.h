// SPDX-License-Identifier: Apache-2.0
// What a stepped launch writes to global memory, so that memory can go back to what it held before, and forwards again.
// Each byte is kept once: it exchanges places with the one in memory whenever the launch passes it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>
#include "simt/buffer.h"

namespace ww::simt {

// Bytes that become many: in pieces, so that more of them neither move those before nor take room for twice as many.
class LongBytes {
 public:
  static constexpr std::size_t piece = std::size_t{1} << 16;

  std::size_t size() const { return size_; }
  std::size_t room() const { return pieces_.size() * piece; }
  std::uint8_t& operator[](std::size_t at) { return pieces_[at / piece][at % piece]; }
  void grow_to(std::size_t size) {  // what is new is 0
    for (; room() < size; pieces_.push_back(std::make_unique<std::uint8_t[]>(piece))) {}
    size_ = std::max(size_, size);
  }
  // Those from `at` on that lie together, at most so many.
  std::span<std::uint8_t> together(std::size_t at, std::size_t most) {
    return {pieces_[at / piece].get() + at % piece, std::min(most, piece - at % piece)};
  }

 private:
  std::vector<std::unique_ptr<std::uint8_t[]>> pieces_;
  std::size_t size_ = 0;
};

class WriteJournal {
 public:
  struct Cursor {
    std::size_t entry = 0, at = 0;  // at: in the bytes that are kept
  };
  // Before bytes of a buffer change, which lie in it. At the end it grows; before, where a step is repeated, the bytes
  // take the place of those that are about to be written again.
  void keep(BufferView& buffer, std::uint64_t offset, std::size_t bytes);
  // The cursor of what has been kept so far; what follows begins a new entry.
  Cursor seal();
  void move_to(Cursor to);  // a sealed one
  std::size_t bytes() const;

 private:
  struct Entry {
    std::uint32_t buffer = 0, bytes = 0;
    std::uint64_t offset = 0;
  };
  std::uint32_t index_of(BufferView& buffer);
  void exchange(const Entry& e, std::size_t from, std::size_t to, std::size_t at);
  void keep_values(const std::byte* value, std::size_t at, std::size_t bytes);
  void keep_written(const std::uint8_t* init, std::size_t at, std::size_t bytes);

  std::vector<BufferView*> buffers_;
  std::uint32_t last_buffer_ = 0;
  std::deque<Entry> entries_;
  LongBytes values_;
  LongBytes written_;  // a bit for each of `values_`: stepping has no other tags (Exec::tag)
  Cursor now_;
  std::size_t done_ = 0;  // bytes of the entry at the cursor that are before it
  bool sealed_ = true;
};

}  // namespace ww::simt
