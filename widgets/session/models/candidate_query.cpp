// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/models/candidate_query.h"
#include <QCoreApplication>
#include <QLocale>
#include <cmath>
#include <optional>

namespace ww::widgets {

namespace {

constexpr int deepest_query = 50;

QString query_say(const char* text) { return QCoreApplication::translate("CandidateQuery", text); }

class QueryParser {
 public:
  explicit QueryParser(const QString& text) : text_(text) {}

  ParsedQuery parse() {
    ParsedQuery out;
    QueryNode node = either(0);
    if (out_.error.isEmpty() && at_ < text_.size()) fail(at_, 1, query_say("This parenthesis closes nothing."));
    out = out_;
    if (!out.error.isEmpty()) return out;
    out.empty = node.kind == QueryNode::Kind::all && node.parts.empty();
    out.query = std::move(node);
    return out;
  }

 private:
  QChar peek(qsizetype ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : QChar(); }
  bool good() const { return out_.error.isEmpty(); }
  void skip() {
    while (at_ < text_.size() && text_[at_].isSpace()) ++at_;
  }
  void fail(qsizetype at, qsizetype length, const QString& sentence) {
    if (!good()) return;
    out_.error = sentence;
    out_.at = static_cast<int>(at);
    out_.length = static_cast<int>(std::max<qsizetype>(1, length));
  }
  // The bare word that begins here, without taking it.
  QString word_ahead() const {
    qsizetype end = at_;
    while (end < text_.size() && !text_[end].isSpace() && text_[end] != '"' && !(depth_ > 0 && text_[end] == ')'))
      ++end;
    return text_.mid(at_, end - at_);
  }

  QueryNode either(int depth) {
    QueryNode first = all(depth);
    if (!good()) return first;
    QueryNode node;
    node.kind = QueryNode::Kind::either;
    node.parts.push_back(std::move(first));
    for (skip(); good() && word_ahead() == "OR"; skip()) {
      const qsizetype or_at = at_;
      if (node.parts.back().kind == QueryNode::Kind::all && node.parts.back().parts.empty())
        fail(or_at, 2, query_say("OR needs a term before it. To search for the word itself, write it in quotes."));
      at_ += 2;
      node.parts.push_back(all(depth));
      if (node.parts.back().kind == QueryNode::Kind::all && node.parts.back().parts.empty())
        fail(or_at, 2, query_say("OR needs a term after it. To search for the word itself, write it in quotes."));
    }
    if (node.parts.size() == 1) return std::move(node.parts.front());
    return node;
  }

  QueryNode all(int depth) {
    QueryNode node;
    for (skip(); good() && at_ < text_.size(); skip()) {
      if (peek() == ')') break;
      const QString word = word_ahead();
      if (word == "OR") break;
      if (word == "AND") {
        at_ += 3;
        continue;
      }
      node.parts.push_back(one(depth));
    }
    if (node.parts.size() == 1) return std::move(node.parts.front());
    return node;
  }

  QueryNode one(int depth) {
    bool negated = false;
    const qsizetype begin = at_;
    for (;;) {
      if (peek() == '-' || (peek() == '!' && peek(1) != '=')) {
        ++at_;
      } else if (word_ahead() == "NOT") {
        at_ += 3;
        skip();
      } else {
        break;
      }
      negated = !negated;
    }
    if (at_ > begin && (at_ >= text_.size() || peek().isSpace() || peek() == ')')) {
      fail(begin, at_ - begin, query_say("A minus needs a term right after it, without a space: -state:rejected."));
      return {};
    }
    QueryNode node = group_or_term(depth);
    if (!negated) return node;
    QueryNode no;
    no.kind = QueryNode::Kind::no;
    no.parts.push_back(std::move(node));
    return no;
  }

  QueryNode group_or_term(int depth) {
    if (peek() != '(') return term();
    const qsizetype open = at_;
    if (depth >= deepest_query) {
      fail(open, 1, query_say("The parentheses are nested too deeply."));
      return {};
    }
    ++at_;
    ++depth_;
    QueryNode node = either(depth + 1);
    --depth_;
    if (!good()) return node;
    if (peek() != ')') {
      fail(open, 1, query_say("This parenthesis is not closed."));
      return node;
    }
    ++at_;
    if (node.kind == QueryNode::Kind::all && node.parts.empty())
      fail(open, at_ - open, query_say("There is nothing between these parentheses."));
    return node;
  }

  struct Operator {
    QString text;
    qsizetype length = 0;
  };
  Operator operator_at(qsizetype at) const {
    const QChar a = at < text_.size() ? text_[at] : QChar(), b = at + 1 < text_.size() ? text_[at + 1] : QChar();
    if ((a == '<' || a == '>' || a == '!') && b == '=') return {QString(a) + b, 2};
    if (a == '<' || a == '>' || a == '=' || a == ':') return {QString(a), 1};
    return {};
  }

