// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/tour/tour_steps.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ww::widgets {

Result<TourSteps> read_tour(const QByteArray& json) {
  QJsonParseError error;
  const QJsonObject root = QJsonDocument::fromJson(json, &error).object();
  if (error.error != QJsonParseError::NoError)
    return fail(Code::invalid_argument, "the tour cannot be read: " + error.errorString().toStdString());
  TourSteps tour;
  tour.first_run = root["run"].toInt(1);
  for (const QJsonValue& value : root["steps"].toArray()) {
    const QJsonObject step = value.toObject();
    const auto text = [&](const char* key) { return step[QLatin1String(key)].toString(); };
    TourStep one{text("title"),        text("text"),      text("try"),      text("layout"),   text("dock"),
                 step["run"].toInt(0), text("candidate"), text("baseline"), text("line_with")};
    if (one.title.isEmpty() || one.text.isEmpty())
      return fail(Code::invalid_argument, "a step of the tour has no title or no text");
    tour.steps.push_back(std::move(one));
  }
  if (tour.steps.empty()) return fail(Code::invalid_argument, "the tour has no steps");
  return tour;
}

}  // namespace ww::widgets
