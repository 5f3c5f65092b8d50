// SPDX-License-Identifier: Apache-2.0
// States of stored rows. A name that this version does not know reads as `unknown`; no default is a favourable one.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include "base/describe.h"

namespace ww::store {

using Tuning = std::vector<std::pair<std::string, std::int64_t>>;  // what its tune lines chose, in the text's order

enum class RunState : std::uint8_t {
  unknown,
  running,  // or interrupted: explore::is_live tells them apart
  done,     // the budget is used up, or nothing more was proposed
  cancelled,
  failed,
  interrupted,  // never stored: running, but no process works on it
};

constexpr auto names_of(RunState) {
  using enum RunState;
  return std::to_array<Enumerator<RunState>>({{unknown, "unknown"},
                                              {running, "running"},
                                              {done, "done"},
                                              {cancelled, "cancelled"},
                                              {failed, "failed"},
                                              {interrupted, "interrupted"}});
}

enum class CandidateState : std::uint8_t {
  unknown,
  queued,
  judging,  // never stored
  accepted,
  rejected,    // proved wrong
  not_judged,  // neither proved nor disproved; the reason is in its verdict, or without one in its summary
  duplicate,   // of another candidate, whose verdict it has
};

constexpr auto names_of(CandidateState) {
  using enum CandidateState;
  return std::to_array<Enumerator<CandidateState>>({{unknown, "unknown"},
                                                    {queued, "queued"},
                                                    {judging, "judging"},
                                                    {accepted, "accepted"},
                                                    {rejected, "rejected"},
                                                    {not_judged, "not judged"},
                                                    {duplicate, "duplicate"}});
}

// the role in which a model is asked
enum class AgentRole : std::uint8_t { unknown, formulator, writer, analyst, reviewer };

constexpr auto names_of(AgentRole) {
  using enum AgentRole;
  return std::to_array<Enumerator<AgentRole>>({{unknown, "unknown"},
                                               {formulator, "formulator"},
                                               {writer, "writer"},
                                               {analyst, "analyst"},
                                               {reviewer, "reviewer"}});
}

enum class ExchangeState : std::uint8_t { unknown, sent, replied, failed, cancelled };

constexpr auto names_of(ExchangeState) {
  using enum ExchangeState;
  return std::to_array<Enumerator<ExchangeState>>(
      {{unknown, "unknown"}, {sent, "sent"}, {replied, "replied"}, {failed, "failed"}, {cancelled, "cancelled"}});
}

enum class ExchangeOutcome : std::uint8_t {  // of an exchange with a reply
  unknown,
  none,  // its reply has not been processed yet
  candidate,
  spec,
  notes,
  diagnosis,
  repaired,    // the first reply could not be parsed; the model was told why and sent a better one
  duplicate,   // a known candidate
  unparsable,  // the reply could not be parsed
  refused,     // by the model
  called,      // it called tools; the next exchange has their results
};

constexpr auto names_of(ExchangeOutcome) {
  using enum ExchangeOutcome;
  return std::to_array<Enumerator<ExchangeOutcome>>({{unknown, "unknown"},
                                                     {none, ""},
                                                     {candidate, "candidate"},
                                                     {spec, "spec"},
                                                     {notes, "notes"},
                                                     {diagnosis, "diagnosis"},
                                                     {repaired, "repaired"},
                                                     {duplicate, "duplicate"},
                                                     {unparsable, "unparsable"},
                                                     {refused, "refused"},
                                                     {called, "called"}});
}

enum class MarkKind : std::uint8_t { unknown, pin, note, tag, trash };  // trash: hidden, never deleted

constexpr auto names_of(MarkKind) {
  using enum MarkKind;
  return std::to_array<Enumerator<MarkKind>>(
      {{unknown, "unknown"}, {pin, "pin"}, {note, "note"}, {tag, "tag"}, {trash, "trash"}});
}

enum class MessageLevel : std::uint8_t {
  unknown,
  info,
  warning,
  error,
  environment,  // the worker's facts as JSON
};

constexpr auto names_of(MessageLevel) {
  using enum MessageLevel;
  return std::to_array<Enumerator<MessageLevel>>(
      {{unknown, "unknown"}, {info, "info"}, {warning, "warning"}, {error, "error"}, {environment, "environment"}});
}

}  // namespace ww::store