  static const QueryKey* key_named(const QString& name) {
    for (const QueryKey& k : query_keys())
      if (name.compare(QLatin1String(k.key), Qt::CaseInsensitive) == 0) return &k;
    return nullptr;
  }

  static QueryNode text_node(QueryField field, QueryNode::Kind kind, const QString& text) {
    QueryNode node;
    node.kind = kind;
    node.field = field;
    node.text = text.toLower().toStdString();
    return node;
  }

  QueryNode term() {
    const qsizetype begin = at_;
    if (peek() == '"') {
      const QString words = quoted();
      if (good() && words.isEmpty()) fail(begin, at_ - begin, query_say("There is nothing between these quotes."));
      return text_node(QueryField::any, QueryNode::Kind::contains, words);
    }
    qsizetype end = at_;
    while (end < text_.size() && (text_[end].isLetter() || text_[end] == '_')) ++end;
    const QString name = text_.mid(at_, end - at_);
    const QueryKey* key = key_named(name);
    qsizetype op_at = end;
    if (key)  // "regs < 64"
      while (op_at < text_.size() && text_[op_at].isSpace()) ++op_at;
    Operator op = operator_at(op_at);
    if (op_at > end && op.text == ":") op = {};
    if (op.length > 0 && name.isEmpty()) {
      fail(begin, op.length,
           query_say("A name is missing before %1, as in regs<64. To search for the sign itself, write it in quotes.")
               .arg(op.text));
      return {};
    }
    if (op.length == 0) {
      const QString word = word_ahead();
      at_ += word.size();
      return text_node(QueryField::any, QueryNode::Kind::contains, word);
    }
    if (!key) {
      fail(begin, name.size(), unknown_key(name, op.text));
      return {};
    }
    at_ = op_at + op.length;
    while (peek().isSpace()) ++at_;
    return key->number ? number_term(*key, op, begin) : text_term(*key, op, op_at, begin);
  }

  static QString unknown_key(const QString& name, const QString& op) {
    QString near;
    int best = 3;
    for (const QueryKey& k : query_keys()) {
      const QString other = QLatin1String(k.key);
      const int common = [&] {
        int n = 0;
        while (n < name.size() && n < other.size() && name[n].toLower() == other[n]) ++n;
        return n;
      }();
      const int far = static_cast<int>(std::max(name.size(), other.size())) - common;
      if (common > 0 && far < best) {
        best = far;
        near = other;
      }
    }
    if (!near.isEmpty()) return query_say("There is no field %1; did you mean %2?").arg(name, near);
    QStringList names;
    for (const QueryKey& k : query_keys()) names += QLatin1String(k.key);
    return query_say(
               "There is no field \"%1\". The fields are %2. To search for the text itself, write \"%1%3…\" in quotes.")
        .arg(name, names.join(", "), op);
  }

  QString quoted() {
    const qsizetype open = at_++;
    QString words;
    for (;;) {
      if (at_ >= text_.size()) {
        fail(open, 1, query_say("The quotes that begin here are not closed."));
        return words;
      }
      if (text_[at_] == '"') {
        ++at_;
        return words;
      }
      words += text_[at_++];
    }
  }

  QueryNode text_term(const QueryKey& key, const Operator& op, qsizetype op_at, qsizetype begin) {
    if (op.text[0] == '<' || op.text[0] == '>') {
      fail(op_at, op.length,
           query_say("%1 is not a number: write %2.").arg(QLatin1String(key.key), QLatin1String(key.example)));
      return {};
    }
    QueryNode any;
    any.kind = QueryNode::Kind::either;
    for (;;) {
      const qsizetype from = at_;
      QString value;
      if (peek() == '"') {
        value = quoted();
      } else {
        value = word_ahead();
        if (const qsizetype comma = value.indexOf(','); comma >= 0) value.truncate(comma);
        at_ += value.size();
      }
      if (!good()) return {};
      if (value.isEmpty()) {
        fail(begin, at_ - begin,
             query_say("%1 needs a value, as in %2.")
                 .arg(text_.mid(begin, op_at + op.length - begin).simplified(), QLatin1String(key.example)));
        return {};
      }
      const bool old_word = key.field == QueryField::state && value.compare("accepted", Qt::CaseInsensitive) == 0;
      if (!key.values.isEmpty() && key.field != QueryField::parent && !old_word &&
          !key.values.contains(value, Qt::CaseInsensitive)) {
        fail(from, at_ - from,
             query_say("%1 cannot be %2. It can be %3.").arg(QLatin1String(key.key), value, key.values.join(", ")));
        return {};
      }
      if (key.field == QueryField::is && value.compare("trashed", Qt::CaseInsensitive) == 0) out_.names_trash = true;
      if (key.field == QueryField::is && value.compare("ranked", Qt::CaseInsensitive) == 0) out_.names_rank = true;
      const bool none =
          value.compare("none", Qt::CaseInsensitive) == 0 &&
          (key.field == QueryField::parent || key.field == QueryField::tag || key.field == QueryField::note);
      const bool whole = op.text != ":" || !key.values.isEmpty();
      any.parts.push_back(text_node(key.field,
                                    none    ? QueryNode::Kind::missing
                                    : whole ? QueryNode::Kind::equals
                                            : QueryNode::Kind::contains,
                                    value));
      if (peek() != ',') break;
      ++at_;
    }
    QueryNode node = any.parts.size() == 1 ? std::move(any.parts.front()) : std::move(any);
    if (op.text != "!=") return node;
    QueryNode no;
    no.kind = QueryNode::Kind::no;
    no.parts.push_back(std::move(node));
    return no;
  }

