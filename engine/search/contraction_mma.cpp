// SPDX-License-Identifier: Apache-2.0
// Products of f16 and bf16 matrices on the matrix units of sm_80 and later: mma.sync with f32 sums, fed by a pipeline
// of asynchronous copies. PTX ISA 9.0: cp.async (9.7.9.25), mma.sync and ldmatrix (9.7.14).
#include <fmt/format.h>
#include <algorithm>
#include "search/contraction_tile.h"
#include "search/families.h"
#include "search/terms.h"

namespace ww::search {

namespace {

constexpr const char* copy_helpers = R"(
// A block's results, and the tiles of the operands that they need at a time, one stage of STAGES in shared memory:
//
//                      BLOCK_N
//                  +------------+
//          BLOCK_K |   right    |
//          BLOCK_K +------+-----+
//          +-----+ |warp 0|  1  |
//  BLOCK_M |left | +------+-----+  each warp WARP_M x WARP_N results, in pieces of 16 x 8 that one instruction
//          |     | |warp 2|  3  |  adds to, in steps of 16 along k
//          +-----+ +------+-----+
//
// cp.async: 16 bytes from global to shared memory, without a register between. Where `inside` is false nothing is
// read, and zeros are written.
__device__ void block_copy_16(unsigned to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(__cvta_generic_to_global(from)),
               "r"(inside ? 16 : 0) : "memory");
}

// Byte offset of a chunk of 16 bytes (8 elements) in a tile whose lines have CHUNKS of them. 32 banks are 8 chunks:
// exclusive-or with the line's number puts the same chunk of 8 neighbouring lines into 8 different places, so that
// neither the copies, which go along a line, nor ldmatrix, which goes across 8, meet a bank twice.
//             place 0  1  2  3  4  5  6  7
//   line 0    chunk 0  1  2  3  4  5  6  7
//   line 1    chunk 1  0  3  2  5  4  7  6
//   line 2    chunk 2  3  0  1  6  7  4  5     (8 chunks a line; with 4, two lines share the banks)
template <int CHUNKS>
__device__ int block_chunk(int line, int chunk) {
  constexpr int LINES = CHUNKS < 8 ? 8 / CHUNKS : 1, PLACES = CHUNKS < 8 ? CHUNKS : 8;
  return (line * CHUNKS + (chunk ^ (line / LINES % PLACES))) * 16;
}

// Starts the copies of a tile of LINES x WIDTH elements, whose first is (line0, along0) of a matrix.
template <int LINES, int WIDTH, int THREADS, class Element>
__device__ void block_copy_tile(unsigned to, const Element* matrix, SIZE stride, SIZE line0, SIZE along0, SIZE lines,
                                SIZE length) {
  constexpr int CHUNKS = WIDTH / 8, LINES_A_STEP = THREADS / CHUNKS;
  static_assert(THREADS % CHUNKS == 0 && LINES % LINES_A_STEP == 0);
  const int line = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS;
  const bool inside = along0 + chunk * 8 < length;
  const Element* from = &matrix[(line0 + line) * stride + along0 + chunk * 8];
#pragma unroll
  for (int step = 0; step < LINES / LINES_A_STEP; ++step, from += LINES_A_STEP * stride)
    block_copy_16(to + block_chunk<CHUNKS>(line + step * LINES_A_STEP, chunk), from,
                  inside && line0 + line + step * LINES_A_STEP < lines);
}
)";

constexpr const char* load_helpers = R"(
// ldmatrix: four 8 x 8 matrices; lane i gives the address of line i % 8 of matrix i / 8, and receives elements
// (i / 4, i % 4 * 2) and the one after it of each, or with .trans those of the transposed matrices.
__device__ void warp_load(unsigned (&m)[4], unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(at) : "memory");
}
__device__ void warp_load_transposed(unsigned (&m)[4], unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(at) : "memory");
}
)";

