// SPDX-License-Identifier: GPL-3.0-or-later
// The context that every panel is built with. It outlives the panels. Only members with a default may be null.
#pragma once
#include "session/services.h"

class QUndoStack;

namespace ww::widgets {

class CandidateModel;
class ComparedNames;
class Measurer;
class ProfileLoader;
class Registry;
class Selection;
class Session;

struct Context {
  Services services;
  Session* session;
  Selection* selection;
  CandidateModel* candidates;    // of the shown run
  Registry* registry;            // panels add their own actions
  QUndoStack* undo;              // for marks, notes and decisions; commands must stay valid when another run is shown
  Measurer* measurer = nullptr;  // of candidates, on a GPU; without one, panels cannot measure
  ProfileLoader* profiles = nullptr;  // of the current candidate and the compared ones, for the profiler's panels
  ComparedNames* compared = nullptr;  // names of the compared candidates, also from other runs
};

}  // namespace ww::widgets
