// SPDX-License-Identifier: Apache-2.0
// Case files: what is understood, and what is said about the rest.
#include <QtTest>
#include <QTemporaryDir>
#include <map>
#include "base/files.h"
#include "sim/case_file.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::sim;

namespace {

std::map<std::string, std::string> files{{"k.ptx", ".version 8.0"}, {"x.bin", std::string("\1\2\3\4", 4)}};

Result<Job> job_from(const std::string& text) {
  return job_of(text, [](const std::string& name, std::size_t) -> Result<std::string> {
    const auto at = files.find(name);
    if (at == files.end()) return fail(Code::io, "there is no file '" + name + "'");
    return at->second;
  });
}
std::string with(const std::string& members) { return R"({"ptx": "k.ptx", "block": [32], )" + members + "}"; }

}  // namespace

class CaseTest : public QObject {
  Q_OBJECT
 private slots:
  void everyMemberIsRead() {
    const auto job = job_from(with(
        R"("entry": "k", "grid": [2, 3], "cluster": [1], "cooperative": true, "dyn_shared": 64,
           "checks": ["memory", "races"], "budget": 9, "seed": 5, "threads": 2, "compare": {"rtol": 0.5}, "args": [
             {"name": "x", "type": "f32", "in": [1, -2.5]}, {"in": "x.bin"}, {"in": "0x0A 0b"},
             {"name": "y", "type": "u16", "out": [7, 65535], "in": "0000"}, {"type": "f32", "bytes": 8},
             {"value": 7}, {"value": "ff00"}, {"value": 2, "type": "f32"},
             {"type": "i32", "in": {"count": 3, "start": -1, "step": 2}}])"));
    QVERIFY2(job, job ? "" : job.error().text().c_str());
    QCOMPARE(job->entry, std::string("k"));
    QCOMPARE(job->code, files["k.ptx"]);
    QCOMPARE(job->grid, (std::vector<std::int64_t>{2, 3, 1}));
    QCOMPARE(job->block, (std::vector<std::int64_t>{32, 1, 1}));
    QVERIFY(job->cooperative);
    QCOMPARE(job->dyn_shared, std::int64_t{64});
    QCOMPARE(job->checks, (std::vector<Check>{Check::memory, Check::races}));
    QCOMPARE(job->compare->rtol, 0.5);
    QCOMPARE(job->budget, std::int64_t{9});
    QCOMPARE(job->args.size(), std::size_t{9});
    const auto content = [&](std::size_t i) { return job->args[i].buffer->content.value_or("none"); };
    QCOMPARE(content(0), std::string("0000803f000020c0"));
    QCOMPARE(content(1), std::string("01020304"));
    QCOMPARE(content(2), std::string("0a0b"));
    QCOMPARE(content(3), std::string("0000"));
    QCOMPARE(*job->args[3].buffer->expected, std::string("0700ffff"));
    QCOMPARE(job->args[3].buffer->bytes, std::int64_t{4});
    QCOMPARE(content(4), std::string("none"));
    QVERIFY(job->args[4].buffer->is_output);
    QVERIFY(!job->args[0].buffer->is_output);
    QCOMPARE(job->args[1].buffer->name, std::string("arg 1"));
    QCOMPARE(std::get<std::int64_t>(*job->args[5].number), std::int64_t{7});
    QCOMPARE(*job->args[6].value, std::string("ff00"));
    QCOMPARE(*job->args[7].value, std::string("00000040"));
    QCOMPARE(content(8), std::string("ffffffff0100000003000000"));
  }

  void theRestIsRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const std::string& text, const char* says) {
      QTest::newRow(name) << QString::fromStdString(text) << QString(says);
    };
    row("no JSON", "{", "line 1, column 2");
    row("no code", R"({"block": [1]})", "one of the members 'ptx' and 'cu'");
    row("two codes", R"({"ptx": "k.ptx", "cu": "k.cu", "block": [1]})", "both 'ptx' and 'cu'");
    row("no block", R"({"ptx": "k.ptx"})", "the member 'block' is missing");
    row("mistyped", with(R"("grids": [1])"), "the member 'grids' is not known; known are");
    row("mistyped argument", with(R"("args": [{"inn": "00"}])"), "'args[0].inn' is not known");
    row("missing file", R"({"ptx": "no.ptx", "block": [1]})", "the member 'ptx' names a file that cannot be read");
    row("missing content", with(R"("args": [{"in": "no.bin"}])"), "'args[0].in' names a file that cannot be read");
    row("wrong type", with(R"("grid": 3)"), "the member 'grid' has the wrong type: it should be a list");
    row("empty extent", with(R"("grid": [])"), "'grid' must have one to three numbers");
    row("four extents", with(R"("grid": [1, 1, 1, 1])"), "'grid' must have one to three numbers");
    row("zero", with(R"("grid": [0])"), "'grid' must have numbers from 1");
    row("unknown check", with(R"("checks": ["race"])"), "unknown value 'race'");
    row("odd digits", with(R"("args": [{"in": "abc"}])"), "a file of that name is './abc'");
    row("numbers without a type", with(R"("args": [{"in": [1]}])"), "say which with 'type'");
    row("number too large", with(R"("args": [{"type": "u8", "in": [1, 256]}])"), "element 1, 256, is no value");
    row("fraction", with(R"("args": [{"type": "i32", "in": [1.5]}])"), "element 0, 1.5, is no value");
    row("unknown type", with(R"("args": [{"type": "float", "in": "00"}])"), "'args[0].type' is none of");
    row("nothing", with(R"("args": [{"name": "x"}])"), "needs one of 'in', 'out', 'bytes' and 'value'");
    row("both", with(R"("args": [{"in": "00", "value": 1}])"), "cannot stand beside");
    row("too small", with(R"("args": [{"in": "0000", "bytes": 1}])"), "has 2 bytes, the buffer 1 byte");
    row("expected of another size", with(R"("args": [{"out": "0000", "bytes": 4}])"),
        "has 2 bytes, the buffer 4 bytes");
    row("negative size", with(R"("args": [{"bytes": -1}])"), "'args[0].bytes' must lie between");
    row("huge size", with(R"("args": [{"bytes": 99999999999}])"), "'args[0].bytes' must lie between");
    row("huge series", with(R"("args": [{"type": "f64", "in": {"count": 99999999999}}])"), "'args[0].in' is too large");
    row("part of an element", with(R"("args": [{"bytes": 6, "type": "f32"}])"), "does not divide");
    row("tolerance of bytes", with(R"("compare": {"atol": 1}, "args": [{"out": "00"}])"), "needs to know the elements");
    row("negative tolerance", with(R"("compare": {"atol": -1})"), "must not be negative");
    row("another comparison", with(R"("compare": "close")"), "must be \"exact\"");
    row("architecture", with(R"("arch": "sm9")"), "must be like sm_80");
    row("macros of PTX", with(R"("defines": {"N": 1})"), "is only for 'cu'");
    row("variable without a name", with(R"("symbols": [{"in": "00"}])"), "'symbols[0].name' is missing");
  }
  void theRestIsRefused() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    const auto job = job_from(text.toStdString());
    QVERIFY(!job);
    QCOMPARE(job.error().code, Code::invalid_argument);
    QVERIFY2(job.error().text().find(says.toStdString()) != std::string::npos, job.error().text().c_str());
  }

  void filesLieBesideTheCase() {
    const QTemporaryDir dir;
    const std::string folder = dir.path().toStdString();
    make_folders(folder + "/sub");
    QVERIFY(write_file_atomic(folder + "/sub/k.ptx", ".version 8.0"));
    QVERIFY(write_file_atomic(folder + "/x.bin", "abcd"));
    QVERIFY(write_file_atomic(folder + "/c.json", R"({"ptx": "sub/k.ptx", "block": [1], "args": [{"in": "x.bin"}]})"));
    const auto job = read_case(folder + "/c.json");
    QVERIFY2(job, job ? "" : job.error().text().c_str());
    QCOMPARE(*job->args[0].buffer->content, std::string("61626364"));
    QCOMPARE(read_case(folder + "/no.json").error().code, Code::invalid_argument);
    QCOMPARE(read_case(folder).error().code, Code::invalid_argument);
  }

  void nothingElseIsRead_data() {
    support::text_rows({"name"}, {{"above", "../k.ptx"},
                                  {"above, by a folder", "here/../../k.ptx"},
                                  {"beside a folder of the same beginning", "../case_2/k.ptx"},
                                  {"absolute", "/proc/self/environ"},
                                  {"a link", "link.ptx"},
                                  {"a link to a folder", "up/k.ptx"}});
  }
  void nothingElseIsRead() {
    QFETCH(QString, name);
    const QTemporaryDir dir;
    const std::string root = dir.path().toStdString(), folder = root + "/case";
    make_folders(folder + "/here");
    make_folders(root + "/case_2");
    QVERIFY(write_file_atomic(root + "/k.ptx", ".version 8.0"));
    QVERIFY(write_file_atomic(root + "/case_2/k.ptx", ".version 8.0"));
    QVERIFY(QFile::link("../k.ptx", QString::fromStdString(folder + "/link.ptx")) &&
            QFile::link("..", QString::fromStdString(folder + "/up")));
    QVERIFY(write_file_atomic(folder + "/c.json", "{\"ptx\": \"" + name.toStdString() + "\", \"block\": [1]}"));
    const auto job = read_case(folder + "/c.json");
    QVERIFY(!job && job.error().code == Code::invalid_argument);
    QVERIFY2(job.error().text().find("folder of the case") != std::string::npos, job.error().text().c_str());
    QVERIFY(write_file_atomic(folder + "/here/k.ptx", ".version 8.0"));
    QVERIFY(write_file_atomic(folder + "/c.json", R"({"ptx": "up/case/here/../here/k.ptx", "block": [1]})"));
    QVERIFY(read_case(folder + "/c.json"));
  }

  void numbersKeepTheirBits() {
    QCOMPARE(*bytes_of_numbers({std::uint64_t{18446744073709551615u}}, DType::u64), std::string(8, '\xff'));
    QCOMPARE(*bytes_of_numbers({std::int64_t{-9223372036854775807 - 1}}, DType::i64),
             std::string("\0\0\0\0\0\0\0\x80", 8));
    QVERIFY(!bytes_of_numbers({std::int64_t{-1}}, DType::u64));
    QVERIFY(!bytes_of_numbers({1e39}, DType::f32));
    const float third = 1.0f / 3;
    QCOMPARE(element_text(DType::f32, reinterpret_cast<const char*>(&third)), std::string("0.33333334"));
    QCOMPARE(*bytes_of_hex(to_hex("\1\xfe")), std::string("\1\xfe"));
  }
};

QTEST_GUILESS_MAIN(CaseTest)
#include "case_test.moc"
