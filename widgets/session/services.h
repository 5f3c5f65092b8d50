// SPDX-License-Identifier: GPL-3.0-or-later
// The engine services that the window needs beyond plain calls (op::parse, store::Workspace, review::accept …): a few
// narrow interfaces to the engine, which tests can replace. Not on the GUI thread; thread-safe.
#pragma once
#include <functional>
#include <memory>
#include "generator/wrong_elements.h"
#include "lesson/judge.h"
#include "measure/candidates.h"
#include "rpc/supervisor.h"
#include "session/guests.h"
#include "session/language.h"
#include "session/modelled_gpu.h"
#include "session/models_service.h"
#include "session/profile_view.h"
#include "session/runs.h"

namespace ww::widgets {

// The profile of a candidate. `known`, which may be null, is returned if nothing newer is stored.
using ProfileFunction = std::function<Result<std::shared_ptr<const ProfileView>>(
    store::Workspace&, std::int64_t candidate, const std::shared_ptr<const ProfileView>& known)>;
// The same for a candidate that may be a guest (guests.h): the profile has the id that it was asked with.
Result<std::shared_ptr<const ProfileView>> read_profile(const ProfileFunction& read, const Stores& stores,
                                                        std::int64_t candidate,
                                                        const std::shared_ptr<const ProfileView>& known);
ProfileFunction profile_reader(std::shared_ptr<const ModelledGpu> gpu);

using MeasureFunction = std::function<Result<measure::Done>(store::Workspace&, const measure::Request&,
                                                            const std::stop_token&, const measure::ProgressHandler&)>;

// The wrong elements of the output for which a candidate was rejected (generator/wrong_elements.h).
using WrongFunction = std::function<Result<evidence::WrongMap>(store::Workspace&, std::int64_t candidate,
                                                               const std::stop_token&, const rpc::ProgressHandler&)>;

// Compiles a text in a worker that is reused.
using CompileFunction = std::function<Result<compile::Output>(const rpc::CompileRequest&, const std::stop_token&)>;
CompileFunction worker_compiler();

// Judges a student's kernel for a lesson's task (lesson/judge.h).
using LessonFunction = std::function<Result<lesson::Judged>(const lesson::Task&, const std::string& kernel,
                                                            const std::stop_token&, const rpc::ProgressHandler&)>;
LessonFunction lesson_judge();  // in a worker

struct Services {  // no member is null
  std::shared_ptr<Language> language = std::make_shared<Language>();
  std::shared_ptr<Runs> runs = std::make_shared<Runs>();
  std::shared_ptr<Models> models = std::make_shared<Models>();
  std::shared_ptr<ModelledGpu> gpu = std::make_shared<ModelledGpu>();
  ProfileFunction profile = profile_reader(gpu);
  MeasureFunction measure = measure::measure;
  WrongFunction wrong = generator::wrong_elements;
  CompileFunction compile = worker_compiler();
  LessonFunction lesson = lesson_judge();
};

}  // namespace ww::widgets
