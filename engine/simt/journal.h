// SPDX-License-Identifier: Apache-2.0
// What a stepped launch writes to global memory, so that memory can go back to what it held before, and forwards again.
// Each byte is kept once: it exchanges places with the one in memory whenever the launch passes it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include "simt/buffer.h"

namespace ww::simt {

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
  void keep_written(const std::uint8_t* init, std::size_t at, std::size_t bytes);

  std::vector<BufferView*> buffers_;
  std::uint32_t last_buffer_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::byte> values_;
  std::vector<std::uint8_t> written_;  // a bit for each of `values_`: stepping has no other tags (Exec::tag)
  Cursor now_;
  std::size_t done_ = 0;  // bytes of the entry at the cursor that are before it
  bool sealed_ = true;
};

}  // namespace ww::simt
