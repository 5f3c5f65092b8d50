// SPDX-License-Identifier: Apache-2.0
// Charts as inline SVG. Colours come from the style sheet's classes (s0 … s9), so that dark mode and printing need
// nothing here.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "report/html.h"

namespace ww::report::html {
namespace {

constexpr double width = 860;

std::string figure(std::string_view title, double height, const std::string& body, const std::string& legend = {}) {
  return fmt::format(
      "<figure><figcaption>{0}</figcaption>{3}\n<svg viewBox=\"0 0 {1} {2:.0f}\" role=\"img\" aria-label=\"{0}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n{4}</svg></figure>\n",
      escape(title), width, height, legend, body);
}

// A round number of steps between 0 and `most`.
double step_of(double most) {
  const double raw = most / 4;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0})
    if (raw <= m * power) return m * power;
  return 10 * power;
}

// From `low` on in steps; one value where the numbers allow no steps.
std::vector<double> ticks(double low, double high, double step) {
  std::vector<double> list = {low};
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isnormal(step)) return list;
  for (int i = 1; i <= 100 && low + i * step <= high * 1.0001; ++i) list.push_back(low + i * step);
  return list;
}

}  // namespace

std::string bars(std::string_view title, const std::vector<std::string>& series, const std::vector<Bar>& rows,
                 std::string_view unit) {
  constexpr double left = 250, right = 125, bar = 18, pitch = 26, top = 8;
  double most = 0;
  for (const Bar& r : rows) {
    double sum = 0;
    for (const double v : r.values) sum += v;
    most = std::max(most, sum);
  }
  if (rows.empty() || !(most > 0)) return {};
  const double scale = (width - left - right) / most;
  const double bottom = top + pitch * static_cast<double>(rows.size());
  std::string body;
  const double step = step_of(most);
  for (const double v : ticks(0, most, step))
    body += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.1f}\"/><text class=\"tick mid\" "
        "x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
        left + v * scale, top, bottom, bottom + 14, number(v));
  double y = top + (pitch - bar) / 2;
  for (const Bar& r : rows) {
    body += fmt::format("<text class=\"label\" x=\"{:.0f}\" y=\"{:.1f}\"><title>{}</title>{}</text>\n", left - 8,
                        y + 13, escape(r.label), escape(shorten(r.label, 33)));
    double x = left, sum = 0;
    for (std::size_t s = 0; s < r.values.size(); ++s) {
      const double w = r.values[s] * scale;
      sum += r.values[s];
      if (w <= 0) continue;
      body += fmt::format(
          "<rect class=\"s{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\"><title>{}: {} "
          "{}</title></rect>\n",
          s % 10, x, y, std::max(w, 0.5), bar, escape(s < series.size() ? series[s] : ""), number(r.values[s]),
          escape(unit));
      x += w;
    }
    body += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 6, y + 13,
                        escape(r.note.empty() ? number(sum) : r.note));
    y += pitch;
  }
  body += fmt::format("<text class=\"tick mid\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                      left + (width - left - right) / 2, bottom + 30, escape(unit));
  std::string legend;
  if (series.size() > 1) {
    legend = "<p class=\"legend\">";
    const auto used = [&](std::size_t s) {
      return std::any_of(rows.begin(), rows.end(),
                         [&](const Bar& r) { return s < r.values.size() && r.values[s] > 0; });
    };
    for (std::size_t s = 0; s < series.size(); ++s)
      if (used(s)) legend += fmt::format("<span><i class=\"s{}\"></i>{}</span> ", s % 10, escape(series[s]));
    legend += "</p>";
  }
  return figure(title, bottom + 38, body, legend);
}

std::string dots(std::string_view title, const std::vector<Dot>& points, std::string_view x_label,
                 std::string_view y_label) {
  if (points.empty()) return {};
  constexpr double left = 90, right = 20, top = 12, height = 260, bottom = top + height;
  double least = points[0].y, most = points[0].y, x_least = points[0].x, x_most = points[0].x;
  for (const Dot& p : points) {
    least = std::min(least, p.y);
    most = std::max(most, p.y);
    x_least = std::min(x_least, p.x);
    x_most = std::max(x_most, p.x);
  }
  const bool logarithmic = least > 0 && most > 20 * least;
  const auto lift = [&](double v) { return logarithmic ? std::log10(v) : v; };
  double low = logarithmic ? std::floor(lift(least)) : 0, high = logarithmic ? std::ceil(lift(most)) : most * 1.05;
  if (!(high > low)) high = low + 1;
  const auto px = [&](double x) {
    return left + (x_most > x_least ? (x - x_least) / (x_most - x_least) : 0.5) * (width - left - right - 20) + 10;
  };
  const auto py = [&](double v) { return bottom - (lift(v) - low) / (high - low) * height; };
  std::string body;
  const double step = logarithmic ? 1 : step_of(high);
  for (const double v : ticks(low, high, step)) {
    const double value = logarithmic ? std::pow(10, v) : v;
    body += fmt::format(
        "<line class=\"grid\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text class=\"tick end\" "
        "x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n",
        left, width - right, py(value), py(value), left - 6, py(value) + 4, number(value));
  }
  std::string path = fmt::format("M{:.1f} {:.1f}", px(points[0].x), py(points[0].y));
  double best = points[0].y;
  for (const Dot& p : points) {
    if (p.y >= best) continue;
    best = p.y;
    path += fmt::format("H{:.1f}V{:.1f}", px(p.x), py(p.y));
  }
  path += fmt::format("H{:.1f}", width - right);
  body += "<path class=\"best\" d=\"" + path + "\"/>\n";
  for (const Dot& p : points)
    body += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>\n",
                        p.best ? "s0" : "s7", px(p.x), py(p.y), p.best ? 5 : 4, escape(p.label));
  body += fmt::format("<text class=\"tick mid\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", left + (width - left) / 2,
                      bottom + 36, escape(x_label));
  for (const double x : {x_least, x_most})
    body +=
        fmt::format("<text class=\"tick mid\" x=\"{:.1f}\" y=\"{:.0f}\">{}</text>\n", px(x), bottom + 18, number(x));
  return figure(fmt::format("{} ({}{})", title, y_label, logarithmic ? ", logarithmic" : ""), bottom + 44, body);
}

}  // namespace ww::report::html
