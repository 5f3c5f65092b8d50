// SPDX-License-Identifier: Apache-2.0
// Products of f32 matrices without matrix units: large blocks, large register tiles, vectors throughout, the next tiles
// on their way while the present ones are multiplied.
#include <fmt/format.h>
#include <algorithm>
#include "search/contraction_tile.h"
#include "search/families.h"
#include "search/terms.h"

namespace ww::search {

namespace {

// A tile whose lines lie along its own side: [k][own] in global memory as in shared.
constexpr const char* copy_helper = R"(
// cp.async (PTX ISA 9.0, 9.7.9.25): starts the copies of a tile of LINES x WIDTH elements, whose first is (line0,
// along0) of a matrix, 16 bytes each; zeros outside of the matrix.
template <int LINES, int WIDTH, int THREADS>
__device__ void block_copy_lines(float* to, const float* matrix, SIZE stride, SIZE line0, SIZE along0, SIZE lines,
                                 SIZE length) {
#pragma unroll
  for (int step = 0; step < (LINES * WIDTH / 4 + THREADS - 1) / THREADS; ++step) {
    const int at = step * THREADS + threadIdx.x, line = at / (WIDTH / 4), along = at % (WIDTH / 4) * 4;
    if (LINES * WIDTH / 4 % THREADS != 0 && line >= LINES) break;
    const bool inside = line0 + line < lines && along0 + along < length;
    const float* const from = inside ? &matrix[(line0 + line) * stride + along0 + along] : matrix;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(&to[line * WIDTH + along])),
                 "l"(__cvta_generic_to_global(from)), "r"(inside ? 16 : 0) : "memory");
  }
}
)";

// A tile whose lines lie along k: it is turned on the way, through registers.
constexpr const char* turn_helpers = R"(
// Reads a tile of LINES x WIDTH elements, whose first is (line0, along0) of a matrix, as vectors along k.
template <int LINES, int WIDTH, int THREADS>
__device__ void block_read_lines(float4 (&held)[(LINES * WIDTH / 4 + THREADS - 1) / THREADS], const float* matrix,
                                 SIZE stride, SIZE line0, SIZE along0, SIZE lines, SIZE length) {
#pragma unroll
  for (int step = 0; step < (LINES * WIDTH / 4 + THREADS - 1) / THREADS; ++step) {
    const int at = step * THREADS + threadIdx.x, line = at / (WIDTH / 4), along = at % (WIDTH / 4) * 4;
    held[step] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (line < LINES && line0 + line < lines && along0 + along < length)
      held[step] = *reinterpret_cast<const float4*>(&matrix[(line0 + line) * stride + along0 + along]);
  }
}

// Where the element of line `line` stands among those of step k of a turned tile. A warp turns 32 vectors, WIDTH / 4
// from each of its lines: exclusive-or with the vector's number sends them to 32 banks, and leaves fours together.
//   WIDTH = 16, vector   0            1            2            3
//   lines 0 to 7 at      0 to 7       8 to 15      16 to 23     24 to 31
//   lines 8 to 15 at     8 to 15      0 to 7       24 to 31     16 to 23
template <int WIDTH>
__device__ int block_turned(int line, int k) {
  return line ^ (k / 4 * (128 / WIDTH));
}

template <int LINES, int WIDTH, int THREADS>
__device__ void block_write_turned(float* to, const float4 (&held)[(LINES * WIDTH / 4 + THREADS - 1) / THREADS]) {
#pragma unroll
  for (int step = 0; step < (LINES * WIDTH / 4 + THREADS - 1) / THREADS; ++step) {
    const int at = step * THREADS + threadIdx.x, line = at / (WIDTH / 4), k = at % (WIDTH / 4) * 4;
    if (line >= LINES) break;
    float* const column = &to[k * LINES + block_turned<WIDTH>(line, k)];
    column[0] = held[step].x;
    column[LINES] = held[step].y;
    column[2 * LINES] = held[step].z;
    column[3 * LINES] = held[step].w;
  }
}
)";

enum class Wide : std::uint8_t { double_buffered };

class WideLowering : ContractionTile {
 public:
  WideLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : ContractionTile(source, group, kept, kernel) {}

  void run(Wide) {
    choose_tiles();
    require_alignment(4);
    declare();
    define_copies();
    walk();
    results();
  }

 private:
  void choose_tiles() {
    bm_ = tune("BLOCK_M", {256, 128, 64}, {64, 128});
    bn_ = tune("BLOCK_N", {128, 256, 64}, {64, 128});
    bk_ = source_.tune("BLOCK_K", {16, 8});
    tm_ = tune("THREAD_M", {8, 16}, {8, 4});
    tn_ = tune("THREAD_N", {16, 8}, {8, 4});
    source_.require(fmt::format("{} % (8 * {}) == 0 && {} % (4 * {}) == 0", bm_, tm_, bn_, tn_));
    // The sums take at most half of the registers.
    source_.require(fmt::format("{} / {} * ({} / {}) <= 256 && {} * {} <= 128", bm_, tm_, bn_, tn_, tm_, tn_));
    launch(bm_, bn_, fmt::format("{} / {} * ({} / {})", bm_, tm_, bn_, tn_),
           fmt::format("2 * ({} + {}) * {} * 4", bm_, bn_, bk_));
  }

