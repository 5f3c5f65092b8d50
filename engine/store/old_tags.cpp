// SPDX-License-Identifier: Apache-2.0
#include "store/old_tags.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>
#include "base/ascii.h"
#include "candidate/candidate.h"
#include "store/origin.h"

namespace ww::store {
namespace {

using Axes = std::vector<std::pair<std::string, std::string>>;  // name, "128 | 256"

struct Tag {
  Origin origin;
  Axes open;
  std::string rest;  // the text without the brackets
};

bool read_axes(std::string_view s, Axes& axes) {  // "BLOCK = 128 | 256; UNROLL = 1 | 2"
  while (!s.empty()) {
    const std::size_t end = std::min(s.find(';'), s.size()), equals = s.find('=');
    if (equals == s.npos || equals > end) return false;
    const std::string_view values = trimmed(s.substr(equals + 1, end - equals - 1));
    if (values.empty() || values.find_first_not_of("-0123456789 |") != values.npos) return false;
    axes.emplace_back(trimmed(s.substr(0, equals)), values);
    s.remove_prefix(std::min(end + 1, s.size()));
  }
  return true;
}

std::optional<Tag> tag_of(std::string_view text) {  // the last brackets of that form count
  for (std::size_t open = text.rfind('['); open != text.npos;
       open = open == 0 ? text.npos : text.rfind('[', open - 1)) {
    const std::size_t close = text.find(']', open);
    if (close == text.npos) continue;
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::size_t slash = inside.find('/'), hash = inside.rfind(" #");
    if (slash == inside.npos || slash == 0 || hash == inside.npos || hash < slash) continue;
    const std::size_t colon = std::min(inside.find(':', hash), inside.size());
    const std::string_view number = inside.substr(hash + 2, colon - hash - 2);
    Tag tag;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), tag.origin.task);
    if (error != std::errc() || end != number.data() + number.size()) continue;
    if (!read_axes(colon < inside.size() ? inside.substr(colon + 1) : std::string_view(), tag.open)) continue;
    tag.origin.strategy = inside.substr(0, slash);
    tag.origin.lineage = inside.substr(slash + 1, hash - slash - 1);
    tag.rest = trimmed(text.substr(0, open));
    return tag;
  }
  return std::nullopt;
}

// The draft that the pinned candidate was made from: its tune lines with these axes open again.
std::string draft_of(const std::string& text, candidate::Language language, const Axes& axes) {
  const auto pinned = candidate::parse(text, language);
  if (!pinned || axes.empty()) return {};
  std::string draft = pinned->text;
  for (auto axis = pinned->tune.rbegin(); axis != pinned->tune.rend(); ++axis) {  // earlier spans stay right
    const auto open = std::find_if(axes.begin(), axes.end(), [&](const auto& a) { return a.first == axis->name; });
    if (open != axes.end()) draft.replace(axis->span.begin, axis->span.end - axis->span.begin, open->second);
  }
  return draft;
}

Step step_of(std::string_view label) {
  for (const auto& [head, step] : {std::pair<std::string_view, Step>{"fresh attempt", Step::fresh},
                                   {"fix of candidate ", Step::fix},
                                   {"improvement of candidate ", Step::improve},
                                   {"combination of candidate ", Step::combine},
                                   {"analysis of candidate ", Step::analyse},
                                   {"revision of candidate ", Step::revise}})
    if (label.starts_with(head)) return step;
  return Step::unknown;
}

std::int64_t subject_of(std::string_view label) {  // 0: none
  constexpr std::string_view word = " of candidate ";
  const std::size_t at = label.find(word);
  std::int64_t id = 0;
  if (at != label.npos) std::from_chars(label.data() + at + word.size(), label.data() + label.size(), id);
  return id;
}

struct Row {
  std::int64_t id = 0;
  std::string text, language, source;
};

Result<std::vector<Row>> tagged_rows(Database& db, const char* sql) {
  Statement s = db.prepare(sql);
  return rows_of(s, [](const Statement& row) { return Row{row.integer(0), row.text(1), row.text(2), row.text(3)}; });
}

}  // namespace

Status fill_origins(Database& db) {
  for (const Row& r :
       WW_TRY(tagged_rows(db,
                          "SELECT c.id, c.note, s.language, s.text FROM candidate c JOIN source s ON s.hash "
                          "= c.hash WHERE c.note LIKE '%]%'"))) {
    const std::optional<Tag> tag = tag_of(r.text);
    if (!tag) continue;
    const auto language = candidate::language_from_name(r.language);
    Statement s =
        db.prepare("UPDATE candidate SET note = ?, strategy = ?, lineage = ?, task = ?, draft = ? WHERE id = ?");
    WW_TRY(s.bind(tag->rest)
               .bind(tag->origin.strategy)
               .bind(tag->origin.lineage)
               .bind(static_cast<std::int64_t>(tag->origin.task))
               .bind(language ? draft_of(r.source, *language, tag->open) : std::string())
               .bind(r.id)
               .run());
  }
  for (const Row& r : WW_TRY(tagged_rows(db, "SELECT id, label, '', '' FROM exchange WHERE label LIKE '%]%'"))) {
    const std::optional<Tag> tag = tag_of(r.text);
    if (!tag) continue;
    Statement s = db.prepare(
        "UPDATE exchange SET strategy = ?, lineage = ?, task = ?, step = ?, subject = coalesce((SELECT c.hash FROM "
        "candidate c WHERE c.id = ? AND c.hash IN (SELECT hash FROM candidate WHERE run = exchange.run)), '') WHERE id "
        "= ?");
    WW_TRY(s.bind(tag->origin.strategy)
               .bind(tag->origin.lineage)
               .bind(static_cast<std::int64_t>(tag->origin.task))
               .bind(enum_string(step_of(r.text)))
               .bind(subject_of(r.text))
               .bind(r.id)
               .run());
  }
  return {};
}

}  // namespace ww::store
