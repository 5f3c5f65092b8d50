// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/start/examples.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace ww::widgets {

namespace {

constexpr int most_cells = 12;

Needed needed_from(const QString& word) {
  return word == "cell"     ? Needed::cell
         : word == "row"    ? Needed::row
         : word == "column" ? Needed::column
         : word == "all"    ? Needed::all
                            : Needed::none;
}

PicturePart picture_part(const QJsonValue& value) {
  if (value.isString()) return {.sign = value.toString()};
  const QJsonArray sizes = value.toArray();
  return {.rows = std::clamp(sizes.at(0).toInt(), 1, most_cells),
          .columns = std::clamp(sizes.at(1).toInt(), 1, most_cells),
          .needed = needed_from(sizes.at(2).toString()),
          .sign = {}};
}

}  // namespace

Result<std::vector<StartExample>> read_examples(const QByteArray& json) {
  QJsonParseError error;
  const QJsonObject root = QJsonDocument::fromJson(json, &error).object();
  if (error.error != QJsonParseError::NoError)
    return fail(Code::invalid_argument,
                "the start page's examples cannot be read: " + error.errorString().toStdString());
  std::vector<StartExample> examples;
  for (const QJsonValue& value : root["examples"].toArray()) {
    const QJsonObject one = value.toObject();
    StartExample example{one["title"].toString(), one["sentence"].toString(), one.contains("open"), {}};
    if (example.title.isEmpty() || example.sentence.isEmpty())
      return fail(Code::invalid_argument, "an example of the start page has no title or no sentence");
    for (const QJsonValue& part : one["picture"].toArray()) example.picture.push_back(picture_part(part));
    examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace ww::widgets
