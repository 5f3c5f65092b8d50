// SPDX-License-Identifier: GPL-3.0-or-later
// Steppers in tests: subjects from the library of ops, and what presses their buttons.
#pragma once
#include <QToolButton>
#include "base/files.h"
#include "op/sentence/phrasebook.h"
#include "panels/stepper/stepper_panel.h"
#include "widgets/panel_fixture.h"

namespace ww::test {

// Its first tile is stored with bank conflicts.
inline constexpr const char* conflicting =
    "//@ candidate square_matmul\n"
    "//@ launch product grid(ceildiv(N, 16), ceildiv(N, 16)) block(16, 16) args(a, b, y, N)\n"
    "extern \"C\" __global__ void product(const float* a, const float* b, float* y, int N) {\n"
    "  __shared__ float as[16][16], bs[16][16];\n"
    "  const int tx = threadIdx.x, ty = threadIdx.y;\n"
    "  const int j = blockIdx.x * 16 + tx, i = blockIdx.y * 16 + ty;\n"
    "  float sum = 0;\n"
    "  for (int k0 = 0; k0 < N; k0 += 16) {\n"
    "    as[tx][ty] = i < N && k0 + tx < N ? a[i * N + k0 + tx] : 0.0f;\n"
    "    bs[ty][tx] = j < N && k0 + ty < N ? b[(k0 + ty) * N + j] : 0.0f;\n"
    "    __syncthreads();\n"
    "    for (int k = 0; k < 16; ++k) sum += as[k][ty] * bs[k][tx];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (i < N && j < N) y[i * N + j] = sum;\n"
    "}\n";
inline constexpr const char* racy =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(64) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  __shared__ float part[64];\n"
    "  const int t = threadIdx.x;\n"
    "  float s = 0;\n"
    "  for (int c = t; c < C; c += 64) s += x[blockIdx.x * C + c];\n"
    "  part[t] = s;\n"
    "  part[63 - t] += s;\n"
    "  __syncthreads();\n"
    "  if (t == 0) y[blockIdx.x] = part[0];\n"
    "}\n";
inline constexpr const char* wide =
    "//@ candidate relu\n"
    "//@ launch relu grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void relu(const float4* x, float4* y, int C) {\n"
    "  const int i = blockIdx.x * (C / 4) + threadIdx.x;\n"
    "  const float4 v = x[i];\n"
    "  y[i] = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));\n"
    "}\n";

class SteppedPanels {
 public:
  bool load() {
    auto library = op::Library::load(resources_dir() / "ops");
    if (library) library_ = std::move(*library);
    return library && widgets::Theme::instance().apply("light");
  }
  stepping::SteppedLaunch subject(const char* text, const std::string& sizes) {
    stepping::SteppedLaunch s;
    s.candidate = text;
    const op::LibraryOp* const op = library_->find(candidate::named_op(text));
    s.spec = read_file(op->file).value();
    s.binding = stepping::sizes_of(sizes, op->spec).value();
    return s;
  }
  static bool settled(widgets::StepSession* session) {
    return QTest::qWaitFor([&] { return !session->busy() && session->at(); }, 120000);
  }
  static bool settled(widgets::StepperPanel* panel) { return settled(panel->session()); }
  bool opened(widgets::StepperPanel* panel, const char* text, const std::string& sizes,
              const widgets::StepStart& start = {}) {
    panel->step_through(subject(text, sizes), start, "A kernel");
    return settled(panel);
  }
  // One that has been opened on this kernel.
  widgets::StepperPanel* stepper(PanelFixture& f, const char* text, const std::string& sizes,
                                 const widgets::StepStart& start = {}) {
    auto* panel = f.show(new widgets::StepperPanel(f.context));
    if (!opened(panel, text, sizes, start)) qFatal("no steps of %s", text);
    return panel;
  }
  static void press(PanelFixture& f, widgets::StepperPanel* panel, const char* name) {
    f.child<QToolButton>(name)->click();
    QVERIFY(settled(panel));
  }
  static std::int64_t position(widgets::StepperPanel* panel) { return panel->session()->at()->position; }

 private:
  std::optional<op::Library> library_;
};

}  // namespace ww::test
