// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/live_compiler.h"
#include <QTimer>
#include "op/parse.h"
#include "session/session.h"

namespace ww::widgets {

namespace {

constexpr int quiet_before_compiling = 400;  // ms without a key

struct LiveWork {
  rpc::CompileRequest request;
  std::string parent, spec;
  std::vector<compile::KernelResources> parents;  // empty: not compiled yet
  CompileFunction compile;
  std::stop_token stop;

  DraftBuild run(LiveCompiler::State& state) const {
    DraftBuild build;
    build.architecture = request.architecture;
    const auto refuse = [&](const Error& error) {
      build.error = error;
      build.log = error.cause.empty() ? error.message : error.cause;
      build.messages = compile::read_log(request.candidate, build.log);
    };
    state = LiveCompiler::State::refused;
    const Result<candidate::Candidate> parsed = candidate::parse(request.candidate, request.language);
    if (!parsed) return refuse(parsed.error()), build;
    const Result<compile::Output> output = compile(request, stop);
    if (!output) {
      if (output.error().code != Code::compile && output.error().code != Code::parse)
        state = LiveCompiler::State::failed;
      return refuse(output.error()), build;
    }
    build.resources = output->resources;
    build.compiler = output->compiler;
    build.log = output->log;
    build.messages = compile::read_log(request.candidate, build.log);
    build.parents = parents.empty() ? compile_parent() : parents;
    state = LiveCompiler::State::built;
    const Result<op::Spec> op = op::parse_spec(spec);
    if (const Status fits = op ? candidate::check_contract(*parsed, *op) : Status(); !fits) {
      build.error = fits.error();
      const std::vector<compile::LogMessage> of_plan = compile::read_log(request.candidate, fits.error().cause);
      build.messages.insert(build.messages.begin(), of_plan.begin(), of_plan.end());
    }
    return build;
  }

  std::vector<compile::KernelResources> compile_parent() const {
    rpc::CompileRequest before = request;
    before.candidate = parent;
    const Result<compile::Output> made = compile(before, stop);
    return made ? made->resources : std::vector<compile::KernelResources>();
  }
};

}  // namespace

LiveCompiler::LiveCompiler(const Context& context, QObject* parent)
    : QObject(parent), context_(context), quiet_(new QTimer(this)) {
  quiet_->setSingleShot(true);
  quiet_->setInterval(quiet_before_compiling);
  connect(quiet_, &QTimer::timeout, this, &LiveCompiler::begin);
  connect(context.session, &Session::state_changed, this, &LiveCompiler::on_session);
}

LiveCompiler::~LiveCompiler() { cancel_.request_stop(); }  // job_ waits

LiveCompiler::Pause LiveCompiler::pause() const {
  if (context_.session->running()) return Pause::run;
  if (context_.session->judging()) return Pause::judgement;
  return context_.session->busy().isEmpty() ? Pause::none : Pause::other;
}

void LiveCompiler::set_state(State state) {
  state_ = state;
  emit changed();
}

void LiveCompiler::cancel() {
  quiet_->stop();
  job_.forget();
  cancel_.request_stop();
  cancel_ = std::stop_source();
}

void LiveCompiler::compile(const Draft& draft) {
  cancel();
  draft_ = draft;
  if (pause() != Pause::none) return set_state(State::paused);
  quiet_->start();
  set_state(State::waiting);
}

void LiveCompiler::stop() {
  cancel();
  build_ = {};
  if (state_ != State::off) set_state(State::off);
}

void LiveCompiler::on_session() {
  if (state_ == State::paused && pause() == Pause::none) {
    quiet_->start();
    set_state(State::waiting);
  } else if ((state_ == State::waiting || state_ == State::compiling) && pause() != Pause::none) {
    cancel();
    set_state(State::paused);
  }
}

void LiveCompiler::begin() {
  LiveWork work;
  work.request.candidate = draft_.text.toStdString();
  work.request.language = draft_.language;
  work.request.architecture = draft_.architecture;
  work.parent = draft_.parent;
  if (parent_build_.text == draft_.parent && parent_build_.architecture == draft_.architecture)
    work.parents = parent_build_.resources;
  work.spec = context_.session->shown_spec();
  work.compile = context_.services.compile;
  work.stop = cancel_.get_token();
  set_state(State::compiling);
  job_.submit([this, work = std::move(work)]() -> LatestJob::Deliver {
    State state = State::failed;
    DraftBuild build = work.run(state);
    return [this, state, build = std::move(build), parent = work.parent] {
      build_ = build;
      if (!build.parents.empty()) parent_build_ = {parent, build.architecture, build.parents};
      set_state(state);
    };
  });
}

}  // namespace ww::widgets