  void declare() {
    name_operand(product_.left, "left");
    name_operand(product_.right, "right");
    threads_ = k_.fresh("THREADS");
    stage_elements_ = k_.fresh("STAGE_ELEMENTS");
    memory_ = k_.fresh("stages");
    my_row_ = k_.fresh("my_row");
    my_column_ = k_.fresh("my_column");
    sums_ = k_.fresh("sums");
    k0_ = k_.fresh("k0");
    stage_ = k_.fresh("stage");
    step_ = k_.fresh("step");
    group_of_4_ = k_.fresh("four");
    k_.line(fmt::format("constexpr int {} = {} / {} * ({} / {}), {} = ({} + {}) * {};", threads_, bm_, tm_, bn_, tn_,
                        stage_elements_, bm_, bn_, bk_));
    k_.line(fmt::format("extern __shared__ __align__(16) float {}[];", memory_));
    k_.comment(
        "A warp's lanes are 8 rows of 4. Each has THREAD_M x THREAD_N results in fours: rows my_row to my_row + "
        "3, and so on 32 further down; columns likewise 16 further right. Lanes that read the same four share "
        "one access, the others read other banks.");
    const std::string warp = k_.fresh("warp"), lane = k_.fresh("lane"), warps = k_.fresh("WARPS_N");
    k_.line(fmt::format("constexpr int {} = {} / (4 * {});", warps, bn_, tn_));
    k_.line(fmt::format("const int {} = threadIdx.x / 32, {} = threadIdx.x % 32;", warp, lane));
    k_.line(fmt::format("const int {} = {} / {} * (8 * {}) + {} / 4 * 4;", my_row_, warp, warps, tm_, lane));
    k_.line(fmt::format("const int {} = {} % {} * (4 * {}) + {} % 4 * 4;", my_column_, warp, warps, tn_, lane));
    k_.line(fmt::format("float {}[{}][{}] = {{}};", sums_, tm_, tn_));
  }

  struct Side {
    const MatrixOperand& operand;
    std::string rows, row0, size, held, offset;  // offset: of its tile in a stage
  };

  void define_copies() {
    left_ = k_.fresh("left_held");
    right_ = k_.fresh("right_held");
    for (const Side& s : {left(), right()}) {
      const std::string t = source_.index_type();
      if (s.operand.along_k) {
        source_.helper("block_read_lines", replaced_all(turn_helpers + 1, "SIZE", t));
        k_.line(fmt::format("float4 {}[({} * {} / 4 + {} - 1) / {}];", s.held, s.rows, bk_, threads_, threads_));
      } else {
        source_.helper("block_copy_lines", replaced_all(copy_helper + 1, "SIZE", t));
      }
    }
  }
  Side left() const { return {product_.left, bm_, m0_, m_size_, left_, "0"}; }
  Side right() const { return {product_.right, bn_, n0_, n_size_, right_, bm_ + " * " + bk_}; }
  std::string tile(const Side& s, const std::string& stage) const {  // where it begins
    const std::string first = stage == "0" ? "0" : fmt::format("{} * {}", stage, stage_elements_);
    return s.offset == "0" ? first : stage == "0" ? s.offset : first + " + " + s.offset;
  }

  // Beyond the last term tiles are zeros, which add nothing.
  void start(const std::string& k0, const std::string& stage) {
    for (const Side& s : {left(), right()}) {
      const auto& [pointer, stride] = named_.at(&s.operand);
      if (s.operand.along_k) {
        k_.line(fmt::format("block_read_lines<{}, {}, {}>({}, {}, {}, {}, {}, {}, {});", s.rows, bk_, threads_, s.held,
                            pointer, stride, s.row0, k0, s.size, k_size_));
      } else {
        k_.line(fmt::format("block_copy_lines<{}, {}, {}>(&{}[{}],", bk_, s.rows, threads_, memory_, tile(s, stage)));
        k_.line(fmt::format("    {}, {}, {}, {}, {}, {});", pointer, stride, k0, s.row0, k_size_, s.size));
      }
    }
  }
  void arrive(const std::string& stage) {
    bool asynchronous = false;
    for (const Side& s : {left(), right()}) {
      asynchronous = asynchronous || !s.operand.along_k;
      if (s.operand.along_k)
        k_.line(fmt::format("block_write_turned<{}, {}, {}>(&{}[{}], {});", s.rows, bk_, threads_, memory_,
                            tile(s, stage), s.held));
    }
    if (asynchronous) k_.line("asm volatile(\"cp.async.wait_all;\" ::: \"memory\");");
    k_.barrier();
  }

