// SPDX-License-Identifier: Apache-2.0
#include "llm/message.h"
#include <utility>

namespace ww::llm {
namespace {

std::string joined(const std::vector<Block>& blocks, Block::Kind kind) {
  std::string text;
  for (const Block& b : blocks)
    if (b.kind == kind) text += b.text;
  return text;
}

}  // namespace

std::string Message::text() const {
  std::string text;
  for (const Block& b : blocks)
    if (b.kind == Block::Kind::text || b.is_text_result()) text += b.text;
  return text;
}
std::string Reply::text() const { return joined(blocks, Block::Kind::text); }
std::string Reply::thinking() const { return joined(blocks, Block::Kind::thinking); }

Message message(Role role, std::string text, bool cache) {
  Message m;
  m.role = role;
  m.cache = cache;
  m.blocks.push_back({Block::Kind::text, std::move(text), {}});
  return m;
}

}  // namespace ww::llm