constexpr const char* multiply_helper = R"(
// mma.m16n8k16: adds the product of a 16 x 16 and a 16 x 8 matrix, spread over the lanes of a warp, to a 16 x 8
// matrix of f32. Lane i holds sums (i / 4, i % 4 * 2), the one after it, and the same two 8 rows further down.
__device__ void warp_multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.TYPE.TYPE.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
)";

enum class Mma : std::uint8_t { pipelined };

class MmaLowering : ContractionTile {
 public:
  MmaLowering(Source& source, const Group& group, const std::set<std::string>& kept, Kernel& kernel)
      : ContractionTile(source, group, kept, kernel) {}

  void run(Mma) {
    choose_tiles();
    require_alignment(8);
    helpers();
    constants();
    declare();
    copies();
    loads();
    pipeline();
    results();
  }

 private:
  void choose_tiles() {
    bm_ = tune("BLOCK_M", {128, 256, 64}, {64, 128});
    bn_ = tune("BLOCK_N", {256, 128, 64}, {64, 128});
    bk_ = tune("BLOCK_K", {64, 32}, {32, 64});
    wm_ = tune("WARP_M", {64, 32}, {32, 64});
    wn_ = tune("WARP_N", {64, 32}, {32, 64});
    stages_ = source_.tune("STAGES", {3, 4});
    source_.require(fmt::format("{} % {} == 0 && {} % {} == 0", bm_, wm_, bn_, wn_));
    // The sums take at most half of the registers of a multiprocessor, and of those that one thread may have.
    source_.require(fmt::format("{} / {} * ({} / {}) <= 8 && {} * {} <= 4096", bm_, wm_, bn_, wn_, wm_, wn_));
    const std::string shared = fmt::format("{} * ({} + {}) * {} * 2", stages_, bm_, bn_, bk_);
    source_.require(shared + " <= 232448");
    launch(bm_, bn_, fmt::format("{} / {} * ({} / {}) * 32", bm_, wm_, bn_, wn_), shared);
  }

  void helpers() {
    const DType dtype = product_.left.dtype;
    source_.include(dtype == DType::f16 ? "cuda_fp16.h" : "cuda_bf16.h");
    source_.helper("block_copy_tile", replaced_all(copy_helpers + 1, "SIZE", source_.index_type()));
    source_.helper("warp_load", load_helpers + 1);
    source_.helper("warp_multiply_add",
                   replaced_all(multiply_helper + 1, "TYPE", dtype == DType::f16 ? "f16" : "bf16"));
  }

  void constants() {
    warps_n_ = k_.fresh("WARPS_N");
    threads_ = k_.fresh("THREADS");
    tiles_m_ = k_.fresh("TILES_M");
    tiles_n_ = k_.fresh("TILES_N");
    steps_ = k_.fresh("STEPS");
    left_bytes_ = k_.fresh("LEFT_BYTES");
    stage_bytes_ = k_.fresh("STAGE_BYTES");
    k_.line(fmt::format("constexpr int {} = {} / {}, {} = {} / {} * {} * 32;", warps_n_, bn_, wn_, threads_, bm_, wm_,
                        warps_n_));
    k_.line(fmt::format("constexpr int {} = {} / 16, {} = {} / 8, {} = {} / 16;  // instructions along m, n, k",
                        tiles_m_, wm_, tiles_n_, wn_, steps_, bk_));
    k_.line(fmt::format("constexpr int {} = {} * {} * 2, {} = {} + {} * {} * 2;", left_bytes_, bm_, bk_, stage_bytes_,
                        left_bytes_, bn_, bk_));
  }

