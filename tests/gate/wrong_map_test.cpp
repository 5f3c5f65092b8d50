// SPDX-License-Identifier: Apache-2.0
// How wrong elements lie, and the maps of outputs.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include "gate/wrong_map.h"

using namespace ww;
using namespace ww::gate;
using evidence::WrongPattern;
using evidence::WrongShape;

namespace {

using Where = std::function<bool(std::int64_t row, std::int64_t column)>;

WrongShape shape(std::int64_t rows, std::int64_t columns, const Where& where) {
  std::vector<bool> wrong;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) wrong.push_back(where(r, c));
  return shape_of(wrong, rows, columns);
}

std::string text(std::int64_t rows, std::int64_t columns, const Where& where, bool matrix = true) {
  evidence::WrongMap map;
  map.rows = rows;
  map.columns = columns;
  map.shape = matrix ? std::vector<std::int64_t>{rows, columns} : std::vector<std::int64_t>{columns};
  map.wrong_elements = shape(rows, columns, where);
  return evidence::wrong_shape_text(map);
}

struct Output {  // of zeros, whose tolerance is 0.5
  op::ReferenceTensor expected;
  std::vector<float> actual;
  evidence::Failure failure;
  std::optional<std::uint8_t> poison;
  std::int64_t unwritten = 0;
  explicit Output(std::vector<std::int64_t> shape) {
    std::int64_t n = 1;
    for (const std::int64_t d : shape) n *= d;
    expected.dtype = DType::f32;
    expected.shape = std::move(shape);
    expected.value.assign(static_cast<std::size_t>(n), 0.0);
    expected.bound.assign(static_cast<std::size_t>(n), 0.5);
    actual.assign(static_cast<std::size_t>(n), 0.25F);
    failure.element.emplace().tensor = "y";
  }
  // Of the rule of its values, in words.
  std::string values() {
    const Result<evidence::WrongMap> made = map();
    return made ? evidence::wrong_values_text(*made) : made.error().text();
  }
  Result<evidence::WrongMap> map() {
    failure.element->index.assign(expected.shape.size(), 0);
    failure.element->total = static_cast<std::int64_t>(actual.size());
    failure.element->wrong = std::ranges::count_if(actual, [](float v) { return v != 0.25F; });
    return map_wrong({expected, std::as_bytes(std::span(actual)), poison, unwritten}, failure);
  }
};

}  // namespace

class WrongMapTest : public QObject {
  Q_OBJECT

 private slots:
  void patternsHaveNames() {
    using std::string;
    QCOMPARE(text(64, 128, [](auto, auto c) { return c % 32 == 31; }), string("every 32nd column, from column 31"));
    QCOMPARE(text(64, 128, [](auto, auto c) { return c % 32 == 31 && c < 100; }),
             string("every 32nd column, from column 31 to column 95"));
    QCOMPARE(text(7, 9, [](auto r, auto) { return r == 6; }), string("the last row"));
    QCOMPARE(text(7, 9, [](auto r, auto) { return r == 0; }), string("the first row"));
    QCOMPARE(text(7, 9, [](auto r, auto) { return r == 3; }), string("row 3"));
    QCOMPARE(text(7, 99, [](auto, auto c) { return c >= 96; }), string("the last 3 columns, from column 96"));
    QCOMPARE(text(7, 99, [](auto, auto c) { return c < 4; }), string("the first 4 columns"));
    QCOMPARE(text(64, 64, [](auto r, auto) { return r >= 5 && r <= 9; }), string("rows 5 to 9"));
    QCOMPARE(text(64, 64, [](auto r, auto c) { return r >= 32 && r < 48 && c >= 16 && c < 32; }),
             string("a tile of 16 x 16, from row 32, column 16"));
    QCOMPARE(text(64, 64, [](auto r, auto c) { return c > r; }), string("above the diagonal"));
    QCOMPARE(text(64, 64, [](auto r, auto c) { return c < r; }), string("below the diagonal"));
    QCOMPARE(text(64, 64, [](auto, auto) { return true; }), string("all elements"));
    QCOMPARE(text(64, 64, [](auto r, auto c) { return r == 5 && c == 7; }), string("a single element"));
    QCOMPARE(text(64, 64, [](auto r, auto c) { return (r * 31 + c * 17) % 13 == 0; }), string("scattered"));
    QCOMPARE(text(64, 64, [](auto r, auto) { return r == 1 || r == 2 || r == 9; }),
             string("3 irregularly spaced rows, from row 1"));
    QCOMPARE(text(64, 64, [](auto r, auto) { return r == 1 || r == 9; }), string("rows 1 and 9"));
    QCOMPARE(text(64, 64, [](auto r, auto c) { return r == c; }), string("the diagonal"));
    QCOMPARE(text(64, 64, [](auto r, auto c) { return r == 63 && c % 8 == 3; }),
             string("every 8th column, from column 3; only in the last row"));
    QCOMPARE(text(10, 10, [](auto r, auto c) { return r * 10 + c >= 66; }),
             string("the last 34 elements, from element 66, counted row by row"));
    QCOMPARE(text(10, 10, [](auto r, auto c) { return (r * 10 + c) % 7 == 0; }),
             string("every 7th element, from element 0, counted row by row"));
    QCOMPARE(text(
                 1, 4096, [](auto, auto c) { return c >= 4000; }, false),
             string("the last 96 elements, from element 4000"));
    QCOMPARE(text(
                 1, 1, [](auto, auto) { return true; }, false),
             string("a single element"));
    QCOMPARE(text(
                 1, 4, [](auto, auto) { return false; }, false),
             string());
  }

