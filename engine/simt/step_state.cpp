// SPDX-License-Identifier: Apache-2.0
// A stepped launch's state: snapshots of it, and its fingerprint.
#include <algorithm>
#include <cstring>
#include "simt/memory_state.h"
#include "simt/step_machine.h"

namespace ww::simt {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const T* data, std::size_t count) {
  return std::as_bytes(std::span(data, count));
}

class Mixer {
 public:
  void add(std::uint64_t v) { state_ = (state_ ^ v) * 0x9e3779b97f4a7c15u, state_ ^= state_ >> 29; }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    std::size_t at = 0;
    for (std::uint64_t v = 0; at + sizeof v <= bytes.size(); at += sizeof v) {
      std::memcpy(&v, bytes.data() + at, sizeof v);
      add(v);
    }
    for (; at < bytes.size(); ++at) add(static_cast<std::uint64_t>(bytes[at]));
  }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace

void StepMachine::take_snapshot() {
  Worker& worker = *worker_;
  const Snapshot* const before = snapshots_.empty() ? nullptr : snapshots_.back().get();
  auto s = std::make_unique<Snapshot>();
  s->position = position_;
  s->turn = turn_;
  s->exec = worker.x_;
  s->drawn = worker.drawn_;
  s->waited = worker.waited_;
  s->steps = worker.steps_;
  s->reported = worker.reported_;
  s->slice_end = worker.slice_end_;
  s->block_began = worker.block_began_;
  s->pauses = worker.pauses_left_;
  s->changes = launch().changes;
  s->waits = launch().waits[0];
  s->executed = launch().executed;
  s->next_block = launch().next_block;
  s->latest = launch().latest;
  s->printed = launch().printed.size();
  s->printed_truncated = launch().printed_truncated;
  s->written = journal_.seal();
  const Block& b = worker.block_;
  s->index = b.index;
  s->ordinal = b.ordinal;
  s->live = b.live;
  std::ranges::copy(b.barriers, s->barriers.begin());
  s->bulk = b.bulk;
  s->warps.resize(b.warps.size());
  for (std::size_t i = 0; i < b.warps.size(); ++i) {
    const Warp& w = b.warps[i];
    WarpSnapshot& to = s->warps[i];
    to.state = w.state;
    to.live = w.live;
    to.spins = w.spins;
    to.fair = w.fair;
    to.turn = w.turn;
    to.polls = w.polls;
    to.room = w.room;
    to.frames = w.frames;
    to.entries = w.entries;
    to.pending = w.pending;
    to.past = w.past;
    std::ranges::copy(w.bulk_group, to.bulk_group.begin());
    to.circle = w.circle;
    to.registers = Pages({w.registers, w.room}, before == nullptr ? nullptr : &before->warps[i].registers);
  }
  const std::size_t local = std::size_t{launch().local_stride} * warp_lanes * b.warps.size();
  s->local = Pages({worker.local_.get(), local}, before == nullptr ? nullptr : &before->local);
  s->local_init = Pages(bytes_of(worker.local_init_.data(), worker.local_init_.size()),
                        before == nullptr ? nullptr : &before->local_init);
  s->shared = Pages({worker.shared_.get(), launch().shared_bytes}, before == nullptr ? nullptr : &before->shared);
  s->shared_init = Pages(bytes_of(worker.shared_init_.data(), worker.shared_init_.size()),
                         before == nullptr ? nullptr : &before->shared_init);
  snapshot_bytes_ += s->added();
  snapshots_.push_back(std::move(s));
  while (snapshot_bytes_ > stepping_.snapshot_bytes && snapshots_.size() > 2) thin_out();
}

// Every other one goes.
void StepMachine::thin_out() {
  std::vector<std::unique_ptr<Snapshot>> kept;
  for (std::size_t i = 0; i < snapshots_.size(); i += 2) kept.push_back(std::move(snapshots_[i]));
  snapshots_ = std::move(kept);
  interval_ *= 2;
  std::unordered_set<const Page*> pages;
  snapshot_bytes_ = 0;
  for (const auto& one : snapshots_) {
    snapshot_bytes_ += one->overhead();
    one->count(pages);
  }
  snapshot_bytes_ += pages.size() * page_cost;
}

