// SPDX-License-Identifier: Apache-2.0
// What a launch did to each element of a buffer.
#include <algorithm>
#include <bitset>
#include <map>
#include "sim/placed.h"
#include "sim/stepper.h"
#include "simt/memory.h"

namespace ww::sim {
namespace {

constexpr std::uint64_t sector = 32;

}  // namespace

// Counts while the steps run again.
class Stepper::LensMaker {
 public:
  LensMaker(const Stepper& stepper, const Found& found, const std::string& buffer)
      : stepper_(stepper), machine_(*stepper.machine_), found_(found) {
    const auto count = static_cast<std::size_t>(found.elements);
    out_.buffer = buffer;
    out_.type = found.type;
    out_.given = found.given;
    for (auto* list : {&out_.reads, &out_.writes}) list->resize(count);
    for (auto* list : {&out_.blocks, &out_.threads, &out_.write_steps}) list->resize(count, -1);
    out_.lines.resize(count);
    if (found.space != simt::Space::global) return;
    const std::size_t sectors = (count * static_cast<std::size_t>(found.element) + sector - 1) / sector;
    out_.sector_moves.resize(sectors);
    out_.sector_bytes.resize(sectors);
  }

  void note_step() {
    const simt::StepRecord& r = machine_.record(machine_.position() - 1);
    std::map<std::uint64_t, std::bitset<sector>> moved;  // of this step, by sector of the buffer
    for (const simt::StepAccess& a : machine_.accesses()) note(a, r, moved);
    for (const auto& [number, bytes] : moved) {
      ++out_.sector_moves[number];
      out_.sector_bytes[number] += static_cast<std::int64_t>(bytes.count());
    }
  }

  void add_frame() {
    out_.frames.push_back({static_cast<std::int64_t>(machine_.position()), content(), out_.reads, out_.writes});
  }

  Lens take() {
    out_.content = content();
    return std::move(out_);
  }

 private:
  void note(const simt::StepAccess& a, const simt::StepRecord& r, std::map<std::uint64_t, std::bitset<sector>>& moved) {
    const auto size = static_cast<std::uint64_t>(found_.element), bytes = size * out_.reads.size();
    if (a.space != found_.space || a.address + a.bytes <= found_.address || a.address >= found_.address + bytes) return;
    const std::uint64_t begin = a.address > found_.address ? a.address - found_.address : 0;
    const std::uint64_t end = std::min(a.address + a.bytes - found_.address, bytes);
    if (!out_.sector_moves.empty())
      for (std::uint64_t k = begin; k < end; ++k) moved[k / sector].set(k % sector);
    for (std::uint64_t e = begin / size; e * size < end; ++e) {
      if (a.kind != simt::AccessKind::write) ++out_.reads[e];
      if (a.kind != simt::AccessKind::read && out_.writes[e]++ == 0) note_writer(e, a, r);
    }
  }

  void note_writer(std::uint64_t element, const simt::StepAccess& a, const simt::StepRecord& r) {
    const simt::Dim3 &grid = stepper_.placed_->config.grid, block = machine_.block_at(machine_.position() - 1);
    const simt::StepPlace place = machine_.place(r.pc);
    out_.blocks[element] =
        static_cast<std::int64_t>(block.x + std::uint64_t{grid.x} * (block.y + std::uint64_t{grid.y} * block.z));
    out_.threads[element] = 32 * r.warp + a.lane;
    out_.write_steps[element] = static_cast<std::int64_t>(machine_.position() - 1);
    out_.lines[element] = place.line > 0 ? place.line : place.ptx_line;
  }

  std::string content() const {
    const auto bytes = static_cast<std::size_t>(found_.element * found_.elements);
    std::string held(bytes, '\0');
    if (found_.space == simt::Space::shared)
      std::ranges::copy_n(reinterpret_cast<const char*>(machine_.shared().data()) + found_.address,
                          static_cast<std::ptrdiff_t>(bytes), held.begin());
    else if (const Status read = stepper_.placed_->memory.read(found_.address, held.data(), bytes); !read)
      return {};
    return to_hex(held);
  }

  const Stepper& stepper_;
  simt::Stepping& machine_;
  const Found& found_;
  Lens out_;
};

Result<Lens> Stepper::lens(const std::string& buffer, std::int64_t frames) {
  const Found found = WW_TRY(find(buffer));
  if (found.elements > most_lens_elements)
    return fail(Code::invalid_argument, buffer + " has " + std::to_string(found.elements) + " elements; at most " +
                                            std::to_string(most_lens_elements) + " are looked at");
  if (frames * found.elements > most_frame_elements)
    return fail(Code::invalid_argument,
                buffer + " has " + std::to_string(found.elements) + " elements; at most " +
                    std::to_string(most_frame_elements / std::max<std::int64_t>(1, found.elements)) +
                    " frames are kept of it");
  LensMaker maker(*this, found, buffer);
  const std::uint64_t here = machine_->position();
  machine_->jump(0);
  std::int64_t made = 0;
  const auto due = [&] {  // frame k of n ends with step k / n
    return made < frames &&
           machine_->position() * static_cast<std::uint64_t>(frames) >= here * static_cast<std::uint64_t>(made + 1);
  };
  while (machine_->position() < here && machine_->forward()) {
    maker.note_step();
    for (; due(); ++made) maker.add_frame();
  }
  return maker.take();
}

}  // namespace ww::sim