  void someMayBeRightByChance() {
    const Where some = [](auto r, auto c) { return c % 8 == 7 && r != 3; };
    QCOMPARE(shape(64, 64, some).pattern, WrongPattern::columns);
    QCOMPARE(text(64, 64, some), std::string("every 8th column, from column 7 (98 % of these elements)"));
    // Too few for whole columns, but in no others.
    QCOMPARE(text(64, 64, [](auto r, auto c) { return c % 8 == 7 && (r * r + c) % 3 == 0; }),
             std::string("scattered over every 8th column, from column 15 (33 % of these elements)"));
    QCOMPARE(text(17, 24, [](auto r, auto c) { return c % 4 == 3 && (r * 5 + c * 3) % 11 < 2; }),
             std::string("scattered over every 4th column, from column 3 (19 % of these elements)"));
    QCOMPARE(text(19, 12, [](auto r, auto c) { return c % 4 == 3 && (r + c) % 4 != 1; }),
             std::string("scattered over every 4th column, from column 3 (74 % of these elements)"));
    QCOMPARE(text(67, 4, [](auto r, auto c) { return c == 3 && r % 5 == (r / 20) % 5; }),
             std::string("scattered over the last column (19 % of these elements)"));
    QCOMPARE(text(90, 256, [](auto r, auto c) { return r % 3 == 1 && c % 32 == 30 && (r * r + c) % 5 != 0; }),
             std::string("scattered over every 32nd column, from column 30; only in every 3rd row, from row 1 (80 % of "
                         "these elements)"));
    // A line of the spacing may have none.
    QCOMPARE(text(2, 512, [](auto r, auto c) { return c % 16 == 2 && (c / 16 * 7 + r * 3) % 10 == 0; }),
             std::string("scattered over every 16th column, from column 2 (12 % of these elements)"));
    QCOMPARE(shape(64, 64, [](auto r, auto c) { return (r * 7 + c * 3) % 64 == 5 && r < 6; }).pattern,
             WrongPattern::scattered);
    QCOMPARE(shape(64, 64, [](auto r, auto c) { return r * 64 + c == 70 || r * 64 + c == 1500; }).pattern,
             WrongPattern::scattered);
  }

