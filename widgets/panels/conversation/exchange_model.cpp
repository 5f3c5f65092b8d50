// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/conversation/exchange_model.h"
#include "base/countdown.h"
#include <algorithm>
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

QString money_text(double dollars) {
  if (dollars <= 0) return QStringLiteral("$0");
  if (dollars < 0.01) return "$" + QString::number(dollars, 'g', 1);
  return "$" + QString::number(dollars, 'f', dollars < 100 ? 2 : 0);
}

QString money_text(const std::optional<double>& dollars) {
  return dollars ? money_text(*dollars) : ExchangeModel::tr("price unknown");
}

QString outcome_text(const store::ExchangeRecord& e) {
  if (e.state == store::ExchangeState::sent) return ExchangeModel::tr("waiting for the reply");
  if (e.state == store::ExchangeState::failed) return ExchangeModel::tr("failed");
  if (e.state == store::ExchangeState::cancelled) return ExchangeModel::tr("cancelled");
  switch (e.outcome) {
    case store::ExchangeOutcome::none: return ExchangeModel::tr("replied");
    case store::ExchangeOutcome::unparsable: return ExchangeModel::tr("could not be read");
    case store::ExchangeOutcome::called: return ExchangeModel::tr("called tools");
    default: return enum_text(e.outcome);
  }
}

namespace {

QIcon outcome_icon(const store::ExchangeRecord& e) {
  const auto icon = [](const char* name, const char* token) { return Theme::instance().icon(name, token); };
  switch (e.state) {
    case store::ExchangeState::sent: return icon("judging", "busy");
    case store::ExchangeState::failed: return icon("rejected", "rejected");
    case store::ExchangeState::cancelled: return icon("warning", "warning");
    default: break;
  }
  switch (e.outcome) {
    case store::ExchangeOutcome::unknown:
    case store::ExchangeOutcome::none:
    case store::ExchangeOutcome::called: return icon("info", "muted");
    case store::ExchangeOutcome::unparsable:
    case store::ExchangeOutcome::refused:
    case store::ExchangeOutcome::duplicate: return icon("warning", "warning");
    default: return icon("accepted", "accepted");
  }
}

QString role_title(store::AgentRole role) { return capitalised(enum_string(role)); }

}  // namespace

QVariant ExchangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  return column_header(section, orientation, role,
                       {tr("Request"), tr("Outcome"), tr("Tokens"), tr("Price"), tr("Time"), tr("Model")},
                       {Tokens, Price, Time});
}

QVariant ExchangeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const store::ExchangeRecord& e = row.record;
  const bool waiting = e.state == store::ExchangeState::sent;
  const std::int64_t tokens = e.prompt_tokens + e.completion_tokens;
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case What: return e.label.empty() ? role_title(e.role) : tr("%1: %2").arg(role_title(e.role), qs(e.label));
        case Model: return qs(e.model);
        case Tokens:
          return waiting || tokens == 0 ? dash()
                                        : (e.tokens_reported ? "" : "~") + short_count(static_cast<double>(tokens));
        case Price: return waiting ? dash() : e.money ? money_text(*e.money) : tr("unknown");
        case Time: return waiting ? dash() : seconds_text(e.seconds);
        case Outcome:
          if (waiting && !row.waits.isEmpty()) return row.waits;
          if (waiting && (!row.text.isEmpty() || !row.thinking.isEmpty()))
            return row.text.isEmpty() ? tr("thinking") : tr("streaming");
          return outcome_text(e);
      }
      return {};
    case Qt::ToolTipRole:
      if (index.column() == Tokens)
        return tr("Prompt %1 (cached %2), answer %3 (reasoning %4)")
                   .arg(count_text(static_cast<double>(e.prompt_tokens)),
                        count_text(static_cast<double>(e.cached_tokens)),
                        count_text(static_cast<double>(e.completion_tokens)),
                        count_text(static_cast<double>(e.reasoning_tokens))) +
               (e.tokens_reported ? tr("; counted by the service") : tr("; estimated"));
      if (index.column() == Price && e.money) return tr("$%1").arg(QString::number(*e.money, 'g', 4));
      if (index.column() == Outcome && !e.why.empty()) return qs(e.why);
      return index.data(Qt::DisplayRole);
    case Qt::DecorationRole:
      if (index.column() == Outcome) return outcome_icon(e);
      return {};
    case Qt::TextAlignmentRole: return headerData(index.column(), Qt::Horizontal, role);
  }
  return {};
}

int ExchangeModel::row_of(std::int64_t exchange) const {
  const auto it = std::lower_bound(rows_.begin(), rows_.end(), exchange,
                                   [](const Row& r, std::int64_t id) { return r.record.id < id; });
  return it == rows_.end() || it->record.id != exchange ? -1 : static_cast<int>(it - rows_.begin());
}

const ExchangeModel::Row* ExchangeModel::find(std::int64_t exchange) const {
  const int at = row_of(exchange);
  return at < 0 ? nullptr : &rows_[static_cast<std::size_t>(at)];
}

std::int64_t ExchangeModel::of_candidate(const std::string& hash) const {
  if (hash.empty()) return 0;
  for (auto it = rows_.rbegin(); it != rows_.rend(); ++it)
    if (it->record.candidate == hash && it->record.outcome != store::ExchangeOutcome::duplicate) return it->record.id;
  return 0;
}

