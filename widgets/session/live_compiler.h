// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles the text of a draft while it is edited, in a worker: what the compiler says of it, and the resources of its
// kernels beside those of the candidate that it began with. Nothing is judged or stored. The newest text wins, and
// nothing is compiled while a run, a measurement or a judgement is under way. GUI thread.
#pragma once
#include <QObject>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "compile/log.h"
#include "session/context.h"
#include "session/latest_job.h"
#include "store/workspace.h"

class QTimer;

namespace ww::widgets {

struct DraftBuild {
  std::vector<compile::LogMessage> messages;  // in the text
  std::string log;                            // of the compiler
  std::optional<Error> error;                 // no PTX was made, or the plan does not fit the op: the first reason
  std::vector<compile::KernelResources> resources, parents;  // of both for this architecture; empty: not known
  std::string architecture, compiler;
};

class LiveCompiler : public QObject {
  Q_OBJECT
 public:
  enum class State { off, waiting, paused, compiling, built, refused, failed };  // failed: through no fault of the text
  enum class Pause { none, run, judgement, other };
  explicit LiveCompiler(const Context& context, QObject* parent = nullptr);
  ~LiveCompiler() override;  // cancels the compilation in progress

  struct Draft {
    QString text;
    std::string parent;  // the text that it began with
    candidate::Language language = candidate::Language::cuda;
    std::string architecture;
  };
  void compile(const Draft& draft);  // when nothing newer comes for a moment
  void stop();                       // what was asked for is no longer wanted

  State state() const { return state_; }
  Pause pause() const;                                // why nothing is compiled now
  const DraftBuild& build() const { return build_; }  // the last one, while a newer text waits, too

 signals:
  void changed();

 private:
  void cancel();
  void begin();
  void on_session();
  void set_state(State state);
  struct ParentBuild {
    std::string text, architecture;
    std::vector<compile::KernelResources> resources;
  };
  Context context_;
  State state_ = State::off;
  Draft draft_;
  DraftBuild build_;
  ParentBuild parent_build_;  // the last one that was made: it stays while only the draft changes
  QTimer* quiet_;
  std::stop_source cancel_;
  LatestJob job_;
};

}  // namespace ww::widgets
