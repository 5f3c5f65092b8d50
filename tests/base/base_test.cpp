// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <sys/stat.h>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fstream>
#include <pwd.h>
#include <stop_token>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "base/architecture.h"
#include "base/dtype.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/fresh_file.h"
#include "base/gpu_here.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/pause.h"
#include "base/recognisable.h"
#include "base/secret.h"
#include "base/program.h"
#include "base/source.h"
#include "base/url_text.h"
#include "base/visible.h"
#include "support/text_rows.h"

using namespace ww;
namespace fs = std::filesystem;

class BaseTest : public QObject {
  Q_OBJECT
 private slots:
  void halfConversionsRoundTrip() {
    for (std::uint32_t b = 0; b < 65536; ++b) {
      const auto bits = static_cast<std::uint16_t>(b);
      if (!std::isnan(f16_to_f64(bits))) QCOMPARE(f64_to_f16(f16_to_f64(bits)), bits);
      if (!std::isnan(bf16_to_f64(bits))) QCOMPARE(f64_to_bf16(bf16_to_f64(bits)), bits);
    }
  }
  void gpusAreThereByTheirDeviceFiles() {
    const QTemporaryDir devices;
    const fs::path folder = devices.path().toStdString();
    const QByteArray before = qgetenv("CUDA_VISIBLE_DEVICES");
    const bool was_set = qEnvironmentVariableIsSet("CUDA_VISIBLE_DEVICES");
    qunsetenv("CUDA_VISIBLE_DEVICES");
    QVERIFY(!gpu_here(folder));
    QVERIFY(!gpu_here(folder / "missing"));
    QVERIFY(write_file_atomic(folder / "nvidiactl", ""));
    QVERIFY(gpu_here(folder));
    for (const char* const hidden : {"", "-1"}) {
      qputenv("CUDA_VISIBLE_DEVICES", hidden);
      QVERIFY(!gpu_here(folder));
    }
    qputenv("CUDA_VISIBLE_DEVICES", "1");
    QVERIFY(gpu_here(folder));
    if (was_set)
      qputenv("CUDA_VISIBLE_DEVICES", before);
    else
      qunsetenv("CUDA_VISIBLE_DEVICES");
  }
  void halfRounding() {
    QCOMPARE(f16_to_f64(f64_to_f16(65519.0)), 65504.0);    // below the midpoint to the next, unrepresentable, value
    QVERIFY(std::isinf(f16_to_f64(f64_to_f16(65520.0))));  // the midpoint goes to even, which is infinity
    QCOMPARE(round_to(DType::f16, 2049.0), 2048.0);        // tie to even
    QCOMPARE(round_to(DType::f16, 2051.0), 2052.0);
    QCOMPARE(round_to(DType::f16, std::ldexp(1.0, -25)), 0.0);  // tie to even below the smallest subnormal
    QCOMPARE(round_to(DType::bf16, 1.0 + std::ldexp(3.0, -8)), 1.0 + std::ldexp(1.0, -6));
    QVERIFY(std::isnan(f16_to_f64(f64_to_f16(NAN))));
  }
  // OCP 8-bit Floating Point Specification 1.0, tables 1 and 2; what is too large is kept at the largest.
  void eightBitReals() {
    for (const DType d : {DType::e4m3, DType::e5m2}) {
      for (int b = 0; b < 256; ++b) {
        const double v = fp8_to_f64(d, static_cast<std::uint8_t>(b));
        if (std::isfinite(v)) QCOMPARE(f64_to_fp8(d, v), static_cast<std::uint8_t>(b));
      }
      QVERIFY(std::isnan(fp8_to_f64(d, f64_to_fp8(d, NAN))));
      QCOMPARE(round_to(d, INFINITY), largest_finite(d));
      QCOMPARE(round_to(d, -1e9), -largest_finite(d));
      QVERIFY(std::isnan(fp8_to_f64(d, 0xff)));
    }
    const auto e4m3 = [](int bits) { return fp8_to_f64(DType::e4m3, static_cast<std::uint8_t>(bits)); };
    const auto e5m2 = [](int bits) { return fp8_to_f64(DType::e5m2, static_cast<std::uint8_t>(bits)); };
    QCOMPARE(e4m3(0x7e), 448.0);
    QCOMPARE(e4m3(0x08), std::ldexp(1.0, -6));
    QCOMPARE(e4m3(0x81), -std::ldexp(1.0, -9));
    QCOMPARE(e5m2(0x7b), 57344.0);
    QCOMPARE(e5m2(0x04), std::ldexp(1.0, -14));
    QCOMPARE(e5m2(0x01), std::ldexp(1.0, -16));
    QCOMPARE(e5m2(0xfc), -INFINITY);
    QCOMPARE(round_to(DType::e4m3, 17.0), 16.0);  // ties to even
    QCOMPARE(round_to(DType::e4m3, 19.0), 20.0);
    QCOMPARE(round_to(DType::e5m2, 9.0), 8.0);
    QCOMPARE(ulp_distance(DType::e4m3, 1.0, 1.125), std::uint64_t{1});
  }
  void ulps() {
    QCOMPARE(ulp_distance(DType::f32, 1.0, std::nextafter(1.0f, 2.0f)), std::uint64_t{1});
    QCOMPARE(ulp_distance(DType::f16, 1.0, 1.0009765625), std::uint64_t{1});
    QCOMPARE(ulp_distance(DType::f32, -0.0, 0.0), std::uint64_t{0});
    QCOMPARE(ulp_distance(DType::f32, std::nextafter(0.0f, 1.0f), -std::nextafter(0.0f, 1.0f)), std::uint64_t{2});
    QCOMPARE(ulp_distance(DType::f32, NAN, 1.0), UINT64_MAX);
  }
  void integersSaturate() {
    std::uint8_t b[8];
    store_f64(DType::i8, b, 1e9);
    QCOMPARE(load_i64(DType::i8, b), std::int64_t{127});
    store_f64(DType::u64, b, 1e30);
    QCOMPARE(load_i64(DType::u64, b), std::int64_t{-1});  // all bits
    QCOMPARE(load_f64(DType::u64, b), 0x1p64);
    store_f64(DType::u64, b, -3.0);
    QCOMPARE(load_i64(DType::u64, b), std::int64_t{0});
    store_f64(DType::u8, b, -3.0);
    QCOMPARE(load_i64(DType::u8, b), std::int64_t{0});
  }
  void aLockExcludes() {
    const auto file = std::filesystem::temp_directory_path() / ("ww_lock_" + std::to_string(::getpid())) / "lock";
    QVERIFY(!FileLock::held(file));
    {
      auto first = FileLock::take(file);
      QVERIFY(first && FileLock::held(file));
      QCOMPARE(FileLock::take(file).error().code, Code::unavailable);
      std::atomic<bool> held{false};
      std::thread second([&] {
        const auto lock = FileLock::wait(file);
        held = lock.has_value();
      });
      QVERIFY(!held);
      *first = FileLock();
      second.join();
      QVERIFY(held);
    }
    QVERIFY(!FileLock::held(file) && FileLock::take(file));
    QCOMPARE(FileLock::take("/proc/none/lock").error().code, Code::io);
    std::filesystem::remove_all(file.parent_path());
  }
  void hashes() {
    // BLAKE2b-256 of the empty string, RFC 7693's function with a 32-byte digest.
    QCOMPARE(hash_hex(""), std::string("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"));
    QVERIFY(Hasher().field("ab").field("c").hex() != Hasher().field("a").field("bc").hex());
  }
  void caret() {
    const std::string text = "first\n  second line\n";
    const Diagnostic d = diagnostic_at(text, {8, 14}, "no such thing", "try another");
    QCOMPARE(d.place.line, 2);
    QCOMPARE(d.place.column, 3);
    QCOMPARE(render(d, text, "a.op"),
             std::string("a.op:2:3: error: no such thing\n    second line\n    ^~~~~~\n  hint: try another\n"));
    QCOMPARE(diagnostic_at(text, {99, 120}, "past the end").place.line, 3);
    QVERIFY(!render(diagnostic_at("", {0, 0}, "empty"), "").empty());
  }
  void parallelVisitsEachOnce() {
    std::vector<std::atomic<int>> seen(1001);
    parallel_for(1001, 7, 0, [&](std::size_t b, std::size_t e, int) {
      for (; b < e; ++b) ++seen[b];
    });
    for (auto& s : seen) QCOMPARE(s.load(), 1);
  }
  void parallelLoopsNestAndOverlap() {
    std::vector<std::atomic<int>> seen(8 * 100);
    const auto outer = [&](std::size_t base) {
      parallel_for(4, 1, 3, [&, base](std::size_t b, std::size_t e, int worker) {
        QVERIFY(worker < 3);
        for (; b < e; ++b)
          parallel_for(100, 3, 4, [&, b](std::size_t from, std::size_t to, int) {
            for (; from < to; ++from) ++seen[(base + b) * 100 + from];
          });
      });
    };
    std::thread other([&] { outer(4); });
    outer(0);
    other.join();
    for (auto& s : seen) QCOMPARE(s.load(), 1);
  }
  void parallelStopsWhenCancelled() {
    std::stop_source source;
    std::atomic<int> calls{0};
    parallel_for(
        1000, 1, 1,
        [&](std::size_t, std::size_t, int) {
          if (++calls == 3) source.request_stop();
        },
        source.get_token());
    QCOMPARE(calls.load(), 3);
  }
  void aPauseIsSignalled() {
    PauseSwitch pause;
    QVERIFY(!PauseToken().paused() && !pause.token().paused());
    std::vector<bool> seen;
    {
      const PauseCallback callback(pause.token(), [&] { seen.push_back(pause.paused()); });
      const PauseCallback never({}, [&] { seen.clear(); });
      pause.pause();
      pause.pause();  // as it was: nothing has changed
      std::jthread([&] { pause.resume(); }).join();
      QCOMPARE(seen, (std::vector<bool>{true, false}));
    }
    pause.pause();
    QVERIFY(pause.token().paused());
    QCOMPARE(seen.size(), std::size_t{2});
  }
  void filesAreReplacedWhole() {
    QTemporaryDir dir;
    const auto path = std::filesystem::path(dir.path().toStdString()) / "deep/er/file.txt";
    QVERIFY(write_file_atomic(path, "one").has_value());
    QVERIFY(write_file_atomic(path, "two").has_value());
    QCOMPARE(read_file(path).value(), std::string("two"));
    QVERIFY(!read_file(path, 2).has_value());
    QCOMPARE(read_file(dir.path().toStdString()).error().code, Code::io);
  }
  void aWorkspacesDatabaseIsNotReplaced() {
    QTemporaryDir dir;
    const auto database = std::filesystem::path(dir.path().toStdString()) / "workspace.sqlite";
    QVERIFY(!write_file_atomic(database, "text"));
    QVERIFY(!std::filesystem::exists(database));
  }
  void whatIsNoPlainFileIsNotReplaced() {
    QTemporaryDir dir;
    const fs::path folder = dir.path().toStdString(), pipe = folder / "pipe", link = folder / "link",
                   dangling = folder / "dangling", file = folder / "file";
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink("/dev/null", link);
    fs::create_symlink("nowhere", dangling);
    fs::create_directory(folder / "folder");
    for (const fs::path& path : {pipe, link, folder / "folder", fs::path("/dev/full")}) {
      const Status written = write_file_atomic(path, "text");
      QVERIFY2(!written && written.error().message.find("is not a regular file") != std::string::npos, path.c_str());
    }
    QVERIFY(fs::is_fifo(pipe) && fs::is_symlink(link) && fs::is_character_file("/dev/full"));
    for (const fs::path& path : {file, file, dangling}) QVERIFY(write_file_atomic(path, "text"));
    QVERIFY(fs::is_regular_file(fs::symlink_status(dangling)) && *read_file(file) == "text");
  }

