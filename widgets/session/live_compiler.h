// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles a draft while it is edited, in a worker: the compiler's messages, and its kernels' resources compared with
// those of its parent. Nothing is judged or stored. The newest text wins, and nothing is compiled during a run, a
// measurement or a judgement. GUI thread.
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
  std::optional<Error> error;                 // there is no PTX, or the plan does not match the op: the first error
  std::vector<compile::KernelResources> resources, parents;  // of both for this architecture; empty: unknown
  std::string architecture, compiler;
};

class LiveCompiler : public QObject {
  Q_OBJECT
 public:
  enum class State { off, waiting, paused, compiling, built, refused, failed };  // failed: unrelated to the text
  enum class Pause { none, run, judgement, other };
  explicit LiveCompiler(const Context& context, QObject* parent = nullptr);
  ~LiveCompiler() override;  // cancels the compilation in progress

  struct Draft {
    QString text;
    std::string parent;  // the text it was derived from
    candidate::Language language = candidate::Language::cuda;
    std::string architecture;
  };
  void compile(const Draft& draft);  // after a moment without newer text
  void stop();                       // drops the requested text

  State state() const { return state_; }
  Pause pause() const;                                // why nothing is compiled now
  const DraftBuild& build() const { return build_; }  // the last one, also while a newer text waits

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
  ParentBuild parent_build_;  // cached while only the draft changes
  QTimer* quiet_;
  std::stop_source cancel_;
  LatestJob job_;
};

}  // namespace ww::widgets