  void declare() {
    name_operand(product_.left, "left");
    name_operand(product_.right, "right");
    memory_ = k_.fresh("stages");
    shared_ = k_.fresh("shared");
    lane_ = k_.fresh("lane");
    warp_row_ = k_.fresh("row_of_warp");
    warp_column_ = k_.fresh("column_of_warp");
    sums_ = k_.fresh("sums");
    left_ = k_.fresh("left_parts");
    right_ = k_.fresh("right_parts");
    copy_ = k_.fresh("copy");
    load_ = k_.fresh("load");
    k0_ = k_.fresh("k0");
    stage_ = k_.fresh("stage");
    step_ = k_.fresh("step");
    buffer_ = k_.fresh("buffer");
    to_ = k_.fresh("to");
    from_ = k_.fresh("from");
    k_.line(fmt::format("extern __shared__ __align__(128) unsigned char {}[];", memory_));
    k_.line(fmt::format("const unsigned {} = (unsigned)__cvta_generic_to_shared({});", shared_, memory_));
    k_.line(fmt::format("const int {} = threadIdx.x % 32;", lane_));
    k_.line(fmt::format("const int {} = threadIdx.x / 32 / {} * {};", warp_row_, warps_n_, wm_));
    k_.line(fmt::format("const int {} = threadIdx.x / 32 % {} * {};", warp_column_, warps_n_, wn_));
    k_.line(fmt::format("float {}[{}][{}][4] = {{}};", sums_, tiles_m_, tiles_n_));
    k_.line(fmt::format("unsigned {}[2][{}][4], {}[2][{} / 2][4];  // of one step, and of the next", left_, tiles_m_,
                        right_, tiles_n_));
  }

  void copies() {
    const std::string t = source_.index_type();
    const auto tile = [&](const MatrixOperand& o, const std::string& rows, const std::string& row0,
                          const std::string& size, const std::string& to) {
      const auto& [pointer, stride] = named_.at(&o);
      if (o.along_k)
        k_.line(fmt::format("block_copy_tile<{}, {}, {}>({}, {}, {}, {}, {}, {}, {});", rows, bk_, threads_, to,
                            pointer, stride, row0, k0_, size, k_size_));
      else
        k_.line(fmt::format("block_copy_tile<{}, {}, {}>({}, {}, {}, {}, {}, {}, {});", bk_, rows, threads_, to,
                            pointer, stride, k0_, row0, k_size_, size));
    };
    k_.comment(
        "Both operands' tiles from k0 on: a line in shared memory is a line in global memory. Beyond the last "
        "term they are zeros, which add nothing.");
    k_.open(fmt::format("const auto {} = [&]({} {}, int {}) {{", copy_, t, k0_, stage_));
    k_.line(fmt::format("const unsigned {} = {} + {} * {};", to_, shared_, stage_, stage_bytes_));
    tile(product_.left, bm_, m0_, m_size_, to_);
    tile(product_.right, bn_, n0_, n_size_, fmt::format("{} + {}", to_, left_bytes_));
    k_.line("asm volatile(\"cp.async.commit_group;\" ::: \"memory\");");
    k_.close(";");
  }