  void whatKilledProgramsLeftIsRemoved() {
    QTemporaryDir dir;
    const auto folder = std::filesystem::path(dir.path().toStdString());
    const std::filesystem::path path = folder / "file", own = folder / "file.tmp0123456789abcdef",
                                journal = own.string() + "-journal";
    const auto another = folder / "other.tmp0123456789abcdef", longer = folder / "file.tmp0123456789abcdef0";
    for (const auto& p : {own, journal, another, longer}) std::ofstream(p) << "left";
    std::filesystem::create_symlink("/nowhere", folder / "file.tmpfedcba9876543210");
    const auto in_use = FreshFile::beside(path);
    QVERIFY(in_use && !std::filesystem::exists(own) && !std::filesystem::exists(journal));
    QVERIFY(std::filesystem::exists(another) && std::filesystem::exists(longer));
    QVERIFY(std::filesystem::is_symlink(folder / "file.tmpfedcba9876543210"));
    QVERIFY(write_file_atomic(path, "text") && std::filesystem::exists(in_use->path()));  // it is held
  }
  void programsRunToTheirEnd() {
    const auto said = run_program("/bin/sh", {"-c", "echo out; echo errors >&2; exit 3"});
    QVERIFY2(said.has_value(), said ? "" : said.error().text().c_str());
    QCOMPARE(said->out, std::string("out\n"));
    QCOMPARE(said->errors, std::string("errors\n"));
    QCOMPARE(said->status, 3);
    qputenv("WARPWRIGHT_PLANTED", "secret");
    const auto environment = run_program("/usr/bin/env", {});
    QVERIFY(environment && environment->out.find("secret") == std::string::npos &&
            environment->out.find("LANG=C") != std::string::npos);
    QCOMPARE(run_program("/no/such/program", {}).error().code, Code::unavailable);
  }
  void programsAreEndedInTime() {
    std::stop_source source;
    source.request_stop();
    QCOMPARE(run_program("/bin/sh", {"-c", "read x < /dev/zero"}, {}, source.get_token()).error().code,
             Code::cancelled);
    ProgramLimits limits;
    limits.deadline = std::chrono::milliseconds(30);
    QCOMPARE(run_program("/bin/sh", {"-c", "while :; do :; done"}, limits).error().code, Code::timeout);
    limits.deadline = std::chrono::milliseconds(20000);
    limits.output = 1000;
    QCOMPARE(run_program("/bin/sh", {"-c", "while :; do echo more; done"}, limits).error().code, Code::io);
    QCOMPARE(run_program("/bin/sh", {"-c", "kill -SEGV $$"}).error().code, Code::crashed);
  }
  void architecturesAreReadByName() {
    QCOMPARE(read_architecture("sm_80")->capability, 80);
    QCOMPARE(read_architecture("sm_80")->suffix, '\0');
    QCOMPARE(read_architecture("sm_90a")->capability, 90);
    QCOMPARE(read_architecture("sm_90a")->suffix, 'a');
    QVERIFY(!read_architecture("sm_80a") && !read_architecture("sm_90f"));
    QCOMPARE(read_architecture("sm_120f")->capability, 120);
    for (const char* other :
         {"", "sm_", "sm_9", "sm_9a", "sm_90b", "sm_90aa", "sm_1000", "compute_90", "90", "sm_-1", "sm_9 0"})
      QVERIFY2(!read_architecture(other), other);
  }
  void hostileTextIsVisible_data() {
    support::text_rows<QByteArray>({"given", "text", "json"},
                                   {{"plain", "a\tb\nÄ µ 漢 😀", "a\tb\nÄ µ 漢 😀", "a\tb\nÄ µ 漢 😀"},
                                    {"escape", "\x1b[2J\r\x07", "\\u{1b}[2J\\u{d}\\u{7}", "\\u001b[2J\\u000d\\u0007"},
                                    {"delete and C1",
                                     "\x7f\xc2\x9b"
                                     "2J\xc2\x80",
                                     "\\u{7f}\\u{9b}2J\\u{80}", "\\u007f\\u009b2J\\u0080"},
                                    {"bidirectional", "a\u202eb\u2066c\u200ed\u061c",
                                     "a\\u{202e}b\\u{2066}c\\u{200e}d\\u{61c}", "a\\u202eb\\u2066c\\u200ed\\u061c"},
                                    {"invisible", "\u200b\ufeff\u00ad\u2028", "\\u{200b}\\u{feff}\\u{ad}\\u{2028}",
                                     "\\u200b\\ufeff\\u00ad\\u2028"},
                                    {"tags", "\U000E0041", "\\u{e0041}", "\\udb40\\udc41"},
                                    {"not UTF-8",
                                     "\xff\xc2"
                                     "a\xe2\x80",
                                     "\\x{ff}\\x{c2}a\\x{e2}\\x{80}", "\\ufffd\\ufffda\\ufffd\\ufffd"},
                                    {"longer than needed", "\xc0\xaf\xed\xa0\x80",
                                     "\\x{c0}\\x{af}\\x{ed}\\x{a0}\\x{80}", "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"}});
  }
  void hostileTextIsVisible() {
    QFETCH(QByteArray, given);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, json);
    QCOMPARE(QByteArray::fromStdString(visible(given.toStdString())), text);
    QCOMPARE(QByteArray::fromStdString(visible(given.toStdString(), Escapes::json)), json);
  }
  void whatIsLoggedIsOneLine() {  // whatever it quotes
    QTemporaryFile file;
    QVERIFY(file.open());
    std::fflush(stderr);
    const int kept = ::dup(STDERR_FILENO);
    QVERIFY(::dup2(file.handle(), STDERR_FILENO) >= 0);
    log::error(std::string_view("a\0b\x1b[2J\x07\u202e\u009b\xff\nforged\ttail", 26));
    log::say("said\nforged \u2067\r");
    log::warn(std::string(100000, 'x'));
    std::fflush(stderr);
    ::dup2(kept, STDERR_FILENO);
    ::close(kept);
    QVERIFY(file.seek(0));
    const QList<QByteArray> lines = file.readAll().split('\n');
    QCOMPARE(lines.size(), 4);  // the last one is empty
    QVERIFY2(lines[0].endsWith("[error] a\\u{0}b\\u{1b}[2J\\u{7}\\u{202e}\\u{9b}\\x{ff}\\nforged\\ttail"),
             lines[0].constData());
    QCOMPARE(lines[1], QByteArray("said\\nforged \\u{2067}\\u{d}"));
    QVERIFY(lines[2].size() < 5000);
  }
  void privateFoldersAreNotShared() {
    QTemporaryDir dir;
    const fs::path below = dir.path().toStdString(), usual = private_folder(below);
    QCOMPARE(usual.parent_path(), below);
    QCOMPARE(fs::status(usual).permissions(), fs::perms::owner_all);
    QCOMPARE(private_folder(below), usual);  // it is kept
    fs::permissions(usual, fs::perms::all);
    const fs::path other = private_folder(below);
    QVERIFY(other != usual && fs::is_directory(other));
    QCOMPARE(fs::status(other).permissions(), fs::perms::owner_all);
    fs::remove(usual);
    fs::create_directory_symlink(other, usual);
    QVERIFY(private_folder(below) != usual);
    fs::remove(usual);
    std::ofstream(usual) << "a file";
    QVERIFY(private_folder(below) != usual);
  }
  void foldersOfTheUserWithoutVariables() {
    const auto without = [](const char* name, auto&& body) {
      const QByteArray before = qgetenv(name);
      qunsetenv(name);
      body();
      if (!before.isNull()) qputenv(name, before);
    };
    without("HOME", [&] {
      without("XDG_CONFIG_HOME", [&] {
        without("WARPWRIGHT_CONFIG", [&] {
          const fs::path folder = config_dir();
          QVERIFY(folder.is_absolute());
          const passwd* user = ::getpwuid(::geteuid());
          if (user && fs::is_directory(user->pw_dir)) QCOMPARE(folder, fs::path(user->pw_dir) / ".config/warpwright");
          qputenv("XDG_CONFIG_HOME", "relative");  // not one that depends on where the program is started
          QCOMPARE(config_dir(), folder);
          qputenv("XDG_CONFIG_HOME", "/elsewhere");
          QCOMPARE(config_dir(), fs::path("/elsewhere/warpwright"));
          qunsetenv("XDG_CONFIG_HOME");
        });
      });
    });
  }
  void secretsDoNotShow() {
    QCOMPARE(Secret("sk-planted-0123456789").hint(), std::string("sk-… (21 characters)"));
    QCOMPARE(Secret("sk-planted").hint(), std::string("(10 characters)"));
    QCOMPARE(Secret().hint(), std::string("none"));
    QVERIFY(Secret().empty() && Secret("").empty() && Secret("").reveal().empty());
    const std::string text = "a sk-planted-0123456789 b sk-planted-0123456789-long c short7 d";
    {
      const Secret key("sk-planted-0123456789"), longer("sk-planted-0123456789-long"), small("short7");
      const Secret copy = key;
      QCOMPARE(copy.reveal(), std::string_view("sk-planted-0123456789"));
      QCOMPARE(redact(text), std::string("a [key] b [key] c [key] d"));
      QCOMPARE(redact_broken(text), redact(text));
      for (const char* piece :
           {"k-planted-0123456789-long", "sk-planted-0123456789-lon", "planted-0123", "anted-012345678"})
        QCOMPARE(redact("x" + std::string(piece) + "\n"), std::string("x[key]\n"));
      QCOMPARE(redact("sk-planted-01\n23456789-long"), std::string("[key]\n[key]"));
      QCOMPARE(redact("sk-planted-"), std::string("sk-planted-"));  // too short to tell
      QCOMPARE(redact(""), std::string());
    }
    QCOMPARE(redact(text), text);  // they are gone
  }
  void shortSecretsAreFoundWhereTheyStandAlone() {
    const Secret key("sk-1234"), least("a1b"), word("none"), count("1234"), two("k1");
    QCOMPARE(redact("Bearer sk-1234, \"a1b\""), std::string("Bearer [key], \"[key]\""));
    QCOMPARE(redact("task-1234 sk-12345 xa1b a1b_"), std::string("task-1234 sk-12345 xa1b a1b_"));
    QCOMPARE(redact("{\"state\": \"none\", \"tokens\": 1234, \"k\": \"k1\"}"),
             std::string("{\"state\": \"none\", \"tokens\": 1234, \"k\": \"k1\"}"));
    QVERIFY(is_redacted("sk-1234") && !is_redacted("none") && !is_redacted("1234") && is_redacted("12345678"));
    QVERIFY(is_recognisable("hdr-1") && !is_recognisable("kernels") && !is_recognisable("2024-10-21"));
  }
  void secretsAreFoundAsTheyAreWritten() {
    const Secret key("sk-\"quo\\te\t/+1"), small("a\"b/1");
    const std::string in_json = "{\"error\": \"no sk-\\\"quo\\\\te\\t/+1 here\", \"k\": \"a\\\"b/1\"}",
                      found = "{\"error\": \"no [key] here\", \"k\": \"[key]\"}";
    QCOMPARE(redact(in_json), found);
    const std::string in_url = "GET /v1?key=sk-%22quo%5Cte%09%2F%2B1&k=a%22b%2F1", plain = "it is sk-\"quo\\te\t/+1.";
    QCOMPARE(redact(in_url), std::string("GET /v1?key=[key]&k=[key]"));
    QCOMPARE(redact(plain), std::string("it is [key]."));
  }
  void secretsAreFoundAtAnyDepth() {
    const Secret key("sk-\"quo\\te-KEY99/\xc3\xa9"), small("a\"b/1"), hex("ab0123456789");
    const auto in_json = [](const std::string& text) {
      std::string out;
      for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
      }
      return out;
    };
    const auto in_url = [](const std::string& text) {
      std::string out;
      for (const char c : text) append_in_url(out, c);
      return out;
    };
    std::string json = "{\"no\": \"sk-\"quo\\te-KEY99/\xc3\xa9\", \"k\": \"a\"b/1\"}", url = json;
    std::string found = "{\"no\": \"[key]\", \"k\": \"[key]\"}";
    for (int depth = 0; depth < 5; ++depth) {
      QCOMPARE(redact(json), found);
      QVERIFY2(redact(url).find("KEY99") == std::string::npos, url.c_str());
      QVERIFY2(redact(in_url(json)).find("KEY99") == std::string::npos, json.c_str());
      json = in_json(json);
      found = in_json(found);
      url = in_url(url);
    }
    for (const char* written :
         {"sk-\\u0022quo\\u005cte-KEY99\\/\\u00E9", "\\u0073k-\\\\u0022quo\\\\\\\\te\\\\u002dKEY99/\xc3\xa9",
          "sk-%22quo%5cte-KEY99%2f%c3%a9", "sk-%2522quo%255Cte-KEY99%252F%25C3%25A9",
          "sk-%5c%22quo%5C%5Cte-KEY99/%c3%a9"})
      QCOMPARE(redact("x " + std::string(written) + " y"), std::string("x [key] y"));
    QCOMPARE(redact("100%ab0123456789, \\u1, %, %4, \\"), std::string("100%[key], \\u1, %, %4, \\"));
    QCOMPARE(redact("\\ud83d\\ude00 \\ud83d \\n 50%25 of C:\\dir"),
             std::string("\\ud83d\\ude00 \\ud83d \\n 50%25 of C:\\dir"));
    QCOMPARE(redact_broken("why: sk-\\\\\\\"quo\\\\"), std::string("why: [key]"));
  }
  // A text that is decoded to its end holds such a key no more.
  void secretsThatHoldEscapesAreFound_data() {
    support::text_rows({"key"}, {{"percent", "sk-Ab%41cdEf9hIjK2"},
                                 {"slash", "sk-Ab%2FcdEf9hIjK2"},
                                 {"unicode", "sk-Ab\\u0041cdEf9hIjK2"},
                                 {"line", "sk-Ab\\ncdEf9hIjK2"},
                                 {"backslashes", "sk-Ab\\\\cdEf9hIjK2"},
                                 {"short", "a%41"}});
  }
  void secretsThatHoldEscapesAreFound() {
    QFETCH(QString, key);
    const std::string text = key.toStdString();
    const Secret secret(text);
    std::string units, bytes;
    for (const char c : text) {
      char one[8];
      std::snprintf(one, sizeof one, "\\u%04x", static_cast<unsigned>(c));
      units += one;
      std::snprintf(one, sizeof one, "%%%02X", static_cast<unsigned>(c));
      bytes += one;
    }
    const auto in_string = [](const std::string& plain) {
      std::string out;
      for (const char c : plain) out += c == '\\' ? std::string("\\\\") : std::string(1, c);
      return out;
    };
    for (const std::string& written : {text, units, bytes, in_string(units), in_string(text)})
      QCOMPARE(redact("x " + written + " y " + written + " z"), std::string("x [key] y [key] z"));
    if (text.size() > 8) QCOMPARE(redact_broken("why: " + units.substr(0, 60)), std::string("why: [key]"));
    QCOMPARE(redact("\\u0041 %41 \\n"), std::string("\\u0041 %41 \\n"));
  }
  void secretsAreNotDumped() {
    const Secret key("sk-planted-0123456789");
    const auto at = reinterpret_cast<std::uintptr_t>(key.reveal().data());
    std::ifstream maps("/proc/self/smaps");
    bool inside = false, found = false;
    for (std::string line; std::getline(maps, line);) {
      std::uintptr_t from = 0, to = 0;
      char permissions[5] = "";
      if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, permissions) == 3) {
        inside = from <= at && at < to;
        if (inside) QCOMPARE(std::string(permissions), std::string("r--p"));
      } else if (inside && line.compare(0, 8, "VmFlags:") == 0) {
        found = true;
        QVERIFY2(line.find(" dd") != line.npos, line.c_str());  // MADV_DONTDUMP
      }
    }
    QVERIFY(found);
  }
  void crashWithoutCore() {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit wanted{RLIM_INFINITY, RLIM_INFINITY};
      setrlimit(RLIMIT_CORE, &wanted);
      forbid_dumps();
      rlimit now{1, 1};
      getrlimit(RLIMIT_CORE, &now);
      if (now.rlim_cur != 0 || now.rlim_max != 0 || prctl(PR_GET_DUMPABLE) != 0) _exit(1);
      std::signal(SIGABRT, SIG_DFL);
      std::abort();
    }
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(WTERMSIG(status), SIGABRT);
    QVERIFY(!WCOREDUMP(status));
  }
};

QTEST_GUILESS_MAIN(BaseTest)
#include "base_test.moc"