  // The last step of a stage waits for the next one, so that its first fours are there when its turn comes.
  void walk() {
    start("0", "0");
    arrive("0");
    k_.line(fmt::format("int {} = 0;", stage_));
    const std::string left_part = k_.fresh("left_part"), right_part = k_.fresh("right_part"), load = k_.fresh("load"),
                      buffer = k_.fresh("buffer");
    k_.line(fmt::format("__align__(16) float {}[2][{}], {}[2][{}];  // of one step, and of the next", left_part, tm_,
                        right_part, tn_));
    k_.open(fmt::format("const auto {} = [&](int {}, int {}) {{", load, buffer, step_));
    fours(left(), fmt::format("{}[{}]", left_part, buffer), tm_, my_row_, 32);
    fours(right(), fmt::format("{}[{}]", right_part, buffer), tn_, my_column_, 16);
    k_.close(";");
    k_.line(fmt::format("{}(0, 0);", load));
    k_.open(fmt::format("for ({0} {1} = 0; {1} < {2}; {1} += {3}) {{", source_.index_type(), k0_, k_size_, bk_));
    k_.comment("The next tiles come while these are multiplied.");
    start(k0_ + " + " + bk_, fmt::format("({} ^ 1)", stage_));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", step_, bk_));
    k_.open(fmt::format("if ({} + 1 == {}) {{", step_, bk_));
    k_.line(fmt::format("{} ^= 1;", stage_));
    arrive(stage_);
    k_.close();
    k_.line(fmt::format("{0}(({1} + 1) % 2, ({1} + 1) % {2});", load, step_, bk_));
    k_.line("#pragma unroll");
    k_.line(fmt::format("for (int mi = 0; mi < {}; ++mi)", tm_));
    k_.line("#pragma unroll");
    k_.line(fmt::format("  for (int nj = 0; nj < {}; ++nj)", tn_));
    k_.line(
        fmt::format("    {0}[mi][nj] += {1}[{3} % 2][mi] * {2}[{3} % 2][nj];", sums_, left_part, right_part, step_));
    k_.close();
    k_.close();
  }

  // A thread's part of one step of a tile, four by four.
  void fours(const Side& s, const std::string& to, const std::string& count, const std::string& first, int apart) {
    k_.line("#pragma unroll");
    k_.line(fmt::format("for (int {0} = 0; {0} < {1} / 4; ++{0})", group_of_4_, count));
    std::string place = fmt::format("{} + {} * {}", first, group_of_4_, apart);
    if (s.operand.along_k) place = fmt::format("block_turned<{}>({}, {})", bk_, place, step_);
    k_.line(fmt::format("  *reinterpret_cast<float4*>(&{}[{} * 4]) =", to, group_of_4_));
    k_.line(fmt::format("      *reinterpret_cast<const float4*>(&{}[{} + {} * {} +", memory_, tile(s, stage_), step_,
                        s.rows));
    k_.line(fmt::format("                                               {}]);", place));
  }

  void results() {
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int mi = 0; mi < {}; ++mi) {{", tm_));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int nj = 0; nj < {}; nj += {}) {{", tn_, width()));
    finish(fmt::format("{} + {} + mi / 4 * 32 + mi % 4", m0_, my_row_),
           fmt::format("{} + {} + nj / 4 * 16{}", n0_, my_column_, width() > 1 ? "" : " + nj % 4"),
           [&](const std::string& lane) {
             return width() > 1 ? fmt::format("{}[mi][nj + {}]", sums_, lane) : sums_ + "[mi][nj]";
           });
    k_.close();
    k_.close();
  }

  std::string bm_, bn_, bk_, tm_, tn_, threads_, stage_elements_, memory_, my_row_, my_column_, sums_, left_, right_;
  std::string k0_, stage_, step_, group_of_4_;
};

}  // namespace

std::vector<Variant> wide_variants(const Program& program, const Group& group) {
  const auto product = matrix_product(program, group);
  if (!product || product->left.dtype != DType::f32 || product->right.dtype != DType::f32 ||
      !aligned(program, *product, 4))
    return {};
  return {variant_by<WideLowering>(
      "contraction-wide", "Large tiles in registers, vector loads, the next tiles on their way",
      "Each thread computes THREAD_M x THREAD_N results of a block's BLOCK_M x BLOCK_N. All loads are vectors of 16 "
      "bytes; tiles that lie along the sum are turned on the way to shared memory, so that the multiplying loop reads "
      "fours of neighbours without a bank conflict; two stages alternate, so that loads overlap with arithmetic. Needs "
      "rows whose lengths are multiples of 16 bytes.",
      Wide::double_buffered)};
}

}  // namespace ww::search