  // The four matrices of one ldmatrix, in the order in which mma wants them: of the left operand (m, k), (m + 8, k),
  // (m, k + 8), (m + 8, k + 8); of the right (n, k), (n, k + 8), (n + 8, k), (n + 8, k + 8), two instructions' worth.
  void loads() {
    const auto part = [&](const MatrixOperand& o, const std::string& to, const std::string& own,
                          const std::string& rows, const std::string& from) {
      // Matrices 0 and 1 follow one another along the lines where line = lane % 16.
      const bool left = &o == &product_.left;
      const bool lines_first = left == o.along_k;
      const std::string line =
                            lines_first ? fmt::format("{} % 16", lane_) : fmt::format("{0} % 8 + {0} / 16 * 8", lane_),
                        chunk = lines_first ? fmt::format("{} / 16", lane_) : fmt::format("{} / 8 % 2", lane_);
      k_.line("#pragma unroll");
      const std::string i = left ? "mi" : "nj";
      k_.line(fmt::format("for (int {0} = 0; {0} < {1}; ++{0})", i, left ? tiles_m_ : tiles_n_ + " / 2"));
      k_.line(fmt::format("  {}({}[{}][{}],", o.along_k ? "warp_load" : "warp_load_transposed", to, buffer_, i));
      k_.line(fmt::format("      {} + block_chunk<{} / 8>(", from, o.along_k ? bk_ : rows));
      if (o.along_k)
        k_.line(fmt::format("          {} + {} * 16 + {}, {} * 2 + {}));", own, i, line, step_, chunk));
      else
        k_.line(fmt::format("          {} * 16 + {}, ({} + {} * 16) / 8 + {}));", step_, line, own, i, chunk));
    };
    k_.comment("What the warp's instructions of one step along k need, from shared memory to registers.");
    k_.open(fmt::format("const auto {} = [&](int {}, int {}, int {}) {{", load_, buffer_, stage_, step_));
    k_.line(fmt::format("const unsigned {} = {} + {} * {};", from_, shared_, stage_, stage_bytes_));
    part(product_.left, left_, warp_row_, bm_, from_);
    part(product_.right, right_, warp_column_, bn_, from_ + " + " + left_bytes_);
    k_.close(";");
  }

  void pipeline() {
    const std::string t = source_.index_type(),
                      wait = fmt::format("asm volatile(\"cp.async.wait_group %0;\" ::\"n\"({} - 2) : \"memory\");",
                                         stages_);
    k_.comment("The pipeline: while one stage is multiplied, the next ones are on their way.");
    k_.line("#pragma unroll");
    k_.line(fmt::format("for (int {0} = 0; {0} < {1} - 1; ++{0}) {2}({0} * {3}, {0});", stage_, stages_, copy_, bk_));
    k_.line(wait);
    k_.barrier();
    k_.line(fmt::format("{}(0, 0, 0);", load_));
    const std::string read = k_.fresh("read"), write = k_.fresh("write");
    k_.line(fmt::format("int {} = 0, {} = {} - 1;", read, write, stages_));
    k_.open(fmt::format("for ({0} {1} = 0; {1} < {2}; {1} += {3}) {{", t, k0_, k_size_, bk_));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", step_, steps_));
    k_.open(fmt::format("if ({} + 1 == {}) {{", step_, steps_));
    k_.comment("The next stage has arrived, and every warp has read all of this one.");
    k_.line(wait);
    k_.barrier();
    k_.line(fmt::format("{0} = {0} + 1 == {1} ? 0 : {0} + 1;", read, stages_));
    k_.close();
    k_.line(fmt::format("{0}(({1} + 1) % 2, {2}, ({1} + 1) % {3});", load_, step_, read, steps_));
    k_.open(fmt::format("if ({} == 0) {{", step_));
    k_.line(fmt::format("{}({} + ({} - 1) * {}, {});", copy_, k0_, stages_, bk_, write));
    k_.line(fmt::format("{0} = {0} + 1 == {1} ? 0 : {0} + 1;", write, stages_));
    k_.close();
    k_.line("#pragma unroll");
    k_.line(fmt::format("for (int mi = 0; mi < {}; ++mi)", tiles_m_));
    k_.line("#pragma unroll");
    k_.line(fmt::format("  for (int nj = 0; nj < {}; ++nj)", tiles_n_));
    k_.line(fmt::format("    warp_multiply_add({0}[mi][nj], {1}[{3} % 2][mi], {2}[{3} % 2][nj / 2][nj % 2 * 2],", sums_,
                        left_, right_, step_));
    k_.line(fmt::format("                      {}[{} % 2][nj / 2][nj % 2 * 2 + 1]);", right_, step_));
    k_.close();
    k_.close();
    k_.line("asm volatile(\"cp.async.wait_all;\" ::: \"memory\");");
    k_.barrier();
  }