  QueryNode number_term(const QueryKey& key, const Operator& op, qsizetype begin) {
    const qsizetype from = at_;
    const QString word = word_ahead();
    at_ += word.size();
    if (key.field == QueryField::rank) out_.names_rank = true;
    QueryNode node;
    node.field = key.field;
    const QString example = QLatin1String(key.example);
    if (word.isEmpty()) {
      fail(begin, at_ - begin,
           query_say("%1 needs a number, as in %2.").arg(text_.mid(begin, from - begin).simplified(), example));
      return {};
    }
    const bool equal = op.text == ":" || op.text == "=" || op.text == "!=";
    if (word.compare("none", Qt::CaseInsensitive) == 0 && equal) {
      node.kind = QueryNode::Kind::missing;
    } else if (const qsizetype dots = word.indexOf(".."); dots > 0 && equal) {
      const auto low = number_node(key, word.left(dots)), high = number_node(key, word.mid(dots + 2));
      if (!low || !high) {
        fail(from, word.size(), query_say("%1 is not a range such as 32..64.").arg(word));
        return {};
      }
      node.parts = {*low, *high};
      node.parts[0].compare = QueryNode::Compare::greater_equal;
      node.parts[1].compare = QueryNode::Compare::less_equal;
    } else {
      const auto number = number_node(key, word);
      if (!number) {
        fail(from, word.size(),
             query_say("%1 is not a number. Write %2; k, M and G stand for thousands, millions and billions, Ki and Mi "
                       "for 1024 and its square.")
                 .arg(word, example));
        return {};
      }
      node = *number;
      node.compare = op.text == "<"    ? QueryNode::Compare::less
                     : op.text == "<=" ? QueryNode::Compare::less_equal
                     : op.text == ">"  ? QueryNode::Compare::greater
                     : op.text == ">=" ? QueryNode::Compare::greater_equal
                                       : QueryNode::Compare::equal;
    }
    if (op.text != "!=") return node;
    QueryNode no;
    no.kind = QueryNode::Kind::no;
    no.parts.push_back(std::move(node));
    return no;
  }

