// SPDX-License-Identifier: Apache-2.0
// The structures of every op: that they are candidates, fit their specs, plan at every case, and are chosen by
// structure alone.
#include <QtTest>
#include "gate/cases.h"
#include "op/transform.h"
#include "search/groups.h"
#include "search/row_place.h"
#include "search/space.h"
#include "support/library_ops.h"

using namespace ww;
using search::Kind;

namespace {

std::vector<search::Structure> structures(const op::Spec& spec) {
  std::vector<std::string> problems;
  const auto list = search::structures_of(spec, {}, &problems);
  if (!list) qFatal("%s: %s", spec.name.c_str(), list.error().text().c_str());
  for (const std::string& p : problems) qWarning("%s: %s", spec.name.c_str(), p.c_str());
  if (!problems.empty()) qFatal("unreadable candidates");
  return *list;
}

std::vector<std::string> names(const op::Spec& spec) {
  std::vector<std::string> out;
  for (const auto& s : structures(spec)) out.push_back(s.name);
  return out;
}

Kind main_kind(const std::string& name) {
  const op::Spec spec = testing::library_op(name);
  return search::group_equations(*search::make_program(spec, {}), search::Fusion::natural).front().kind;
}

// Contract, claims and plan at the default and at every derived case; each default tuning claims the default case.
void check_all(const op::Spec& spec) {
  const auto cases = gate::derive_cases(spec, {}, {});
  QVERIFY2(cases.has_value(), spec.name.c_str());
  const auto list = structures(spec);
  QVERIFY(!list.empty());
  for (const auto& s : list) {
    const std::string where = spec.name + "/" + s.name;
    const auto contract = candidate::check_contract(s.open, spec);
    QVERIFY2(contract.has_value(), (where + ": " + (contract ? "" : contract.error().text())).c_str());
    const auto tuning = candidate::first_tuning(s.open);
    int claimed = 0;
    for (const evidence::Case& c : *cases) {
      const auto claims = candidate::claims(s.open, spec, c.binding, tuning);
      QVERIFY2(claims.has_value(), where.c_str());
      if (!*claims) {
        QVERIFY2(c.name != "default", (where + " does not claim the default case").c_str());
        continue;
      }
      ++claimed;
      const auto plan = candidate::plan(s.open, spec, c.binding, tuning);
      QVERIFY2(plan.has_value(), (where + " at " + c.name + ": " + (plan ? "" : plan.error().text())).c_str());
    }
    QVERIFY2(claimed >= std::min<int>(3, static_cast<int>(cases->size())), (where + " claims too few cases").c_str());
    QVERIFY2(s.open.text.find("\n// ") != std::string::npos, (where + " explains nothing").c_str());
    QVERIFY2(!s.open.title.empty() && s.open.structure == s.name, where.c_str());
  }
}

}  // namespace

class SearchTest : public QObject {
  Q_OBJECT
 private slots:
  void library_data() { testing::add_library_rows(); }
  void library() {
    QFETCH(QString, path);
    check_all(testing::read_spec(*read_file(path.toStdString())));
  }

  void unusual_data() { testing::add_unusual_rows("search"); }
  void unusual() {
    QFETCH(QString, text);
    check_all(testing::read_spec(text.toStdString()));
  }

  // By its name, which the search gave it: those whose text says that the row is kept.
  void whereARowIsKept() {
    std::set<search::RowPlace> places;
    const auto list = search::structures_of(testing::library_op("softmax"), {});
    for (const search::Structure& s : *list) {
      const search::RowPlace place = search::row_place(s.name);
      places.insert(place);
      QCOMPARE(place == search::RowPlace::registers, s.title.find("the row kept in registers") != std::string::npos);
      QCOMPARE(place == search::RowPlace::shared_memory,
               s.title.find("the row kept in shared memory") != std::string::npos);
    }
    QCOMPARE(places.size(), std::size_t{3});
    for (const char* other : {"", "row-warp", "row-warp-online", "registers", "map-scalar"})
      QVERIFY(search::row_place(other) == search::RowPlace::unknown);
  }

  void kinds() {
    QCOMPARE(main_kind("relu"), Kind::map);
    QCOMPARE(main_kind("softmax"), Kind::rows);
    QCOMPARE(main_kind("groupnorm"), Kind::rows);
    QCOMPARE(main_kind("column_sum"), Kind::columns);
    QCOMPARE(main_kind("sum_all"), Kind::full);
    QCOMPARE(main_kind("transpose"), Kind::transpose);
    QCOMPARE(main_kind("cumsum_masked"), Kind::scan);
    QCOMPARE(main_kind("cumprod_reverse"), Kind::scan);
    QCOMPARE(main_kind("linear_gelu"), Kind::contraction);
    QCOMPARE(main_kind("upper_triangular_matmul"), Kind::contraction);
    QCOMPARE(main_kind("conv2d_grouped"), Kind::contraction);
    QCOMPARE(main_kind("max_pool2d"), Kind::window);
    QCOMPARE(main_kind("depthwise_conv2d"), Kind::window);
    QCOMPARE(main_kind("matvec"), Kind::rows);
    QCOMPARE(main_kind("linear_recurrence"), Kind::recurrence);
  }

