// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include "base/files.h"
#include "op/library_tensors.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "op/sentence/phrasebook_rank.h"
#include "op/sentence/phrasebook_words.h"

using namespace ww;
using namespace ww::op;
using nlohmann::json;

namespace {

const char* const families[] = {"map",    "row-reduction", "reduction",   "normalization", "scan",      "transpose",
                                "gather", "loss",          "contraction", "window",        "attention", "recurrence"};
const char* const kinds[] = {"batch",   "image",    "channels",    "filters",      "kernel",  "stride",
                             "padding", "dilation", "groups",      "height",       "width",   "depth",
                             "length",  "sequence", "queries",     "keys",         "heads",   "head_dim",
                             "hidden",  "features", "in_features", "out_features", "classes", "vocabulary",
                             "rows",    "columns",  "elements",    "kv_heads",     "upscale"};

double number(const json& v) {
  if (v.is_string()) return v == "inf" ? INFINITY : v == "-inf" ? -INFINITY : NAN;
  return v.get<double>();
}

template <class T>
bool holds(const T& list, const std::string& what) {
  return std::find(std::begin(list), std::end(list), what) != std::end(list);
}

bool names_only(const Expr& e, const std::set<std::string>& known) {
  if (e.kind == ExprKind::name && !known.count(e.name)) return false;
  for (const ExprPtr& a : e.args)
    if (!names_only(*a, known)) return false;
  return true;
}

std::set<std::string> sizes_and_constants(const Spec& spec) {
  std::set<std::string> out(spec.symbols.begin(), spec.symbols.end());
  for (const Constant& c : spec.constants) out.insert(c.name);
  return out;
}

}  // namespace

class LibraryTest : public QObject {
  Q_OBJECT
  Library library_;

 private slots:
  void initTestCase() {
    auto loaded = Library::load(std::filesystem::path(WW_SOURCE_DIR) / "resources/ops");
    QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
    library_ = std::move(*loaded);
    QVERIFY(library_.ops().size() >= 220);
  }

  void everyOpSaysWhatItIs() {
    for (const LibraryOp& op : library_.ops()) {
      const char* name = op.spec.name.c_str();
      QVERIFY2(!op.phrases.empty(), name);
      QVERIFY2(op.summary.size() > 10 && op.summary.back() == '.', name);
      QVERIFY2(holds(families, op.family), name);
      QCOMPARE(op.file.stem().string(), op.spec.name);
      for (const std::string& p : op.phrases)
        for (char c : p) QVERIFY2(!(c >= 'A' && c <= 'Z'), p.c_str());
    }
  }

  void noPhraseBelongsToTwoOps() {
    std::string clashes;
    for (const auto& c : library_.vocabulary().clashes()) clashes += c.phrase + " (" + c.first + ", " + c.second + ") ";
    QVERIFY2(clashes.empty(), clashes.c_str());
  }

  void directivesNameWhatIsThere() {
    for (const LibraryOp& op : library_.ops()) {
      const Spec& s = op.spec;
      const char* name = s.name.c_str();
      const std::set<std::string> known = sizes_and_constants(s);
      for (const char* key : {"spread", "axis"}) {
        const std::string symbol = phrases::directive(s, key);
        if (symbol.empty()) continue;
        bool found = false;
        for (const ExprPtr& d : s.inputs[0].shape) found = found || (d->kind == ExprKind::name && d->name == symbol);
        QVERIFY2(found, name);
      }
      for (const char* key : {"whole", "columns", "pairs"}) {
        const std::string other = phrases::directive(s, key);
        QVERIFY2(other.empty() || library_.find(other), name);
      }
      const std::string constant = phrases::directive(s, "number");
      QVERIFY2(constant.empty() || known.count(constant), name);
      for (const std::string& asked : phrases::split_list(phrases::directive(s, "ask")))
        QVERIFY2(
            std::any_of(s.constants.begin(), s.constants.end(), [&](const Constant& c) { return c.name == asked; }),
            name);
      for (const std::string& symbol : phrases::split_list(phrases::directive(s, "size"), ' '))
        QVERIFY2(known.count(symbol), name);
      for (const std::string& part : phrases::split_list(phrases::directive(s, "sizes"))) {
        const std::size_t equals = part.find(" = ");
        QVERIFY2(equals != std::string::npos, name);
        QVERIFY2(holds(kinds, part.substr(0, equals)), part.c_str());
        for (const std::string& text : phrases::split_list(part.substr(equals + 3), ' ')) {
          const auto e = parse_integer_expr(text);
          QVERIFY2(e && names_only(**e, known), part.c_str());
        }
      }
    }
  }

