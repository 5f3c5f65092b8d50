// SPDX-License-Identifier: Apache-2.0
// Which registers of a function are live before each instruction: their value may be read before it is written again.
// PTX has as many registers as it likes; what ptxas makes of them is another number.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ww::simt {
struct Function;
}

namespace ww::sim {

class Liveness {
 public:
  explicit Liveness(const simt::Function& function);  // which must outlive it
  // Of the instruction, an index of the body: ascending indices of Function::registers.
  std::vector<std::uint32_t> before(std::size_t instruction) const;
  std::int64_t most_words() const { return most_words_; }  // of any instruction
  // Of 32 bits that the registers take; predicates take none.
  std::int64_t words(const std::vector<std::uint32_t>& registers) const;

 private:
  using Set = std::vector<bool>;
  struct Block {
    std::size_t begin = 0, end = 0;
    std::vector<std::size_t> next;  // blocks that may follow
    Set out;                        // live at its end
  };
  void divide();
  void solve();
  void pass(std::size_t instruction, Set& live) const;  // from behind it to before it

  const simt::Function& function_;
  std::vector<Block> blocks_;
  std::int64_t most_words_ = 0;
};

}  // namespace ww::sim
