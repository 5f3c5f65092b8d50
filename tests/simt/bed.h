// SPDX-License-Identifier: Apache-2.0
// A test bed: one program, one memory, typed buffers, and launches that must succeed or must fault.
#pragma once
#include <QtTest>
#include <cstring>
#include <string>
#include <vector>
#include "base/files.h"
#include "simt/simt.h"

namespace ww::simt::test {

inline std::string fixture(const std::string& name) {
  const auto text = read_file(std::string(WW_SOURCE_DIR) + "/tests/simt/fixtures/" + name);
  return text ? *text : std::string();
}

class Bed {
 public:
  explicit Bed(const std::string& ptx) {
    auto loaded = load(ptx);
    if (loaded)
      program = *loaded;
    else
      error = loaded.error().text();
  }
  template <class T>
  std::uint64_t put(const std::vector<T>& values, const std::string& name = "buffer") {
    const std::uint64_t at = *memory.allocate(values.size() * sizeof(T), name);
    (void)memory.write(at, values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T>
  std::uint64_t room(std::size_t n, const std::string& name = "out") {
    return *memory.allocate(n * sizeof(T), name);
  }
  template <class T>
  std::vector<T> get(std::uint64_t at, std::size_t n) const {
    std::vector<T> values(n);
    (void)memory.read(at, values.data(), n * sizeof(T));
    return values;
  }
  // Arguments: pointers as std::uint64_t, other integers as int, numbers as double.
  template <class... A>
  Result<LaunchReport> launch(const char* kernel, Dim3 grid, Dim3 block, const A&... args) {
    const KernelInfo* k = program ? program->kernel(kernel) : nullptr;
    if (k == nullptr) return fail(Code::not_found, std::string("no kernel ") + kernel + " " + error);
    Arguments list(*k);
    (add(list, args), ...);
    auto bytes = list.bytes();
    if (!bytes) return fail(bytes.error());
    return simt::launch(*program, kernel, {grid, block, dynamic_shared, *bytes}, memory, options);
  }
  // "" when the launch went well, else what went wrong.
  template <class... A>
  std::string run(const char* kernel, Dim3 grid, Dim3 block, const A&... args) {
    auto r = launch(kernel, grid, block, args...);
    if (!r) return r.error().text();
    report = std::move(*r);
    return report.fault ? report.fault->message : "";
  }

  std::shared_ptr<const Program> program;
  Memory memory;
  LaunchOptions options;
  LaunchReport report;
  std::size_t dynamic_shared = 0;
  std::string error;

 private:
  static void add(Arguments& list, std::uint64_t p) { list.add_pointer(p); }
  static void add(Arguments& list, int v) { list.add_i64(v); }
  static void add(Arguments& list, double v) { list.add_f64(v); }
  static void add(Arguments& list, const std::vector<std::byte>& v) { list.add_bytes(v); }
};

// Of an expression that is "" when all is well, else what is wrong.
#define GOOD(expression) QCOMPARE(QString::fromStdString(expression), QString())

// Deterministic numbers: splitmix64.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int between(int lo, int hi) { return lo + static_cast<int>(next() % static_cast<std::uint64_t>(hi - lo + 1)); }
  float real(float lo, float hi) { return lo + (hi - lo) * static_cast<float>(next() >> 40) * 0x1p-24f; }
  std::vector<float> reals(std::size_t n, float lo, float hi) {
    std::vector<float> v(n);
    for (float& x : v) x = real(lo, hi);
    return v;
  }
  std::vector<int> ints(std::size_t n, int lo, int hi) {
    std::vector<int> v(n);
    for (int& x : v) x = between(lo, hi);
    return v;
  }

 private:
  std::uint64_t state_;
};

}  // namespace ww::simt::test