  void everyCellShowsItsWorstElement() {
    Output y({4, 100, 3000});
    const auto at = [](std::int64_t m, std::int64_t r, std::int64_t c) {
      return static_cast<std::size_t>((m * 100 + r) * 3000 + c);
    };
    for (std::int64_t r = 0; r < 100; ++r)
      for (std::int64_t c = 31; c < 3000; c += 32) y.actual[at(2, r, c)] = 1.0F;
    y.actual[at(2, 40, 63)] = std::numeric_limits<float>::quiet_NaN();
    y.actual[at(2, 40, 95)] = 50.0F;
    const Result<evidence::WrongMap> map = y.map();
    QVERIFY2(map.has_value(), map ? "" : map.error().text().c_str());
    QCOMPARE(evidence::misfit_of(*map), std::string());
    QCOMPARE(map->matrices, std::int64_t{4});
    QCOMPARE(map->wrong_matrices, std::int64_t{1});
    QCOMPARE(map->maps.size(), std::size_t{1});
    const evidence::WrongMatrix& m = map->maps[0];
    QCOMPARE(m.leading, (std::vector<std::int64_t>{2}));
    QCOMPARE(m.wrong, std::int64_t{100 * 93});
    QCOMPARE(m.first, std::int64_t{31});
    QVERIFY(map->down() * map->across() <= evidence::most_map_cells && map->across() <= evidence::most_map_side);
    QCOMPARE(evidence::wrong_shape_text(*map), std::string("every 32nd column, from column 31"));
    int seen = 0;
    for (std::size_t cell = 0; cell < m.element.size(); ++cell) {
      const std::int64_t row = m.element[cell] / map->columns, column = m.element[cell] % map->columns;
      QCOMPARE(row / map->cell_rows * map->across() + column / map->cell_columns, static_cast<std::int64_t>(cell));
      const float found = y.actual[at(2, row, column)];
      QVERIFY(std::isnan(found) ? std::isnan(m.actual[cell]) : m.actual[cell] == static_cast<double>(found));
      seen += row == 40 && column == 63 && std::isinf(m.ratio[cell]);
      seen += row == 40 && column == 95 && m.ratio[cell] == 100.0;
      QCOMPARE(m.ratio[cell] > 1, column % 32 == 31);
      if (m.ratio[cell] <= 1) QCOMPARE(m.ratio[cell], 0.5);
    }
    QCOMPARE(seen, 2);
  }