llm::Spend ExchangeModel::spend() const {
  llm::Spend s;
  s.usage.reported = true;
  for (const Row& row : rows_) {
    const store::ExchangeRecord& e = row.record;
    s.usage.prompt += e.prompt_tokens;
    s.usage.cached += e.cached_tokens;
    s.usage.cache_written += e.cache_written_tokens;
    s.usage.completion += e.completion_tokens;
    s.usage.reasoning += e.reasoning_tokens;
    s.usage.reported = s.usage.reported && e.tokens_reported;
    s.money += e.money.value_or(0);
    if (!e.money && e.prompt_tokens + e.completion_tokens > 0) s.money_known = false;
    ++s.requests;
    s.failed += e.state == store::ExchangeState::failed;
  }
  return s;
}

QString wait_text(const llm::Awaiting& wait) {
  return ExchangeModel::tr("%1 asks to wait: %2 left").arg(qs(wait.host), qs(countdown(wait.left)));
}

void ExchangeModel::clear() {
  growth_.clear();
  if (rows_.empty()) return;
  beginResetModel();
  rows_.clear();
  endResetModel();
}

void ExchangeModel::merge(const std::vector<store::ExchangeRecord>& records) {
  growth_.clear();
  std::size_t common = 0;  // rows that stay where they are
  while (common < rows_.size() && common < records.size() && rows_[common].record.id == records[common].id) ++common;
  if (common < rows_.size() && common < records.size()) {  // another run's
    clear();
    common = 0;
  }
  for (std::size_t i = 0; i < common; ++i) {
    Row& row = rows_[i];
    row.record = records[i];
    if (row.record.state != store::ExchangeState::sent) row.text = row.thinking = row.waits = QString();
  }
  if (common > 0) emit dataChanged(index(0, 0), index(static_cast<int>(common) - 1, ColumnCount - 1));
  if (records.size() > common) {
    beginInsertRows({}, static_cast<int>(common), static_cast<int>(records.size()) - 1);
    for (std::size_t i = common; i < records.size(); ++i) rows_.push_back({records[i], {}, {}, {}});
    endInsertRows();
  }
}

bool ExchangeModel::apply(const std::vector<explore::Event>& events) {
  growth_.clear();
  bool ended = false;
  for (const explore::Event& event : events) {
    const auto* of_model = std::get_if<llm::ModelEvent>(&event);
    if (!of_model) continue;
    if (const auto* started = std::get_if<llm::ExchangeStarted>(of_model)) {
      if (const int known = row_of(started->exchange); known >= 0) {  // of an earlier process
        rows_[static_cast<std::size_t>(known)].record.state = store::ExchangeState::sent;
        emit dataChanged(index(known, 0), index(known, ColumnCount - 1));
        continue;
      }
      Row row;
      row.record.id = started->exchange;
      row.record.role = started->role;
      row.record.label = started->label;
      row.record.model = started->model;
      row.record.host = started->host;
      row.record.state = store::ExchangeState::sent;
      const auto place = std::lower_bound(rows_.begin(), rows_.end(), started->exchange,
                                          [](const Row& r, std::int64_t id) { return r.record.id < id; });
      const int at = static_cast<int>(place - rows_.begin());
      beginInsertRows({}, at, at);
      rows_.insert(place, std::move(row));
      endInsertRows();
      continue;
    }
    if (const auto* streaming = std::get_if<llm::Streaming>(of_model)) {
      const int at = row_of(streaming->exchange);
      if (at < 0) continue;
      Row& row = rows_[static_cast<std::size_t>(at)];
      if (row.record.state != store::ExchangeState::sent) continue;
      switch (streaming->delta.kind) {
        case llm::Delta::Kind::text: row.text += exact(streaming->delta.text); break;
        case llm::Delta::Kind::thinking: row.thinking += exact(streaming->delta.text); break;
        case llm::Delta::Kind::restart:
          row.text.clear();
          row.thinking.clear();
          break;
        case llm::Delta::Kind::wait: break;
      }
      const bool moves =
          streaming->delta.kind == llm::Delta::Kind::text || streaming->delta.kind == llm::Delta::Kind::thinking;
      row.waits = moves ? QString() : qs(streaming->delta.text);
      growth_.push_back({streaming->exchange, streaming->delta});
      emit dataChanged(index(at, Outcome), index(at, Outcome));
    } else if (const auto* wait = std::get_if<llm::Awaiting>(of_model)) {
      const int at = row_of(wait->exchange);
      if (at < 0) continue;
      Row& row = rows_[static_cast<std::size_t>(at)];
      row.waits = wait->left.count() == 0 ? QString() : wait_text(*wait);
      growth_.push_back({wait->exchange, {llm::Delta::Kind::wait, {}}});
      emit dataChanged(index(at, Outcome), index(at, Outcome));
    } else if (const auto* end = std::get_if<llm::ExchangeEnded>(of_model)) {
      ended = true;
      const int at = row_of(end->exchange);
      if (at < 0) continue;
      store::ExchangeRecord& e = rows_[static_cast<std::size_t>(at)].record;
      e.state = end->state;
      e.why = end->why;
      e.prompt_tokens = end->usage.prompt;
      e.cached_tokens = end->usage.cached;
      e.cache_written_tokens = end->usage.cache_written;
      e.completion_tokens = end->usage.completion;
      e.reasoning_tokens = end->usage.reasoning;
      e.tokens_reported = end->usage.reported;
      e.money = end->money;
      e.seconds = end->seconds;
      emit dataChanged(index(at, 0), index(at, ColumnCount - 1));
    }
  }
  return ended;
}

}  // namespace ww::widgets
