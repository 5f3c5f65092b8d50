// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/unligated_font.h"
#include <QFontDatabase>
#include <QHash>
#include <QRawFont>
#include <QtEndian>
#include <vector>

namespace ww::widgets {

namespace {

const QString& suffix() {
  static const QString text = QStringLiteral(" without ligatures");
  return text;
}

// All tables that drawing single characters takes; GSUB, which replaces glyphs, is not among them.
constexpr const char* kept_tables[] = {"CFF ", "OS/2", "cmap", "cvt ", "fpgm", "gasp", "glyf",
                                       "head", "hhea", "hmtx", "loca", "maxp", "post", "prep"};

template <class T>
void put(QByteArray* bytes, T value) {
  value = qToBigEndian(value);
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The table "name" (OpenType, format 0): family, style, full name and PostScript's.
QByteArray name_table(const QString& family, const QString& style) {
  const std::pair<quint16, QString> names[] = {
      {1, family}, {2, style}, {4, family + ' ' + style}, {6, QString(family + '-' + style).remove(' ')}};
  QByteArray records, texts;
  for (const auto& [id, text] : names) {
    const qsizetype start = texts.size();
    for (const QChar c : text) put(&texts, quint16(c.unicode()));
    for (const quint16 field : {quint16(3), quint16(1), quint16(0x409), id, quint16(texts.size() - start),
                                quint16(start)})  // Windows, UTF-16, English
      put(&records, field);
  }
  QByteArray table;
  for (const quint16 field : {quint16(0), quint16(std::size(names)), quint16(6 + records.size())}) put(&table, field);
  return table + records + texts;
}

quint32 checksum(QByteArray table) {
  table.append(-table.size() & 3, '\0');
  quint32 sum = 0;
  for (qsizetype i = 0; i < table.size(); i += 4) sum += qFromBigEndian<quint32>(table.constData() + i);
  return sum;
}

// An OpenType file of these tables, which are in the order of their tags.
QByteArray font_file(const std::vector<std::pair<QByteArray, QByteArray>>& tables) {
  const auto count = static_cast<quint16>(tables.size());
  quint16 power = 1, log = 0;
  while (power * 2 <= count) power *= 2, ++log;
  QByteArray head, body;
  put(&head, tables.front().first == "CFF " ? quint32(0x4f54544f) : quint32(0x00010000));
  for (const quint16 field : {count, quint16(power * 16), log, quint16((count - power) * 16)}) put(&head, field);
  const quint32 start = 12 + 16 * count;
  for (const auto& [tag, table] : tables) {
    head += tag;
    for (const quint32 field : {checksum(table), quint32(start + body.size()), quint32(table.size())})
      put(&head, field);
    body += table;
    body.append(-body.size() & 3, '\0');
  }
  return head + body;
}

// Whether a table GSUB has features that draw several characters as one sign, and are on unless switched off.
bool joins_characters(const QByteArray& gsub) {
  const auto number = [&](qsizetype at) {
    return at + 2 <= gsub.size() ? qFromBigEndian<quint16>(gsub.constData() + at) : quint16(0);
  };
  const qsizetype features = number(6);
  for (qsizetype i = 0; i < number(features); ++i) {
    const QByteArray tag = gsub.mid(features + 2 + 6 * i, 4);
    for (const char* joining : {"calt", "clig", "liga", "rclt", "rlig"})
      if (tag == joining) return true;
  }
  return false;
}

bool add_copy(const QString& family, const QString& name, QFont::Weight weight) {
  const QRawFont font = QRawFont::fromFont(QFont(family, 10, weight));
  if (!font.isValid() || font.familyName() != family) return false;
  std::vector<std::pair<QByteArray, QByteArray>> tables;
  for (const char* tag : kept_tables) {
    if (QByteArray(tag) == "post")  // after "name"
      tables.emplace_back("name", name_table(name, weight == QFont::Bold ? "Bold" : "Regular"));
    if (const QByteArray table = font.fontTable(tag); !table.isEmpty()) tables.emplace_back(tag, table);
  }
  const int added = QFontDatabase::addApplicationFontFromData(font_file(tables));
  return added >= 0 && QFontDatabase::applicationFontFamilies(added).contains(name);
}

}  // namespace

QString unligated(const QString& family) {
  static QHash<QString, QString> made;
  if (const auto known = made.constFind(family); known != made.constEnd()) return *known;
  const QString name = family + suffix();
  const bool copied =
      joins_characters(QRawFont::fromFont(QFont(family)).fontTable("GSUB")) && add_copy(family, name, QFont::Normal);
  if (copied) add_copy(family, name, QFont::Bold);
  return made[family] = copied ? name : family;
}

bool is_unligated(const QString& family) { return family.endsWith(suffix()); }

}  // namespace ww::widgets