  // Chains are one kernel, a softmax between two products stands alone, a loss ends in a reduction of its own.
  void grouping() {
    const auto groups = [](const std::string& name, search::Fusion fusion) {
      return search::group_equations(*search::make_program(testing::library_op(name), {}), fusion).size();
    };
    QCOMPARE(groups("layernorm", search::Fusion::natural), 1u);
    QCOMPARE(groups("attention", search::Fusion::natural), 3u);
    QCOMPARE(groups("attention", search::Fusion::all), 1u);
    QCOMPARE(groups("cross_entropy", search::Fusion::natural), 2u);
    QCOMPARE(groups("swiglu", search::Fusion::natural), 1u);
    QCOMPARE(groups("layernorm", search::Fusion::none), 3u);
  }

  void at_least_four_structures_per_family() {
    for (const char* op : {"relu", "softmax", "sum", "column_sum", "sum_all", "transpose", "cumsum", "matmul", "matvec",
                           "conv2d", "max_pool2d", "depthwise_conv2d", "mse_loss", "attention"})
      QVERIFY2(names(testing::library_op(op)).size() >= 4, op);
  }

  // A recurrence is one launch, whatever its steps are. A scan needs steps of the form a * h + b, a thread rows of its
  // own.
  void recurrences() {
    using Names = std::vector<std::string>;
    QCOMPARE(names(testing::library_op("linear_recurrence")),
             (Names{"recurrence-thread", "recurrence-scan", "recurrence-block"}));
    QCOMPARE(names(testing::library_op("discounted_return")),
             (Names{"recurrence-thread", "recurrence-scan", "recurrence-block"}));
    QCOMPARE(names(testing::library_op("biquad_filter")), (Names{"recurrence-thread", "recurrence-block"}));
    QCOMPARE(names(testing::read_spec("op f(x: f32[T, H], w: f32[H, H]) -> y: f32[T, H] default T = 9, H = 8\n"
                                      "{ y[t, i] = tanh(x[t, i] + sum(j) w[i, j] * pad(y[t - 1, j], 0)) }")),
             Names{"recurrence-block"});
    QCOMPARE(names(testing::read_spec("op f(x: f32[B, T]) -> y: f32[B, T] default B = 9, T = 8\n"
                                      "{ y[b, t] = max(pad(y[b, t - 1], 0) * 0.5, x[b, t]) }")),
             (Names{"recurrence-thread", "recurrence-block"}));
    const op::Spec lstm = testing::library_op("lstm");
    const auto program = *search::make_program(lstm, {});
    const auto groups = search::group_equations(program, search::Fusion::natural);
    QCOMPARE(std::count_if(groups.begin(), groups.end(), [](const auto& g) { return g.kind == Kind::recurrence; }), 1);
    const auto own =
        std::find_if(groups.begin(), groups.end(), [](const auto& g) { return g.kind == Kind::recurrence; });
    QCOMPARE(own->rows.size(), std::size_t{1});  // sequences of a batch know nothing of one another
    QCOMPARE(own->rows[0].name, std::string("b"));
  }

  // Other names, same structures: nothing looks at what things are called.
  void names_do_not_matter() {
    const op::Spec softmax = testing::library_op("softmax");
    auto renamed = op::rename(softmax, {{"x", "matmul"}, {"y", "transposed"}, {"R", "Conv"}, {"C", "Pool"}});
    QVERIFY(renamed.has_value());
    op::Spec other = *renamed;
    std::string text = op::print(other);
    text.replace(text.find("op softmax"), 10, "op cumsum_");
    QCOMPARE(names(testing::read_spec(text)), names(softmax));
  }