  void printingRoundTrips() {
    for (const LibraryOp& op : library_.ops()) {
      const std::string once = print(op.spec);
      const auto again = parse_spec(once);
      QVERIFY2(again, op.spec.name.c_str());
      QCOMPARE(print(*again), once);
    }
  }

  // A naive kernel of any of them, interpreted on one CPU core, must be done in well under a second.
  void defaultsAreSmall() {
    for (const LibraryOp& op : library_.ops()) {
      for (const std::string& s : op.spec.symbols)
        QVERIFY2(op.spec.defaults.count(s), (op.spec.name + " " + s).c_str());
      for (const std::vector<Param>* list : {&op.spec.inputs, &op.spec.outputs})
        for (const Param& p : *list) {
          const auto shape = shape_of(op.spec, p, {});
          QVERIFY2(shape && element_count(*shape) > 0 && element_count(*shape) <= 1 << 20, op.spec.name.c_str());
        }
      const auto work = work_of(op.spec, {});
      QVERIFY2(work && work->flops <= 1.1e8, (op.spec.name + " " + std::to_string(work ? work->flops : -1)).c_str());
    }
  }

  void referencesAgree() {
    // Of PyTorch and NumPy, and of plain Python.
    json cases = json::array();
    for (const char* file : {"references.json", "references_plain.json"}) {
      const auto text = read_file(std::filesystem::path(WW_SOURCE_DIR) / "tests/op/fixtures" / file);
      QVERIFY(text);
      const json all = json::parse(*text);
      for (const json& c : all.at("cases")) cases.push_back(c);
    }
    std::set<std::string> covered;
    std::size_t compared = 0;
    for (const json& c : cases) {
      const std::string name = c.at("op");
      const LibraryOp* op = library_.find(name);
      QVERIFY2(op, name.c_str());
      Binding binding;
      for (const auto& [k, v] : c.at("symbols").items()) binding.symbols[k] = v;
      for (const auto& [k, v] : c.at("constants").items()) binding.constants[k] = v;
      std::vector<std::vector<double>> values;
      double largest = 1;
      QCOMPARE(c.at("inputs").size(), op->spec.inputs.size());
      for (const Param& p : op->spec.inputs) {
        QVERIFY2(c.at("inputs").contains(p.name), (name + " " + p.name).c_str());
        values.emplace_back();
        for (const json& v : c.at("inputs").at(p.name)) {
          values.back().push_back(number(v));
          largest = std::max(largest, std::fabs(values.back().back()));
        }
      }
      const std::string output = c.at("output");
      const Param* result = find_param(op->spec, output);
      QVERIFY2(result, (name + " " + output).c_str());
      const auto shape = shape_of(op->spec, *result, binding);
      QVERIFY2(shape, name.c_str());
      QCOMPARE(*shape, c.at("shape").get<std::vector<std::int64_t>>());
      const auto got = evaluate_on(op->spec, binding, values, output);
      QVERIFY2(got, (name + ": " + (got ? "" : got.error().text())).c_str());
      const json& want = c.at("expected");
      QCOMPARE(got->size(), want.size());
      const bool exact = is_integer(result->dtype);
      for (std::size_t i = 0; i < got->size(); ++i) {
        const double w = number(want[i]), g = (*got)[i];
        // 1e-10 of the value; where terms cancel, 1e-14 of the largest input.
        const bool close = exact || !std::isfinite(w) ? w == g || (std::isnan(w) && std::isnan(g))
                                                      : std::fabs(w - g) <= 1e-10 * std::fabs(w) + 1e-14 * largest;
        QVERIFY2(close, (name + " " + c.at("symbols").dump() + " element " + std::to_string(i) + ": expected " +
                         std::to_string(w) + ", got " + std::to_string(g))
                            .c_str());
        ++compared;
      }
      covered.insert(name + " " + output);
    }
    for (const LibraryOp& op : library_.ops())
      for (const Param& p : op.spec.outputs)
        QVERIFY2(covered.count(op.spec.name + " " + p.name),
                 (op.spec.name + " " + p.name + " has no reference").c_str());
    QVERIFY(compared > 5000);
  }

