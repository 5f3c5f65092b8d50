// SPDX-License-Identifier: GPL-3.0-or-later
// Searches all texts of a workspace. Not on the GUI thread.
#pragma once
#include <QString>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>
#include "session/language.h"
#include "store/workspace.h"

namespace ww::widgets {

struct Found {
  enum class Kind { candidate, op, run, exchange, message, log };
  Kind kind = Kind::candidate;
  std::int64_t run = 0, id = 0;   // id: of the candidate or exchange
  int line = 0;                   // of the candidate's text
  QString title, where, excerpt;  // where: "text", "verdict", "note" …
  QString phrase;                 // of an op
};
struct FindResult {
  std::vector<Found> found;
  bool more = false;  // there are more results than listed
  QString problem;
};

constexpr std::size_t most_found = 500;
// All words must occur in one line of a text, or in one title, note or sentence. Newest runs first.
FindResult find_in_workspace(Language& language, store::Workspace* workspace, const QString& words,
                             const std::atomic<bool>& stop);
// The line, shortened around the first match.
QString excerpt_of(const QString& line, const QStringList& words);
bool has_words(const QString& text, const QStringList& words);

}  // namespace ww::widgets