  // A lane's sums lie two by two: through shared memory they become rows, so that lanes store neighbours.
  void results() {
    const std::string width = k_.fresh("ROW"), rows = k_.fresh("rows"), lanes = std::to_string(this->width());
    k_.comment(
        "16 rows of the warp's sums at a time go through shared memory, so that its lanes store neighbours. Rows "
        "are 8 further apart than they are long: 4 of them then cover all banks.");
    k_.line(fmt::format("constexpr int {} = {} + 8;", width, wn_));
    k_.line(fmt::format("float* const {} = reinterpret_cast<float*>({}) + threadIdx.x / 32 * 16 * {};", rows, memory_,
                        width));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int mi = 0; mi < {}; ++mi) {{", tiles_m_));
    k_.line("#pragma unroll");
    k_.open(fmt::format("for (int nj = 0; nj < {}; ++nj) {{", tiles_n_));
    k_.line(fmt::format("float* const {} = &{}[{} / 4 * {} + nj * 8 + {} % 4 * 2];", to_, rows, lane_, width, lane_));
    k_.line(fmt::format("*reinterpret_cast<float2*>({1}) = make_float2({0}[mi][nj][0], {0}[mi][nj][1]);", sums_, to_));
    k_.line(fmt::format("*reinterpret_cast<float2*>({2} + 8 * {1}) = make_float2({0}[mi][nj][2], {0}[mi][nj][3]);",
                        sums_, width, to_));
    k_.close();
    k_.line("__syncwarp();");
    k_.line("#pragma unroll 2");
    const std::string at = k_.fresh_inside("at");
    k_.open(fmt::format("for (int {0} = {1} * {2}; {0} < 16 * {3}; {0} += 32 * {2}) {{", at, lane_, lanes, wn_));
    const std::string row = k_.fresh("row"), column = k_.fresh("column"), part = k_.fresh("part");
    k_.line(fmt::format("const int {0} = {2} / {3}, {1} = {2} % {3};", row, column, at, wn_));
    if (this->width() > 1)
      k_.line(fmt::format("const {0} {1} = *reinterpret_cast<const {0}*>(&{2}[{3} * {4} + {5}]);",
                          source_.pack(DType::f32, lanes), part, rows, row, width, column));
    else
      k_.line(fmt::format("const float {} = {}[{} * {} + {}];", part, rows, row, width, column));
    finish(fmt::format("{} + {} + mi * 16 + {}", m0_, warp_row_, row),
           fmt::format("{} + {} + {}", n0_, warp_column_, column),
           [&](const std::string& lane) { return this->width() > 1 ? fmt::format("{}.v[{}]", part, lane) : part; });
    k_.close();
    k_.line("__syncwarp();");
    k_.close();
  }

  std::string bm_, bn_, bk_, wm_, wn_, stages_;
  std::string warps_n_, threads_, tiles_m_, tiles_n_, steps_, left_bytes_, stage_bytes_;
  std::string memory_, shared_, lane_, warp_row_, warp_column_, sums_, left_, right_, copy_, load_, k0_, stage_, step_,
      buffer_, to_, from_;
};

}  // namespace

std::vector<Variant> mma_variants(const Program& program, const Group& group) {
  const auto product = matrix_product(program, group);
  if (!product || product->left.dtype != product->right.dtype ||
      (product->left.dtype != DType::f16 && product->left.dtype != DType::bf16) || !aligned(program, *product, 8))
    return {};
  return {variant_by<MmaLowering>(
      "contraction-mma", "Matrix units (mma.sync), a pipeline of asynchronous copies",
      "The matrix units multiply: each warp computes WARP_M x WARP_N of a block's BLOCK_M x BLOCK_N results by "
      "mma.sync, with f32 sums. Tiles of both operands come to shared memory by cp.async, STAGES - 1 of them ahead, "
      "and "
      "from there to registers by ldmatrix, one step ahead. Needs sm_80, and rows whose lengths are multiples of 16 "
      "bytes.",
      Mma::pipelined)};
}

}  // namespace ww::search
