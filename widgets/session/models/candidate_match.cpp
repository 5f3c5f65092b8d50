// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/models/candidate_match.h"
#include <QString>
#include <algorithm>
#include <charconv>
#include <cmath>
#include "session/models/candidate_model.h"
#include "identity/titles.h"

namespace ww::widgets {

namespace {

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
QString utf16(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

bool equal_folded(std::string_view text, std::string_view lower) {
  if (!is_ascii(lower)) return utf16(text).compare(utf16(lower), Qt::CaseInsensitive) == 0;
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) { return folded(a) == b; });
}

bool number_of(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// How many seconds a score's unit is; NaN: it is no time.
double seconds_per(const std::string& unit) {
  if (unit == "\u00b5s" || unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "ns") return 1e-9;
  if (unit == "s") return 1;
  return NAN;
}

double number_in(const QueryNode& q, const CandidateModel& model, const CandidateModel::Row& row) {
  const auto& d = row.data;
  switch (q.field) {
    case QueryField::id: return static_cast<double>(d.id);
    case QueryField::rank: return d.rank ? *d.rank : NAN;
    case QueryField::cost:
    case QueryField::time: {
      if (!d.score) return NAN;
      const bool measured = d.score->provenance == Provenance::measured;
      if (measured != (q.field == QueryField::time)) return NAN;
      return d.score->value * (q.seconds ? seconds_per(d.score->unit) : 1);
    }
    case QueryField::spread: return model.spread(row) * 100;
    case QueryField::regs: return model.registers(row);
    case QueryField::shared: return model.shared_bytes(row);
    case QueryField::occupancy: return model.occupancy(row) * 100;
    case QueryField::spill: return model.spilled(row);
    default: return NAN;
  }
}

bool in_state(store::CandidateState state, const std::string& wanted) {
  const bool open = state == store::CandidateState::queued || state == store::CandidateState::judging;
  if (wanted == "open") return open;
  if (wanted == "judged") return !open;
  if (wanted == "proved") return state == store::CandidateState::accepted;
  if (wanted == "not-judged") return state == store::CandidateState::not_judged;
  return enum_string(state) == wanted;
}

bool is_so(const std::string& what, const CandidateModel& model, const CandidateModel::Row& row) {
  const auto& d = row.data;
  if (what == "ranked") return d.rank.has_value();
  if (what == "measured" || what == "simulated") return d.score && enum_string(d.score->provenance) == what;
  if (what == "compared") return model.series(d.id) >= 0;
  if (what == "signed") return review::is_signed(model.review_state(d.id));
  if (what == "baseline") return model.baseline() == d.id && d.id != 0;
  if (!model.any_marks()) return false;
  const CandidateMarks marks = model.marks(d.id);
  if (what == "pinned") return marks.pinned;
  if (what == "trashed") return marks.trashed;
  if (what == "tagged") return !marks.tags.isEmpty();
  return what == "noted" && !marks.note.isEmpty();
}

template <class Is>
bool text_in(const QueryNode& q, const CandidateModel& model, const CandidateModel::Row& row, const Is& is) {
  const auto& d = row.data;
  const auto parent = [&] {
    if (d.parent.empty()) return false;
    const CandidateModel::Row* of = model.find_hash(d.parent);
    std::int64_t id = 0;
    if (q.field == QueryField::parent && number_of(q.text, id)) return of && of->data.id == id;
    return of ? is(CandidateModel::name_text(of->data)) : is(d.parent);
  };
  const auto tagged = [&] {
    if (!model.any_marks()) return false;
    const QStringList tags = model.marks(d.id).tags;
    return std::any_of(tags.begin(), tags.end(), [&](const QString& tag) { return is(tag.toStdString()); });
  };
  const auto named = [&] {  // as the table shows it: its kind with the tuning, or its title
    if (is(CandidateModel::name_text(d)) || is(d.structure)) return true;
    return !d.tuning.empty() && is(d.structure + " " + identity::tuning_text(d.tuning));
  };
  const auto noted = [&] { return model.any_marks() && is(model.marks(d.id).note.toStdString()); };
  switch (q.field) {
    case QueryField::name: return named();
    case QueryField::verdict: return is(d.verdict);
    case QueryField::kind: return is(d.structure);
    case QueryField::generator: return is(d.generator);
    case QueryField::hash: return d.hash.compare(0, q.text.size(), q.text) == 0;
    case QueryField::parent: return parent();
    case QueryField::tag: return tagged();
    case QueryField::note: return noted();
    case QueryField::state: return in_state(model.state_of(d), q.text);
    case QueryField::is: return is_so(q.text, model, row);
    default: break;
  }
  std::int64_t id = 0;
  if (q.text.size() > 1 && q.text[0] == '#' && number_of(std::string_view(q.text).substr(1), id)) return d.id == id;
  return named() || is(enum_string(d.state)) || is(d.verdict) || is(d.generator) || tagged() || noted() ||
         (q.text.size() >= 4 && d.hash.compare(0, q.text.size(), q.text) == 0);
}

bool missing(const QueryNode& q, const CandidateModel& model, const CandidateModel::Row& row) {
  switch (q.field) {
    case QueryField::parent: return row.data.parent.empty();
    case QueryField::tag: return model.marks(row.data.id).tags.isEmpty();
    case QueryField::note: return model.marks(row.data.id).note.isEmpty();
    default: return std::isnan(number_in(q, model, row));
  }
}

}  // namespace

bool contains_folded(std::string_view text, std::string_view lower) {
  if (lower.empty()) return true;
  if (lower.size() > text.size()) return false;
  if (!is_ascii(lower)) return utf16(text).contains(utf16(lower), Qt::CaseInsensitive);
  const char first = lower[0];
  const std::size_t last = text.size() - lower.size();
  for (std::size_t i = 0; i <= last; ++i) {
    if (folded(text[i]) != first) continue;
    std::size_t n = 1;
    while (n < lower.size() && folded(text[i + n]) == lower[n]) ++n;
    if (n == lower.size()) return true;
  }
  return false;
}

bool matches(const QueryNode& q, const CandidateModel& model, int at) {
  const auto part = [&](const QueryNode& p) { return matches(p, model, at); };
  const CandidateModel::Row& row = model.rows()[static_cast<std::size_t>(at)];
  switch (q.kind) {
    case QueryNode::Kind::all: return std::all_of(q.parts.begin(), q.parts.end(), part);
    case QueryNode::Kind::either: return std::any_of(q.parts.begin(), q.parts.end(), part);
    case QueryNode::Kind::no: return !part(q.parts.front());
    case QueryNode::Kind::contains:
      return text_in(q, model, row, [&](std::string_view text) { return contains_folded(text, q.text); });
    case QueryNode::Kind::equals:
      return text_in(q, model, row, [&](std::string_view text) { return equal_folded(text, q.text); });
    case QueryNode::Kind::missing: return missing(q, model, row);
    case QueryNode::Kind::number: break;
  }
  const double value = number_in(q, model, row);
  switch (q.compare) {  // a missing number (NaN) is neither less nor more
    case QueryNode::Compare::less: return value < q.value;
    case QueryNode::Compare::less_equal: return value <= q.value;
    case QueryNode::Compare::greater: return value > q.value;
    case QueryNode::Compare::greater_equal: return value >= q.value;
    case QueryNode::Compare::equal: return std::abs(value - q.value) <= 1e-9 * std::abs(q.value);
  }
  return false;
}

}  // namespace ww::widgets
