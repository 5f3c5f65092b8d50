// SPDX-License-Identifier: Apache-2.0
#include "watch.h"
#include "base/countdown.h"
#include "base/plural.h"
#include "base/time_left.h"
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include "answer.h"
#include "evidence/explain.h"
#include "output.h"
#include "console.h"
#include "store/words.h"

namespace ww::cli {
namespace {

constexpr std::size_t telling = 48;  // bytes in which two reasons of a failure differ

void keep_end(std::string& text, std::size_t bytes) {  // never splits a character
  if (text.size() <= bytes) return;
  std::size_t at = text.size() - bytes;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  text.erase(0, at);
}

}  // namespace

void say(LiveLine& live, const std::string& text) {
  live.clear();
  put(Stream::error, text.substr(0, text.find('\n')) + '\n');
}

std::string count_text(std::int64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3 + (n < 0 ? 1u : 0u);) digits.insert(at -= 3, ",");
  return digits;
}

std::string money_text(double dollars) {
  return dollars > 0 && dollars < 0.1 ? fmt::format("${:.4f}", dollars) : fmt::format("${:.2f}", dollars);
}

std::string judged_text(const explore::CandidateRow& row) {
  std::string text = fmt::format("{:>5}  {:<10} {:<20} ", row.id, store::word_of(row.state),
                                 row.structure.empty() ? "-" : row.structure);
  if (!row.score) return text + row.verdict;
  text += score_text(*row.score) + appraisal::spread_text(*row.score);
  if (row.proved_at == evidence::ProvedAt::smaller_shapes) text += ", at smaller shapes only";
  return text + (row.rank == 1 ? ", the best so far" : "");
}

void ModelWatcher::operator()(const llm::ModelEvent& event) {
  std::visit([this](const auto& e) { on(e); }, event);
}

std::string ModelWatcher::meter() const {
  if (spend_.requests == 0) return {};
  const std::int64_t tokens = spend_.usage.prompt + spend_.usage.completion;
  std::string text = fmt::format("{}, {}{} tokens", plural(spend_.requests, "request"), count_text(tokens),
                                 spend_.token_limit > 0 ? " of " + count_text(spend_.token_limit) : "");
  text += spend_.money_known ? ", " + money_text(spend_.money)
          : spend_.money > 0 ? ", more than " + money_text(spend_.money)
                             : ", price unknown";
  if (spend_.money_limit > 0) text += " of " + money_text(spend_.money_limit);
  return text;
}

bool ModelWatcher::said(std::string_view text) const {
  return std::ranges::any_of(failures_, [&](const std::string& f) { return text.ends_with(f); });
}

void ModelWatcher::on(const llm::ExchangeStarted& e) {
  open_[e.exchange] = {enum_string(e.role) + (e.label.empty() ? "" : ", " + e.label), 0, {}};
  live_.show(fmt::format("{} is asked: {}", e.model, open_[e.exchange].what));
}

void ModelWatcher::on(const llm::Streaming& e) {
  Open& o = open_[e.exchange];
  switch (e.delta.kind) {
    case llm::Delta::Kind::restart:
      o.characters = 0;
      o.line.clear();
      return say(live_, fmt::format("       model     {}: restarted: {}", o.what, e.delta.text));
    case llm::Delta::Kind::wait: return live_.show(fmt::format("{}: {}", o.what, e.delta.text));
    default: break;
  }
  o.characters += e.delta.text.size();
  o.line += e.delta.text;
  if (const std::size_t end = o.line.find_last_not_of('\n'); end != std::string::npos)
    if (const std::size_t newline = o.line.rfind('\n', end); newline != std::string::npos) o.line.erase(0, newline + 1);
  keep_end(o.line, 72);
  const std::string spent = meter();
  live_.show(fmt::format("{}{}{} ({} bytes): {}", spent.empty() ? "" : "[" + spent + "] ",
                         e.delta.kind == llm::Delta::Kind::thinking ? "thinks, " : "", o.what, o.characters,
                         o.line.substr(0, o.line.find('\n'))));
}

void ModelWatcher::on(const llm::Awaiting& e) {
  live_.show(e.left.count() == 0 ? e.host + " is asked again"
                                 : fmt::format("{} asks to wait; {} left", e.host, countdown(e.left)));
}

void ModelWatcher::on(const llm::PromptCut& e) { say(live_, "       model     " + llm::sentence(e)); }

void ModelWatcher::on(const llm::AskedAgain& e) { say(live_, "       model     " + llm::sentence(e)); }

void ModelWatcher::on(const llm::ExchangeEnded& e) {
  const std::string what = open_[e.exchange].what;
  open_.erase(e.exchange);
  if (e.state == store::ExchangeState::replied) {
    failures_.clear();
  } else if (!e.why.empty()) {
    const std::string_view why = std::string_view(e.why).substr(0, telling);
    if (std::ranges::any_of(failures_, [&](const std::string& f) { return f.starts_with(why); })) return;
    failures_.push_back(e.why);
  }
  std::string text = fmt::format("       model     {}: {} after {:.1f} s", what, enum_string(e.state), e.seconds);
  if (e.usage.reported)
    text += fmt::format(", {} tokens read, {} written", count_text(e.usage.prompt), count_text(e.usage.completion));
  else if (e.usage.prompt + e.usage.completion > 0)
    text += fmt::format(", counted as about {} tokens read, {} written", count_text(e.usage.prompt),
                        count_text(e.usage.completion));
  if (e.money && *e.money > 0) text += ", " + money_text(*e.money);
  if (!e.why.empty()) text += ": " + e.why;
  say(live_, text);
}

void Watcher::operator()(const explore::Event& event) {
  clock_.take(event);
  std::visit([this](const auto& e) { on(e); }, event);
}

void Watcher::on(const explore::RunStarted& e) {
  run_ = e.run;
  best_.clear();
  say(live_, fmt::format("run {}", e.run));
}

void Watcher::on(const explore::CandidateProgress& e) {
  const std::string spent = models_.meter();
  const std::optional<double> left = clock_.minutes_left(budget_, judged_);
  live_.show(fmt::format("[{}{}{}{}] {} proved{}, candidate {} {}: {}", judged_,
                         budget_.candidates > 0 ? "/" + std::to_string(budget_.candidates) : "",
                         left ? ", " + left_text(*left) : "", spent.empty() ? "" : "; " + spent, accepted_, best_,
                         e.candidate, e.progress.stage, e.progress.message));
}

void Watcher::on(const explore::CandidateJudged& e) {
  judged_ += e.row.state != store::CandidateState::duplicate;
  if (e.row.state == store::CandidateState::accepted) ++accepted_;
  if (e.row.score && e.row.rank == 1) best_ = fmt::format(", best {} ({})", score_text(*e.row.score), e.row.structure);
  say(live_, judged_text(e.row));
}

void Watcher::on(const explore::RunMessage& e) {
  if (!models_.said(e.text)) say(live_, enum_string(e.level) + ": " + e.text);
}

}  // namespace ww::cli
