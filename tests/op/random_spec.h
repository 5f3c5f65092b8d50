// SPDX-License-Identifier: Apache-2.0
// Random valid specs, for properties that every spec has. Sizes are small; every subscript is in range.
#pragma once
#include <random>
#include <string>
#include <vector>

namespace ww::test {

class RandomSpec {
 public:
  explicit RandomSpec(unsigned seed) : random_(seed) {}

  std::string text() {
    std::string out = pick(3) ? "" : "//@ family: random\n";
    out += "op random(x: f32[N, M], w: " + std::string(pick(2) ? "f32" : "f16") +
           "[M], k: i32[N] in 0..M, b: bool[N], s: f32; eps = 1e-5, two = 2, half = 1 / two) -> y: f32[N, M]";
    const bool second = pick(2);
    if (second) out += ", z: i64[N]";
    out += "\n  default N = " + std::to_string(2 + pick(4)) + ", M = " + std::to_string(1 + pick(5)) + "\n{\n";
    indices_ = {"i"};
    out += "  t[i in 0..N] = " + reduction("j", "M", 3) + "\n";
    has_t_ = true;
    if (second) out += "  z[i] = " + integer(3) + "\n";
    indices_ = {"i", "j"};
    out += "  y[i, j] = " + real(5) + "\n}\n";
    return out;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool has(const std::string& index) const {
    for (const std::string& i : indices_)
      if (i == index) return true;
    return false;
  }

  std::string reduction(const std::string& index, const std::string& extent, int depth) {
    static const char* const ops[] = {"sum", "prod", "max", "min"};
    std::string out = std::string(ops[pick(4)]) + "(" + index;
    const int form = pick(4);
    if (form == 1) out += " in 0.." + extent;
    if (form == 2) out += " in " + std::to_string(pick(2)) + ".." + extent;
    if (form == 3) out += " in 0.." + extent + " : " + index + " % 2 == 0";
    indices_.push_back(index);
    out += ") " + std::string(form == 0 ? direct(index) + " * " : "") + "(" + real(depth - 1) + ")";
    indices_.pop_back();
    return out;
  }

  // An element that gives `index` its range.
  std::string direct(const std::string& index) {
    return index == "j" || index == "q" ? "w[" + index + "]" : "x[" + index + ", 0]";
  }

  std::string real(int depth) {
    if (depth <= 0 || pick(6) == 0) {
      switch (pick(8)) {
        case 0: return "s";
        case 1: return "eps";
        case 2: return "1.5";
        case 3: return "-2.25e-3";
        case 4: return has("i") && has_t_ ? "t[i]" : "half";
        case 5: return has("j") ? "w[j]" : "pi";
        case 6: return has("i") ? "x[i, k[i]]" : "0.5";
        default: return has("i") && has("j") ? "x[i, j]" : "s";
      }
    }
    switch (pick(14)) {
      case 0: return real(depth - 1) + " + " + real(depth - 1);
      case 1: return real(depth - 1) + " - (" + real(depth - 1) + ")";
      case 2: return "(" + real(depth - 1) + ") * (" + real(depth - 1) + ")";
      case 3: return "(" + real(depth - 1) + ") / (1 + abs(" + real(depth - 1) + "))";
      case 4: return "-(" + real(depth - 1) + ")";
      case 5: return "(" + real(depth - 1) + ")^2";
      case 6: return "tanh(" + real(depth - 1) + ")";
      case 7: return "max(" + real(depth - 1) + ", " + real(depth - 1) + ")";
      case 8: return "if(" + condition(depth - 1) + ", " + real(depth - 1) + ", " + real(depth - 1) + ")";
      case 9: return has("j") && has("i") ? "pad(x[i + 1, j - 1], " + real(depth - 2) + ")" : "pad(w[two], 0)";
      case 10: return "f32(" + integer(depth - 1) + ")";
      case 11: return has("q") ? "w[q]" : "(" + reduction("q", "M", depth) + ")";
      case 12: return "sin(" + real(depth - 1) + ") * 2";
      default: return has("i") && !has("j") ? "exp(-abs(" + real(depth - 1) + "))" : "f16(" + real(depth - 1) + ")";
    }
  }

  std::string integer(int depth) {
    if (depth <= 0 || pick(4) == 0) {
      switch (pick(5)) {
        case 0: return has("i") ? "i" : "two";
        case 1: return has("j") ? "j" : "3";
        case 2: return has("i") ? "k[i]" : "N";
        case 3: return "M";
        default: return std::to_string(pick(9));
      }
    }
    switch (pick(7)) {
      case 0: return integer(depth - 1) + " + " + integer(depth - 1);
      case 1: return "(" + integer(depth - 1) + ") * (" + integer(depth - 1) + ")";
      case 2: return "(" + integer(depth - 1) + " - 7) / 3";
      case 3: return "(" + integer(depth - 1) + " - 7) % 5";
      case 4: return "min(" + integer(depth - 1) + ", " + integer(depth - 1) + ")";
      case 5: return has("q") ? "q" : "(argmax(q) w[q])";
      default: return "i32(floor(" + real(depth - 2) + "))";
    }
  }

  std::string condition(int depth) {
    switch (pick(6)) {
      case 0: return has("i") ? "b[i]" : "true";
      case 1: return integer(depth - 1) + " < " + integer(depth - 1);
      case 2: return real(depth - 1) + " >= " + real(depth - 1);
      case 3: return "!(" + condition(depth - 1) + ")";
      case 4: return "(" + condition(depth - 1) + ") && " + condition(0);
      default: return has("q") ? "q == 0" : "(any(q) (w[q] > 0))";
    }
  }

  std::mt19937 random_;
  std::vector<std::string> indices_;
  bool has_t_ = false;
};

}  // namespace ww::test