  void reserved_beginnings_are_left() {
    for (const std::string name : {"__a", "__shared__", "warp_a", "block_a", "floor_a", "int", "y0"}) {
      const auto spec =
          op::parse_spec("op " + name + "_op(" + name + ": f32[" + name + "_n]) -> y: f32[" + name + "_n]\n  default " +
                         name + "_n = 64\n{\n  " + name + "_t[i] = sum(" + name + "_k) " + name + "[" + name +
                         "_k] * " + name + "[i]\n  y[" + name + "_i] = " + name + "_t[" + name + "_i] + 1\n}\n");
      QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
      std::vector<std::string> problems;
      const auto structures = search::structures_of(*spec, {}, &problems);
      QVERIFY2(structures && !structures->empty() && problems.empty(), name.c_str());
    }
  }
  void division_leaves_the_sum() {
    const auto program = search::make_program(testing::library_op("mean"), {});
    QCOMPARE(op::print(*program->equations[0].value), std::string("(sum(c) x[r, c]) / C"));
  }

  void text_is_readable() {
    const auto list = structures(testing::library_op("softmax"));
    const std::string& text = list.front().open.text;
    QVERIFY(text.find("expf(x[r * C + c] - top)") != std::string::npos);
    QVERIFY(text.find("const float* __restrict__ x") != std::string::npos);
    QVERIFY(text.find("__expf") == std::string::npos);
    for (const auto& s : list)
      for (std::size_t at = 0, end; at < s.open.text.size(); at = end + 1) {
        end = std::min(s.open.text.find('\n', at), s.open.text.size());
        QVERIFY2(end - at < 260, s.open.text.substr(at, end - at).c_str());
      }
  }

  void same_text_every_time() {
    for (const char* op : {"attention", "groupnorm", "conv2d", "cross_entropy"}) {
      const auto a = structures(testing::library_op(op)), b = structures(testing::library_op(op));
      QCOMPARE(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) QCOMPARE(a[i].open.hash, b[i].open.hash);
    }
  }

  void constants_are_arguments() {
    const auto list = structures(testing::library_op("layernorm"));
    QVERIFY(list.front().open.text.find("float eps") != std::string::npos);
  }

  void large_tensors_have_wide_indices() {
    const op::Spec spec = testing::read_spec(
        "op big(x: f32[R, C]) -> y: f32[R] default R = 100000, C = 100000 { y[r] = sum(c) x[r, c] }");
    QVERIFY(structures(spec).front().open.text.find("long long C") != std::string::npos);
  }

  // p * (H - 1) passes 32 bits where no tensor has so many elements; i * J + j of a reshape never does.
  void products_that_no_tensor_has_are_wide() {
    const auto wide = [](const op::Spec& spec) {
      return structures(spec).front().open.text.find("(long long)") != std::string::npos;
    };
    QVERIFY(wide(testing::library_op("upsample_bilinear_corners")));
    QVERIFY(
        !wide(testing::read_spec("op f(x: f32[I, J]) -> y: f32[J, I] default I = 8, J = 6\n"
                                 "{ y[j, i] = x[(j * I + i) / J, (j * I + i) % J] }")));
  }

  void recurrences_share_their_terms() {
    std::string text = "op f(x: f32[N]) -> y: f32[N] default N = 64 { a0[i] = x[i]\n";
    for (int n = 1; n <= 64; ++n) {
      const std::string now = "a" + std::to_string(n) + "[i]", last = "a" + std::to_string(n - 1) + "[i]";
      text += now + " = " + last + " + " + last + " * " + last + "\n";
    }
    const op::Spec spec = testing::read_spec(text + "y[i] = a64[i] }");
    std::size_t bytes = 0;
    for (const auto& s : structures(spec)) bytes += s.open.text.size();
    QVERIFY(bytes > 0 && bytes < 1 << 20);
  }

  void too_many_terms_are_refused() {
    std::string text = "op f(x: f32[N]) -> y: f32[N] default N = 64 {\n", sum;
    for (int n = 0; n < 400; ++n) sum += (n ? " + " : "") + std::string("x[i]");
    for (int n = 0; n < 300; ++n) text += "a" + std::to_string(n) + "[i] = " + sum + "\n";
    const auto list = search::structures_of(testing::read_spec(text + "y[i] = a299[i] }"), {});
    QVERIFY(!list);
    QCOMPARE(list.error().code, Code::unsupported);
    QVERIFY(list.error().message.find("budget of 262144") != std::string::npos);
  }

  void can_be_cancelled() {
    std::stop_source stop;
    stop.request_stop();
    const auto list = search::structures_of(testing::library_op("softmax"), {}, nullptr, stop.get_token());
    QVERIFY(!list);
    QCOMPARE(list.error().code, Code::cancelled);
  }

  void unbound_symbols_are_an_error() {
    const op::Spec spec = testing::read_spec("op f(x: f32[N]) -> y: f32[N] { y[i] = x[i] }");
    QVERIFY(!search::structures_of(spec, {}).has_value());
  }
};

QTEST_GUILESS_MAIN(SearchTest)
#include "search_test.moc"
