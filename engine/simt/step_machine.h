// SPDX-License-Identifier: Apache-2.0
// The machine behind Stepping: one worker that runs one operation at a time, snapshots, and the journal of writes.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "simt/block.h"
#include "simt/prepare.h"
#include "simt/snapshot.h"
#include "simt/stepping.h"

namespace ww::simt {

// Notes every access of a step, and passes them on to the detector that looks for races while steps run first.
class AccessLog : public RaceDetector {
 public:
  std::unique_ptr<RaceDetector> next;
  bool passes_on = false;
  std::vector<StepAccess> accesses;

  void begin_block(std::uint64_t ordinal) override;
  void note(Exec& x, const Op& op, const Touch& touch) override;
  void synchronize(std::uint32_t warp, unsigned lane, Order order, const std::byte* place,
                   std::uint32_t bytes) override;
  void fence(std::uint32_t warp, bool beyond_block) override;
  void meet(std::uint32_t warp, std::uint32_t mask) override;
  void arrive(std::uint32_t warp, std::uint32_t mask, unsigned barrier) override;
  void join(unsigned barrier, std::uint32_t warp) override;
  void end(unsigned barrier, std::uint32_t warp) override;
  void release(unsigned barrier) override;

 private:
  RaceDetector* other() const { return passes_on ? next.get() : nullptr; }
};

class StepMachine {
 public:
  StepMachine(std::shared_ptr<const Program> program, const LaunchConfig& config, Memory& memory,
              const SteppingOptions& options);
  ~StepMachine();
  Status begin(std::string_view kernel);

  bool step();
  void jump(std::uint64_t to);
  std::optional<StepRecord> next(std::uint64_t position) const;
  StepPlace place(std::uint32_t pc) const;
  Dim3 block_at(std::uint64_t position) const;
  std::uint64_t block_begin(std::uint64_t position) const;
  std::uint64_t block_end(std::uint64_t position) const;
  StepWarp warp(std::size_t index) const;
  std::uint64_t lane_value(std::size_t warp, std::size_t frame, std::size_t index, unsigned lane) const;
  bool local_bytes(std::size_t warp, std::size_t frame, unsigned lane, std::uint64_t at, std::span<std::byte> to) const;
  std::optional<std::uint32_t> shared_place(std::string_view symbol) const;
  std::span<const std::byte> shared() const;
  std::span<const std::uint8_t> shared_written() const;
  std::uint64_t fingerprint() const;
  std::size_t bytes() const;
  bool full() const;
  std::uint32_t still_waiting(std::uint64_t position) const;
  std::string printed() const { return launch().printed; }

  std::uint64_t position() const { return position_; }
  std::uint64_t recorded() const { return records_.size(); }
  bool ended() const { return turn_.ended; }
  const StepRecord& record(std::uint64_t position) const { return records_.at(position); }
  const Block& block() const { return worker_->block_; }
  const std::vector<StepAccess>& accesses() const { return log_->accesses; }
  const std::vector<StepHazard>& hazards() const { return hazards_; }

 private:
  LaunchState& launch() const { return *prepared_.state; }
  Warp& running() const;
  Status run_earlier_blocks();
  void settle();
  void begin_turn(Warp& w);
  void end_turn(Warp& w);
  void end_round();
  void end_block();
  void start_block();
  void run_instruction();
  void note_values();
  void note_cost(StepRecord& record) const;
  void note_waiting(StepRecord& record, const Warp& w, bool same_block);
  std::size_t most_added() const;  // to what is recorded, by one step
  StepRecord record_here() const;
  void found(const FaultSignal& signal);
  void take_snapshot();
  void thin_out();
  void restore(const Snapshot& s);

  const std::shared_ptr<const Program> program_;
  const LaunchConfig config_;
  LaunchOptions options_;
  Memory& memory_;
  const SteppingOptions stepping_;
  Prepared prepared_;
  WriteJournal journal_;
  std::unique_ptr<Worker> worker_;
  AccessLog* log_ = nullptr;  // the worker's
  std::vector<Buffer*> followed_;

  StepTurn turn_;
  std::uint64_t position_ = 0, last_block_ = 0;
  bool released_ = false;
  std::deque<StepRecord> records_;
  struct Left {  // waiting by a step that released others
    std::uint64_t position = 0;
    std::uint32_t warps = 0;
  };
  std::deque<Left> left_waiting_;
  std::map<std::uint64_t, Dim3> blocks_;  // by the position at which they begin
  std::vector<StepHazard> hazards_;
  std::string printed_;                               // by all recorded steps
  std::vector<std::unique_ptr<Snapshot>> snapshots_;  // ascending
  std::uint64_t interval_ = 0;
  std::size_t snapshot_bytes_ = 0;
};

}  // namespace ww::simt
