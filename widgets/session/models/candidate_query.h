// SPDX-License-Identifier: GPL-3.0-or-later
// The candidate filter language: state:proved regs<64 "two words" -is:pinned OR parent:12. Adjacent terms must all
// match; OR between terms, a minus or NOT before one, parentheses. Parsing is pure and accepts any text.
#pragma once
#include <QString>
#include <QStringList>
#include <string>
#include <vector>

namespace ww::widgets {

enum class QueryField {
  any,
  name,
  state,
  verdict,
  kind,
  generator,
  parent,
  hash,
  note,
  tag,
  is,
  id,
  rank,
  cost,
  time,
  spread,
  regs,
  shared,
  occupancy,
  spill
};

struct QueryNode {
  enum class Kind { all, either, no, contains, equals, number, missing };
  enum class Compare { less, less_equal, greater, greater_equal, equal };
  Kind kind = Kind::all;
  std::vector<QueryNode> parts;  // of all, either, no (one)
  QueryField field = QueryField::any;
  std::string text;                  // of contains and equals; lower case where it is ASCII
  Compare compare = Compare::equal;  // of number
  double value = 0;
  bool seconds = false;  // value is a time in seconds, compared only with times
};

struct ParsedQuery {
  QueryNode query;  // matches everything if it has no parts
  bool empty = true;
  bool names_trash = false;  // is:trashed occurs: then trash is not hidden
  bool names_rank = false;   // matches may change with the ranks
  QString error;             // a sentence; empty: valid
  int at = 0, length = 0;    // of the error, in characters of the text
};
ParsedQuery parse_query(const QString& text);

// Keys for completion and help, the most useful first.
struct QueryKey {
  const char* key;  // "state"
  QueryField field;
  bool number;
  const char* example;  // "state:proved"
  const char* about;    // untranslated; context "CandidateQuery"
  QStringList values;   // possible values; empty: any
};
const std::vector<QueryKey>& query_keys();
QString query_help();  // lines

}  // namespace ww::widgets
