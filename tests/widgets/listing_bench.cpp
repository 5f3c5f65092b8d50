// SPDX-License-Identifier: GPL-3.0-or-later
// A listing of 200 000 rows of SASS: from what nvdisasm prints to the first paint, then search, folds and scrolling,
// with the memory that it takes.
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QScrollBar>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>
#include "compile/sass.h"
#include "parts/editor/listing_view.h"
#include "parts/theme/theme.h"

using namespace ww;
using namespace ww::widgets;

namespace {

double resident_mib() {
  QFile status("/proc/self/status");
  if (!status.open(QIODevice::ReadOnly)) return 0;
  for (QByteArray line : status.readAll().split('\n'))
    if (line.startsWith("VmRSS:")) return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
  return 0;
}

// A listing as nvdisasm prints it, made of one of its real functions: 4000 instructions a function.
void listings(int rows, std::string* lines, std::string* registers) {
  const char* const code[] = {"IMAD.MOV.U32 R9, RZ, RZ, R11 ;", "LDG.E R9, desc[UR6][R8.64] ;",
                              "IADD3 R3, R3, -0x1, RZ ;",       "ISETP.NE.AND P0, PT, R3, RZ, PT ;",
                              "FMNMX R0, R9, R0, !PT ;",        "HMMA.16816.F32 R4, R20, R26, R4 ;",
                              "STS.128 [R17+0x400], R4 ;",      "BAR.SYNC.DEFER_BLOCKING 0x0 ;"};
  char text[256];
  for (int i = 0; i < rows; ++i) {
    if (i % 4000 == 0) {
      std::snprintf(text, sizeof text, ".text.kernel_%d:\n", i / 4000);
      *lines += text;
      *registers += text;
    }
    if (i % 40 == 0) {
      std::snprintf(text, sizeof text, ".L_x_%d:\n", i / 40);
      *lines += text;
    }
    if (i % 3 == 0) {
      std::snprintf(text, sizeof text,
                    "\t//## File \"/tmp/candidate.cu\", line %d\n\t//## File \".nv_debug_ptx_txt\", line %d\n",
                    10 + i / 3 % 200, 20 + i % 4000);
      *lines += text;
    }
    std::snprintf(text, sizeof text, "        /*%04x*/              %s %s", i % 4000 * 16, i % 7 == 0 ? "@P0" : "   ",
                  code[i % 8]);
    *lines += text;
    *lines += '\n';
    std::snprintf(text + 100, sizeof text - 100, " // | %3d   |   1    |        |\n", 20 + i % 90);
    registers->append(text, std::min(std::size_t{100}, std::char_traits<char>::length(text)));
    *registers += text + 100;
  }
}

template <class F>
double ms(F work) {
  QElapsedTimer timer;
  timer.start();
  work();
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

double processor_ms() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}  // of this process: what others do on the machine is not in it

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  Theme::instance().apply("light");
  std::string lines, registers;
  listings(200000, &lines, &registers);
  ListingView view;
  view.resize(900, 800);
  view.show();
  QApplication::processEvents();
  const double before = resident_mib(), began = processor_ms();
  compile::Sass sass;
  const double parse = ms([&] { sass = compile::read_sass(lines, registers); });
  std::shared_ptr<const Listing> listing;
  const double index = ms([&] { listing = listing_of_sass(std::move(sass)); });
  const double open = ms([&] {
    view.set_listing(listing);
    view.viewport()->repaint();
  });
  const double processor = processor_ms() - began;
  std::printf("rows                                     %10d\n", listing->rows());
  std::printf("nvdisasm's text to rows (own thread)     %10.1f ms for %.1f MiB\n", parse,
              static_cast<double>(lines.size() + registers.size()) / 1048576);
  std::printf("rows to listing (own thread)             %10.1f ms\n", index);
  std::printf("listing to first paint (GUI thread)      %10.1f ms\n", open);
  std::printf("opening, all of it                       %10.1f ms, of the processor %.1f ms\n", parse + index + open,
              processor);
  std::printf("listing in memory                        %10.1f MiB; the process grew by %.1f MiB\n",
              static_cast<double>(listing->bytes()) / 1048576, resident_mib() - before);
  std::printf("count a frequent word / one of 5 / none  %10.1f ms, %.1f ms, %.1f ms\n",
              ms([&] { view.mark_all({"r9"}); }), ms([&] { view.mark_all({"kernel_1"}); }),
              ms([&] { view.mark_all({"no such"}); }));
  view.mark_all({});
  std::printf("find the last label from the first row   %10.1f ms\n",
              ms([&] { view.find({".l_x_4999"}, true, true); }));
  std::printf("fold by functions / blocks / lines       %10.1f ms, %.1f ms, %.1f ms\n",
              ms([&] { view.fold_all(FoldBy::functions); }), ms([&] { view.fold_all(FoldBy::blocks); }),
              ms([&] { view.fold_all(FoldBy::lines); }));
  view.unfold_all();
  std::printf("mark the rows of a source line           %10.1f ms\n",
              ms([&] { view.set_linked(listing->rows_of_line(60)); }));
  view.mark_all({"r9"});
  std::vector<double> frames;
  QScrollBar* const bar = view.verticalScrollBar();
  for (int i = 0; i < 1000; ++i)
    frames.push_back(ms([&] {
      bar->setValue(static_cast<int>(static_cast<std::int64_t>(bar->maximum()) * i / 1000));
      view.viewport()->repaint();
    }));
  std::sort(frames.begin(), frames.end());
  std::printf(
      "a scroll step with its paint             %10.2f ms median, %.2f ms longest of 1000 (900x800, a word marked)\n",
      frames[500], frames.back());
  return 0;
}