  void nearestToASlip() {
    QCOMPARE(library_.nearest("sofmax", 1).at(0)->spec.name, std::string("softmax"));
    QCOMPARE(library_.nearest("matmull", 1).at(0)->spec.name, std::string("matmul"));
    QCOMPARE(library_.nearest("layer-nrom", 1).at(0)->spec.name, std::string("layernorm"));
    QVERIFY(library_.nearest("", 5).empty());
    QVERIFY(library_.nearest("zzzzqqqq", 5).empty());
    QVERIFY(library_.nearest(std::string(100000, 'a'), 5).size() <= 5);
    QVERIFY(library_.nearest("convolution", 3).size() == 3);
    QVERIFY(!library_.find("no_such_op"));
  }

  void badFoldersAndFiles() {
    QTemporaryDir dir;
    const std::filesystem::path root = dir.path().toStdString();
    QCOMPARE(Library::load(root / "absent").error().code, Code::io);
    QVERIFY(Library::load(root)->ops().empty());
    const std::string good =
        "//@ phrases: twice\nop twice(x: f32[N]) -> y: f32[N]\n  default N = 4\n{\n  y[i] = 2 * x[i]\n}\n";
    QVERIFY(write_file_atomic(root / "a/twice.op", good).has_value());
    QVERIFY(write_file_atomic(root / "notes.txt", "not an op").has_value());
    QCOMPARE(Library::load(root)->ops().size(), std::size_t{1});
    QVERIFY(write_file_atomic(root / "b/again.op", good).has_value());
    const auto twice = Library::load(root);
    QVERIFY(!twice && twice.error().message.find("twice") != std::string::npos);
    QVERIFY(std::filesystem::remove(root / "b/again.op"));

    // Word lists beside the folder are used instead of the resources' own, and checked.
    for (const char* name : {"connectors.txt", "axes.txt", "sizes.txt", "constants.txt", "numbers.txt", "filler.txt"})
      QVERIFY(write_file_atomic(root / "phrasebook" / name, "# none\n").has_value());
    QCOMPARE(Library::load(root / "a").error().code, Code::io);  // dtypes.txt is missing
    QVERIFY(write_file_atomic(root / "phrasebook/dtypes.txt", "f32: float\n").has_value());
    const auto own = Library::load(root / "a");
    QVERIFY(own && understand(*own, "twice float").spec && !understand(*own, "twice half").spec);
    for (const char* text : {"f33: float\n", "float\n"}) {
      QVERIFY(write_file_atomic(root / "phrasebook/dtypes.txt", text).has_value());
      QCOMPARE(Library::load(root / "a").error().code, Code::parse);
    }

    QVERIFY(
        write_file_atomic(root / "b/again.op", "op broken(x: f32[N]) -> y: f32[N] {\n  y[i] = z[i]\n}\n").has_value());
    const auto broken = Library::load(root);
    QVERIFY(!broken && broken.error().message.find("again.op") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(LibraryTest)
#include "library_test.moc"
