// SPDX-License-Identifier: GPL-3.0-or-later
// Reads two candidates with their numbers, verdicts and notes, and compares their texts. Off the GUI thread; the latest
// request wins.
#pragma once
#include <QHash>
#include <QObject>
#include <QString>
#include <memory>
#include "panels/diff/line_colours.h"
#include "diff/numbers.h"
#include "diff/texts.h"
#include "diff/verdicts.h"
#include "session/context.h"
#include "session/runs.h"
#include "session/latest_job.h"

namespace ww::widgets {

struct DiffSide {
  store::CandidateRecord record;
  QString name;     // "#12 tiled 64x64"
  QString options;  // "BLOCK = 256, fast-math"; empty: it has none
  QString place;    // "simt, sm_80, NVRTC 13.0"
  std::string architecture;
  std::vector<diff::Number> numbers;
};
struct DiffPair {
  std::shared_ptr<const DiffSide> left, right;
  std::vector<diff::PairedTiming> paired_timings;
  std::vector<diff::VerdictRow> verdicts;
  std::vector<store::ReviewRecord> notes;  // of the right one, those in force; oldest first
};

struct DiffTexts {
  CodeKind listing = CodeKind::source;
  std::shared_ptr<const diff::TextDiff> diff;  // null: nothing to compare, with the reason
  bool left_ptx = false, right_ptx = false;    // the source is PTX
  std::vector<int> left_lines,
      right_lines;  // for PTX and machine code: the source line of each line, 0: none
  QString why_not;
  int left_instructions = -1, right_instructions = -1;  // of machine code
};

class DiffLoader : public QObject {
  Q_OBJECT
 public:
  explicit DiffLoader(const Context& context, QObject* parent = nullptr);
  void load(std::int64_t left, std::int64_t right);  // left 0: the parent of the right one
  void compare(const std::shared_ptr<const DiffPair>& pair, CodeKind listing, bool normalised, bool ignore_space);
  void forget();
  bool busy() const { return reader_.busy() || comparer_.busy(); }

 signals:
  // null: with the reason
  void loaded(const std::shared_ptr<const ww::widgets::DiffPair>& pair, const QString& why_not);
  void compared(const std::shared_ptr<const ww::widgets::DiffTexts>& texts);

 private:
  Context context_;
  struct MachineCode {
    std::string text;
    std::vector<int> lines;  // of the source
  };
  static Result<MachineCode> read_machine_code(Runs& runs, const DiffSide& side);
  QHash<QString, std::shared_ptr<const MachineCode>> machine_code_;  // by hash and architecture, the last few
  LatestJob reader_, comparer_;
};

}  // namespace ww::widgets