void StepMachine::restore(const Snapshot& s) {
  Worker& worker = *worker_;
  if (launch().printed.size() > printed_.size()) printed_ = launch().printed;
  position_ = s.position;
  turn_ = s.turn;
  worker.x_ = s.exec;
  worker.drawn_ = s.drawn;
  worker.waited_ = s.waited;
  worker.steps_ = s.steps;
  worker.reported_ = s.reported;
  worker.slice_end_ = s.slice_end;
  worker.block_began_ = s.block_began;
  worker.pauses_left_ = s.pauses;
  launch().changes = s.changes;
  launch().waits[0] = s.waits;
  launch().executed = s.executed;
  launch().next_block = s.next_block;
  launch().latest = s.latest;
  launch().printed = printed_.substr(0, s.printed);
  launch().printed_truncated = s.printed_truncated;
  journal_.move_to(s.written);
  Block& b = worker.block_;
  b.index = s.index;
  b.ordinal = s.ordinal;
  b.live = s.live;
  std::ranges::copy(s.barriers, b.barriers);
  b.bulk = s.bulk;
  for (std::size_t i = 0; i < b.warps.size(); ++i) {
    Warp& w = b.warps[i];
    const WarpSnapshot& from = s.warps[i];
    w.state = from.state;
    w.live = from.live;
    w.spins = from.spins;
    w.fair = from.fair;
    w.turn = from.turn;
    w.polls = from.polls;
    w.room = from.room;  // what is there now may be larger
    w.frames = from.frames;
    w.entries = from.entries;
    w.pending = from.pending;
    w.past = from.past;
    std::ranges::copy(from.bulk_group, w.bulk_group);
    w.circle = from.circle;
    from.registers.copy_to({w.registers, w.room});
  }
  const std::size_t local = std::size_t{launch().local_stride} * warp_lanes * b.warps.size();
  s.local.copy_to({worker.local_.get(), local});
  s.local_init.copy_to(std::as_writable_bytes(std::span(worker.local_init_)));
  s.shared.copy_to({worker.shared_.get(), launch().shared_bytes});
  s.shared_init.copy_to(std::as_writable_bytes(std::span(worker.shared_init_)));
  log_->accesses.clear();
}

std::uint64_t StepMachine::fingerprint() const {
  const Worker& worker = *worker_;
  const Block& b = worker.block_;
  Mixer m;
  for (const std::uint64_t v : {position_, worker.steps_, worker.drawn_, worker.waited_, launch().changes, b.ordinal,
                                std::uint64_t{b.live}, std::uint64_t{turn_.ended}})
    m.add(v);
  for (const Barrier& x : b.barriers) m.add(std::uint64_t{x.arrived} << 32 | x.expected);
  for (const Warp& w : b.warps) {
    m.add(static_cast<std::uint64_t>(w.state));
    m.add(w.live);
    for (const CallFrame& f : w.frames) m.add(std::uint64_t{f.function} << 32 | f.return_pc);
    for (const Entry& e : w.entries)
      m.add(std::uint64_t{e.pc} << 32 | e.mask), m.add(static_cast<std::uint64_t>(e.state));
    m.add(w.pending.copies.size());
    m.add({w.registers, w.room});
  }
  if (turn_.inside) m.add(std::uint64_t{turn_.at.pc} << 32 | turn_.at.mask);
  m.add({worker.local_.get(), std::size_t{launch().local_stride} * warp_lanes * b.warps.size()});
  m.add(bytes_of(worker.local_init_.data(), worker.local_init_.size()));
  m.add({worker.shared_.get(), launch().shared_bytes});
  m.add(bytes_of(worker.shared_init_.data(), worker.shared_init_.size()));
  for (const Buffer* buffer : followed_) {
    m.add({buffer->data, buffer->size});
    m.add(bytes_of(buffer->init, buffer->init == nullptr ? 0 : buffer->size));
  }
  m.add(bytes_of(launch().printed.data(), launch().printed.size()));
  return m.state();
}

std::size_t StepMachine::bytes() const {
  return records_.size() * sizeof(StepRecord) + left_waiting_.size() * sizeof(Left) + journal_.bytes() +
         snapshot_bytes_;
}

// A snapshot of a block that shares nothing with those before it, and what the step writes.
std::size_t StepMachine::most_added() const {
  constexpr std::size_t written = std::size_t{16} << 20;
  const Worker& worker = *worker_;
  std::size_t state = std::size_t{launch().local_stride} * warp_lanes * worker.block_.warps.size() +
                      worker.local_init_.size() + launch().shared_bytes + worker.shared_init_.size();
  for (const Warp& w : worker.block_.warps) state += w.room + sizeof(Page);
  return written + state + state / 16;
}

bool StepMachine::full() const {
  return stepping_.record_bytes != 0 && bytes() + most_added() > stepping_.record_bytes;
}

}  // namespace ww::simt
