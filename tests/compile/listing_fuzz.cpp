// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any text as what NVIDIA's tools print (two listings of nvdisasm, the assembler's log), and as CUDA text
// before it is compiled. A NUL byte divides the listings.
#include "compile/resources.h"
#include "compile/sass.h"
#include "compile/screen.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::compile;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    using namespace std::string_literals;
    return fuzz::Seeds{
        "\t.target\tsm_90\n.text.soft:\n\t//## File \"/tmp/x/candidate.cu\", line 10\n"
        "\t//## File \".nv_debug_ptx_txt\", line 21\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
        "\t//## File \"/x/cg.h\", line 509 inlined at \"/tmp/x/candidate.cu\", line 13\n.L_x_4:\n"
        "        /*0020*/               @P0 BRA `(.L_x_4) ;\n\0"s
        ".text.soft:                       // |       |        |\n"
        "        /*0000*/        LDC R1 ;  // |   5   |   1    |\n"s,
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Function properties for k\n"
        "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
        "ptxas info    : Used 24 registers, used 1 barriers, 352 bytes cmem[0], 1024 bytes smem\nptxas warning : w\n"s,
        "#include <cuda_fp16.h>\n#define A(x) x##y\n#if defined(A) && B > 2\n#pragma unroll 4\n#endif\n"
        "_Pragma(\"once\") __TIME\\\n__ ??/ R\"(x)\"\n"s};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::view(data, size);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const Sass sass = read_sass(text.substr(0, cut), text.substr(std::min(cut + 1, size)));
  std::size_t lines = 0;
  for (const char c : sass.text) lines += c == '\n';
  fuzz::require(lines == sass.rows.size());
  for (const SassRow& r : sass.rows)
    fuzz::require(r.function < sass.functions.size() && r.line >= 0 && r.ptx_line >= 0 && r.live >= 0);
  (void)read_assembler_log(text);
  (void)screen(text, [](const std::string& name) { return name == "cuda_fp16.h"; });
  return 0;
}
