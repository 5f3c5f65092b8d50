// SPDX-License-Identifier: Apache-2.0
// kernels/racy.cu and clean.cu: each race is named with both sides whatever the order of blocks, and no clean kernel is
// accused. WARPWRIGHT_RACES_TABLE: a file for the table of what was named.
#include <QtTest>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include "base/files.h"
#include "compile/compile.h"
#include "sim/run.h"

using namespace ww;
using namespace ww::sim;

namespace {

struct Kernel {
  std::string name;
  int grid = 1, block = 32;
  std::set<int> racing;  // lines
};

std::string source(const char* name) { return *read_file(std::string(WW_SOURCE_DIR) + "/tests/sim/kernels/" + name); }

std::vector<Kernel> kernels_of(const std::string& text) {
  std::vector<Kernel> all;
  std::istringstream lines(text);
  std::smatch m;
  Kernel next;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::regex_search(line, m, std::regex("^// grid (\\d+), block (\\d+)")))
      next = {{}, std::stoi(m[1]), std::stoi(m[2]), {}};
    else if (std::regex_search(line, m, std::regex("__global__ void (\\w+)\\("))) {
      next.name = m[1];
      all.push_back(next);
    } else if (!all.empty() && std::regex_search(line, std::regex("// (one|other|both)$")))
      all.back().racing.insert(number);
  }
  return all;
}

void kernels_as_rows(const char* file) {
  QTest::addColumn<Kernel>("k");
  for (const Kernel& k : kernels_of(source(file))) QTest::newRow(k.name.c_str()) << k;
}

Outcome outcome_of(compile::Compiler& compiler, const std::string& code, const Kernel& k, std::uint64_t seed) {
  Job job;
  job.code = code;
  job.language = candidate::Language::cuda;
  job.entry = k.name;
  job.grid = {k.grid, 1, 1};
  job.block = {k.block, 1, 1};
  job.seed = seed;
  job.budget = 2000000;
  for (const char* name : {"g", "h"}) {
    JobBuffer b;
    b.name = name;
    b.bytes = 4 * 4096;
    b.content = std::string(2 * 4 * 4096, '0');
    job.args.emplace_back().buffer = b;
  }
  Result<Outcome> o = run(job, &compiler);
  if (o) return *o;
  Outcome none;
  none.why = "refused: " + o.error().text();
  return none;
}

std::string told(const Outcome& o) {
  std::string text = std::string(enum_name(o.ending)) + ": " + o.why;
  for (const Finding& f : o.findings) text += "\n  " + f.check + ": " + f.message;
  return text;
}

}  // namespace

class SimRacesTest : public QObject {
  Q_OBJECT

  std::unique_ptr<compile::Compiler> compiler_;
  std::ofstream table_;
  static constexpr std::uint64_t seeds[] = {0, 1, 2, 3, 4, 5};

 private slots:
  void initTestCase() {
    auto opened = compile::Compiler::open();
    QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
    compiler_ = std::move(*opened);
    if (const char* file = std::getenv("WARPWRIGHT_RACES_TABLE")) table_.open(file);
    table_ << "| kernel | seeds at which it was named with both sides | how |\n|---|---|---|\n";
  }

  void racesAreNamedWithBothSides_data() { kernels_as_rows("racy.cu"); }
  void racesAreNamedWithBothSides() {
    QFETCH(Kernel, k);
    const std::string code = source("racy.cu");
    const std::set<int> racing = k.racing;
    int named = 0;
    std::string how, wrong;
    for (const std::uint64_t seed : seeds) {
      const Outcome o = outcome_of(*compiler_, code, k, seed);
      const auto race = std::ranges::find_if(o.findings, [&](const Finding& f) {
        return f.kind == FaultKind::race && f.other && !f.other->thread.empty() &&
               std::set<int>{f.site.line, f.other->line} == racing;
      });
      if (race == o.findings.end()) {
        wrong = "seed " + std::to_string(seed) + ": " + told(o);
        continue;
      }
      ++named;
      if (how.empty()) how = race->message;
    }
    table_ << "| " << k.name << " | " << named << " of " << std::size(seeds) << " | " << how << " |\n" << std::flush;
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  void cleanKernelsAreNotAccused_data() { kernels_as_rows("clean.cu"); }
  void cleanKernelsAreNotAccused() {
    QFETCH(Kernel, k);
    const std::string code = source("clean.cu");
    std::string wrong;
    for (const std::uint64_t seed : seeds)
      if (const Outcome o = outcome_of(*compiler_, code, k, seed); o.ending != Ending::passed)
        wrong = "seed " + std::to_string(seed) + ": " + told(o);
    table_ << "| " << k.name << " | clean | " << (wrong.empty() ? "no report" : wrong) << " |\n" << std::flush;
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
};

QTEST_GUILESS_MAIN(SimRacesTest)
#include "races_test.moc"
