// SPDX-License-Identifier: GPL-3.0-or-later
// What every panel is made with. All of it outlives the panels; nothing of it is null.
#pragma once
#include <memory>

class QUndoStack;

namespace ww::widgets {

class CandidateModel;
class Engine;
class ProfileLoader;
class Registry;
class Selection;
class Session;

struct Context {
  std::shared_ptr<Engine> engine;
  Session* session;
  Selection* selection;
  CandidateModel* candidates;  // of the shown run
  Registry* registry;          // panels add their own actions
  QUndoStack* undo;            // of marks, notes and decisions; commands must stay right when another run is shown
  ProfileLoader* profiles = nullptr;  // of the current candidate and the compared ones, for the profiler's panels
};

}  // namespace ww::widgets