  void mapsAreOfTheMatricesWithMostWrongElements() {
    Output y({3, 5, 8, 8});
    for (std::size_t m = 0; m < 15; ++m)
      for (std::size_t i = 0; i < m; ++i) y.actual[m * 64 + i] = 9.0F;  // none in the first
    y.expected.bound[14 * 64 + 20] = std::numeric_limits<double>::infinity();
    const evidence::WrongMap map = y.map().value();
    QCOMPARE(map.matrices, std::int64_t{15});
    QCOMPARE(map.wrong_matrices, std::int64_t{14});
    QCOMPARE(map.maps.size(), evidence::most_map_matrices);
    QCOMPARE(map.maps.front().leading, (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(map.maps.back().leading, (std::vector<std::int64_t>{2, 4}));
    QCOMPARE(map.maps.back().wrong, std::int64_t{14});
    QVERIFY(std::isnan(map.maps.back().ratio[20]));  // any value passes
  }

  void wrongValuesFollowRules() {
    const auto made = [](std::vector<std::int64_t> shape, const std::function<double(std::int64_t)>& right,
                         const std::function<double(std::int64_t)>& wrong) {
      Output y(std::move(shape));
      for (std::size_t i = 0; i < y.actual.size(); ++i) {
        y.expected.value[i] = right(static_cast<std::int64_t>(i));
        y.expected.bound[i] = 1e-6;
        y.actual[i] = static_cast<float>(wrong(static_cast<std::int64_t>(i)));
      }
      return y.values();
    };
    const std::vector<std::int64_t> matrix = {8, 12};
    const auto right = [](std::int64_t i) { return 0.5 + static_cast<double>(i * 37 % 101); };
    const auto of = [&](const std::function<double(std::int64_t)>& wrong) { return made(matrix, right, wrong); };
    using std::string;
    QCOMPARE(of([](auto) { return 0.0; }), string("They are zero."));
    QCOMPARE(of([](auto) { return std::nan(""); }), string("They are NaN or infinite."));
    QCOMPARE(of([&](auto i) { return -right(i); }), string("They have the opposite sign."));
    QCOMPARE(of([&](auto i) { return 2 * right(i); }), string("They are 2 times the right values."));
    QCOMPARE(of([&](auto i) { return right(i) - 3; }), string("They are the right values minus 3."));
    QCOMPARE(of([&](auto i) { return right(i) * (1 + 0.001 * static_cast<double>(i % 10)); }),
             string("They are close: no error exceeds 0.9 %."));
    const auto alike = [](std::int64_t i) { return 1.0 + static_cast<double>(i % 12); };  // each row
    QVERIFY(made(matrix, alike, [&](auto i) { return alike(i) * 1.0002; }).starts_with("They are close"));
    QCOMPARE(of([&](auto i) { return i % 12 == 11 ? 7 : right(i + 1); }),
             string("They are the right values of their neighbours, 1 column to the right."));
    QCOMPARE(of([&](auto i) { return i < 12 ? 7 : right(i - 12); }),
             string("They are the right values of their neighbours, 1 row above."));
    QCOMPARE(of([&](auto i) { return right(i % 8 * 12 + i / 8); }),
             string("They are right for the transposed matrix."));
    QCOMPARE(of([&](auto i) { return static_cast<double>(i * i % 53 + 200); }), string());
    // A constant says nothing of a factor; three elements follow any rule.
    QCOMPARE(made(
                 matrix, [](auto) { return 4.0; }, [](auto) { return 8.0; }),
             string());
    QCOMPARE(made({3}, right, [&](auto i) { return 2 * right(i); }), string());
  }

  void whatIsNotWrittenIsTold() {
    Output y({4, 4});
    y.poison = 0x42;
    std::fill(y.actual.begin(), y.actual.end(), std::bit_cast<float>(0x42424242));
    QCOMPARE(y.values(), std::string("They were never written."));
    y.unwritten = 15;
    y.actual[5] = 9.0F;  // wrong, but written
    const auto map = y.map();
    QCOMPARE(map->maps.front().unwritten.size(), std::size_t{15});
    QVERIFY(!std::ranges::binary_search(map->maps.front().unwritten, 5));
    y.unwritten = 16;  // as the SIMT machine knows, whatever its memory holds
    y.poison.reset();
    QCOMPARE(y.values(), std::string("They were never written."));
    y.failure.element->wrong = 1;
    QCOMPARE(y.map()->failure.element->wrong, std::int64_t{16});
    y.unwritten = 0;  // such an output begins as zero: somebody wrote that
    QVERIFY(y.values() != "They were never written.");
  }

  void theTerminalDrawsThem() {
    Output y({3, 4, 6});
    for (std::size_t i = 24; i < 48; i += 2) y.actual[i] = 9.0F;
    y.actual[0] = 9.0F;
    QCOMPARE(
        evidence::wrong_map_text(y.map().value()),
        std::string("  y: 13 of 72 elements are wrong, in 2 of 3 matrices; in the worst one: every 2nd column, from "
                    "column 0.\n  y[1, …]\n  #.#.#.\n  #.#.#.\n  #.#.#.\n  #.#.#.\n  #: wrong\n"));
    Output large({100, 3000});
    large.actual[299'999] = 9.0F;
    const std::string text = evidence::wrong_map_text(large.map().value());
    QVERIFY2(text.starts_with("  y: 1 of 300000 elements is wrong.\n"), text.c_str());
    QCOMPARE(std::ranges::count(text, '#'), 2);  // and the legend's
    QVERIFY2(text.ends_with("  #: wrong; a character stands for up to 5 x 42 elements\n"), text.c_str());
  }

  void whyThereIsNoMap() {
    evidence::Verdict v;
    const auto ended_at = [&](evidence::Stage stage, evidence::Outcome outcome) {
      v.stages = {{stage, outcome, "why", "", {}, 0}};
      QTEST_ASSERT(!evidence::failure_to_map(v));
      return evidence::no_map_text(v);
    };
    using enum evidence::Outcome;
    for (const evidence::Stage stage : {evidence::Stage::contract, evidence::Stage::compile}) {
      const std::string text = ended_at(stage, failed);
      QCOMPARE(text, "unknown: nothing was run, since it was rejected at " + enum_string(stage));
    }
    for (const evidence::Stage stage : evidence::all_stages)
      for (const evidence::Outcome outcome : {failed, not_judged})
        QVERIFY(ended_at(stage, outcome) != "no output differs from the reference");
    QVERIFY(ended_at(evidence::Stage::cases, not_judged).find("not judged at cases") != std::string::npos);
    v.stages.clear();
    QVERIFY(evidence::no_map_text(v) != "no output differs from the reference");
    v.accepted = true;
    QCOMPARE(evidence::no_map_text(v), std::string("no output differs from the reference"));
  }

  void whatIsRightHasNoMap() {
    QCOMPARE(Output({4, 4}).map().error().code, Code::not_found);
    Output scalar({});
    scalar.actual[0] = 3.0F;
    const evidence::WrongMap map = scalar.map().value();
    QCOMPARE(evidence::wrong_shape_text(map), std::string("a single element"));
    QCOMPARE(map.maps[0].expected, std::vector<double>{0.0});
    Output short_one({4});
    short_one.actual.pop_back();
    QCOMPARE(short_one.map().error().code, Code::internal);
  }
};

QTEST_APPLESS_MAIN(WrongMapTest)
#include "wrong_map_test.moc"