  static std::optional<QueryNode> number_node(const QueryKey& key, const QString& word) {
    qsizetype end = 0;
    const auto digits = [&] {
      const qsizetype before = end;
      while (end < word.size() && word[end] >= '0' && word[end] <= '9') ++end;
      return end > before;
    };
    if (end < word.size() && (word[end] == '-' || word[end] == '+')) ++end;
    bool some = digits();
    if (end < word.size() && word[end] == '.') {
      ++end;
      some |= digits();
    }
    if (!some) return {};
    if (end + 1 < word.size() && word[end].toLower() == 'e') {
      const qsizetype before = end++;
      if (word[end] == '-' || word[end] == '+') ++end;
      if (!digits()) end = before;
    }
    bool ok = false;
    QueryNode node;
    node.kind = QueryNode::Kind::number;
    node.field = key.field;
    node.value = QLocale::c().toDouble(word.left(end), &ok);
    if (!ok || !std::isfinite(node.value)) return {};
    struct Unit {
      const char* text;
      double factor;
    };
    static constexpr Unit plain[] = {{"", 1},    {"k", 1e3},   {"K", 1e3},      {"M", 1e6},
                                     {"G", 1e9}, {"Ki", 1024}, {"Mi", 1048576}, {"Gi", 1073741824.0}};
    static constexpr Unit times[] = {{"ns", 1e-9},      {"us", 1e-6}, {"\u00b5s", 1e-6},
                                     {"\u03bcs", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    QString unit = word.mid(end);
    if (key.field == QueryField::time) {
      for (const Unit& u : times) {
        if (unit != QString::fromUtf8(u.text)) continue;
        node.value *= u.factor;
        node.seconds = true;
        return node;
      }
    }
    if ((key.field == QueryField::occupancy || key.field == QueryField::spread) && unit == "%") unit.clear();
    if ((key.field == QueryField::shared || key.field == QueryField::spill) && unit.endsWith('B')) unit.chop(1);
    for (const Unit& u : plain) {
      if (unit != QLatin1String(u.text)) continue;
      node.value *= u.factor;
      return node;
    }
    return {};
  }

  const QString text_;
  qsizetype at_ = 0;
  int depth_ = 0;
  ParsedQuery out_;
};

}  // namespace

ParsedQuery parse_query(const QString& text) { return QueryParser(text).parse(); }

const std::vector<QueryKey>& query_keys() {
  using F = QueryField;
  static const std::vector<QueryKey> keys = {
      {"state",
       F::state,
       false,
       "state:proved",
       QT_TRANSLATE_NOOP("CandidateQuery", "Its outcome"),
       {"proved", "rejected", "not-judged", "queued", "judging", "duplicate", "open", "judged"}},
      {"is",
       F::is,
       false,
       "is:pinned",
       QT_TRANSLATE_NOOP("CandidateQuery", "A mark or a role; trash is hidden unless is:trashed occurs"),
       {"pinned", "trashed", "tagged", "noted", "ranked", "measured", "simulated", "compared", "baseline", "signed"}},
      {"name",
       F::name,
       false,
       "name:tiled",
       QT_TRANSLATE_NOOP("CandidateQuery", "Part of its name: kind, tuning or title"),
       {}},
      {"tag", F::tag, false, "tag:good", QT_TRANSLATE_NOOP("CandidateQuery", "Part of one of its tags, or none"), {}},
      {"note", F::note, false, "note:later", QT_TRANSLATE_NOOP("CandidateQuery", "Part of its note, or none"), {}},
      {"regs", F::regs, true, "regs<64", QT_TRANSLATE_NOOP("CandidateQuery", "Registers per thread"), {}},
      {"time",
       F::time,
       true,
       "time<12us",
       QT_TRANSLATE_NOOP("CandidateQuery", "Measured time; without ns, us, ms or s in the column's unit"),
       {}},
      {"cost", F::cost, true, "cost<2M", QT_TRANSLATE_NOOP("CandidateQuery", "Simulated cost"), {}},
      {"rank", F::rank, true, "rank<=10", QT_TRANSLATE_NOOP("CandidateQuery", "1 is best; rank:none has no rank"), {}},
      {"spread",
       F::spread,
       true,
       "spread<1%",
       QT_TRANSLATE_NOOP("CandidateQuery", "Of a measured time, between the quartiles, in percent of the median"),
       {}},
      {"shared",
       F::shared,
       true,
       "shared>16Ki",
       QT_TRANSLATE_NOOP("CandidateQuery", "Shared memory per block, in bytes"),
       {}},
      {"occupancy",
       F::occupancy,
       true,
       "occupancy>=75%",
       QT_TRANSLATE_NOOP("CandidateQuery", "Theoretical occupancy in percent"),
       {}},
      {"spill", F::spill, true, "spill>0", QT_TRANSLATE_NOOP("CandidateQuery", "Bytes of spilled registers"), {}},
      {"parent",
       F::parent,
       false,
       "parent:12",
       QT_TRANSLATE_NOOP("CandidateQuery", "The parent's number, part of its name, or none"),
       {}},
      {"id", F::id, true, "id:12", QT_TRANSLATE_NOOP("CandidateQuery", "Its number; #12 does the same"), {}},
      {"kind", F::kind, false, "kind:row-warp", QT_TRANSLATE_NOOP("CandidateQuery", "Kind of kernel"), {}},
      {"verdict",
       F::verdict,
       false,
       "verdict:\"out of bounds\"",
       QT_TRANSLATE_NOOP("CandidateQuery", "Part of the verdict's text"),
       {}},
      {"generator",
       F::generator,
       false,
       "generator:search",
       QT_TRANSLATE_NOOP("CandidateQuery", "Who proposed it"),
       {}},
      {"hash", F::hash, false, "hash:3fa9", QT_TRANSLATE_NOOP("CandidateQuery", "Beginning of its hash"), {}}};
  return keys;
}

QString query_help() {
  QStringList lines = {query_say("Adjacent terms must all match: tiled warp"),
                       query_say("Also \"two words\", a OR b, -state:rejected, parentheses,"),
                       query_say("lists state:not-judged,rejected and ranges regs:32..64"),
                       {}};
  for (const QueryKey& k : query_keys()) lines += QString::fromUtf8(k.example) + "  " + query_say(k.about);
  return lines.join('\n');
}

}  // namespace ww::widgets
