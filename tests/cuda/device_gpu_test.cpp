// SPDX-License-Identifier: Apache-2.0
// The CUDA device on hardware. What takes the context with it runs in a process of its own: this program with "--fault
// KERNEL".
#include <QProcess>
#include <QtTest>
#include <chrono>
#include <cstdio>
#include <thread>
#include <unistd.h>
#include "cuda/internal.h"
#include "cuda/resident.h"
#include "cuda/device_kernels.h"
#include "gate/compare.h"
#include "op/parse.h"
#include "support/gpu.h"
#include "support/planned.h"

using namespace ww;

namespace {

using device::Access;
using testing::launch_of, testing::real, testing::tensor, testing::whole;

Result<compile::Output> compiled(compile::Compiler& compiler, const std::string& architecture) {
  compile::Request request;
  request.code = device_test_kernels;
  request.architecture = architecture;
  return compiler.compile(request);
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& v) {
  return std::as_bytes(std::span(v));
}
template <class T>
std::span<std::byte> room_in(std::vector<T>& v) {
  return std::as_writable_bytes(std::span(v));
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// One failing launch; prints "RESULT kind|usable before|usable after|message of the next call|message".
int run_fault(const std::string& kernel) {
  const auto device = cuda::open("cuda:0");
  auto compiler = testing::open_compiler();
  if (!device || !compiler) return 2;
  const auto output = compiled(**compiler, (*device)->facts().architecture);
  if (!output) return 3;
  const auto module = (*device)->load(*output);
  if (!module) return 4;
  auto execution = (*module)->execution();
  if (!execution || !(*execution)->allocate("y", DType::i32, 64, Access::read_write) || !(*execution)->zero("y"))
    return 5;
  device::LaunchOptions options;
  std::stop_source stop;
  std::thread canceller;
  const bool cancelled = kernel == "cancelled";
  options.seconds = cancelled ? 0 : kernel == "forever" ? 0.5 : 0;
  options.stop = stop.get_token();
  if (cancelled)
    canceller = std::thread([&] { std::this_thread::sleep_for(std::chrono::milliseconds(200)), stop.request_stop(); });
  const bool before = (*device)->usable();
  if (kernel == "damage") {  // of a reference that lies elsewhere in the device's memory
    const auto spec = op::parse_spec("op twice(x: f32[N]) -> y: f32[N]\n default N = 5000\n{ y[i] = 2 * x[i] }");
    const auto set = (*device)->make_set(*spec, {}, **compiler);
    if (!set) return 6;
    const auto& reference = dynamic_cast<const cuda::CudaSet&>(**set).outputs.at("y").value;
    const auto offset = static_cast<std::int64_t>(reference.address() + 8 * 1234) -
                        static_cast<std::int64_t>(*(*execution)->address("y"));
    const bool clean = !(*execution)->check_guards()->has_value();
    const auto done = (*execution)->launch(launch_of("put", 1, 1, {tensor("y"), whole(offset)}), options);
    if (!clean || !done || done->fault) return 7;
    const auto guards = (*execution)->check_guards();
    std::printf("\nRESULT %s|%d|%d|%s|%s\n", guards && *guards ? enum_string((*guards)->kind).c_str() : "none", before,
                (*device)->usable(), code_name((*execution)->zero("y").error().code).data(),
                guards && *guards ? (*guards)->message.c_str() : "");
    std::fflush(stdout);
    ::_exit(0);
  }
  const double start = now();
  const auto done =
      (*execution)
          ->launch(launch_of(cancelled ? "forever" : kernel.c_str(), 1, kernel == "misaligned" ? 2 : 1, {tensor("y")}),
                   options);
  const double took = now() - start;
  if (canceller.joinable()) canceller.join();
  std::vector<std::int32_t> y(64);
  const Status next = (*execution)->read("y", room_in(y));
  const bool after = (*device)->usable();
  std::string kind = "none", message;
  if (!done)
    kind = "error: " + std::string(code_name(done.error().code)), message = done.error().text();
  else if (done->fault)
    kind = enum_name(done->fault->kind), message = done->fault->message;
  execution->reset();  // must not wait for a kernel that never ends
  std::printf("\nRESULT %s|%d|%d|%s|%s|%.2f s\n", kind.c_str(), before, after,
              next ? "read" : code_name(next.error().code).data(), message.c_str(), took);
  std::fflush(stdout);
  ::_exit(0);
}

}  // namespace

class DeviceGpuTest : public QObject, testing::WithGpu {
  Q_OBJECT

  std::shared_ptr<const device::Module> module_;

  std::unique_ptr<device::Execution> execution() {
    auto e = module_->execution();
    return e ? std::move(*e) : nullptr;
  }
  static bool runs(device::Execution& e, const candidate::PlannedLaunch& launch) {
    const auto done = e.launch(launch, {});
    if (!done)
      qWarning("%s", done.error().text().c_str());
    else if (done->fault)
      qWarning("%s", done->fault->message.c_str());
    return done && !done->fault;
  }
  static std::string refusal(device::Execution& e, const candidate::PlannedLaunch& launch) {  // kind: message
    const auto done = e.launch(launch, {});
    return !done         ? "error: " + done.error().text()
           : done->fault ? enum_string(done->fault->kind) + ": " + done->fault->message
                         : "none";
  }

 private slots:
  void initTestCase() {
    if (!open_gpu()) return;
    const device::Facts& f = device_->facts();
    qInfo("%s: %s; code for %s; %.1f GiB for tensors", f.name.c_str(), f.description.c_str(), f.architecture.c_str(),
          static_cast<double>(f.memory) / (1 << 30));
    const auto output = compiled(*compiler_, f.architecture);
    QVERIFY2(output, output ? "" : output.error().text().c_str());
    const double start = now();
    const auto module = device_->load(*output);
    QVERIFY2(module, module ? "" : module.error().text().c_str());
    qInfo("loading a module: %.2f ms", (now() - start) * 1e3);
    module_ = *module;
  }

  void facts() {
    const device::Facts& f = device_->facts();
    QCOMPARE(f.name, std::string("cuda:0"));
    QVERIFY(f.makes_sets && f.measures && !f.tracks_writes && f.memory > 0 && f.architecture.starts_with("sm_"));
    QVERIFY(!cuda::open("cuda:99"));
    QCOMPARE(cuda::open("cuda:99").error().code, Code::unavailable);
  }
  void bytesGoThereAndBack() {
    const auto e = execution();
    QVERIFY(e);
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{257}, std::int64_t{3} << 20}) {
      const std::string name = "t" + std::to_string(n);
      QVERIFY(e->allocate(name, DType::u8, n, Access::read_write));
      std::vector<std::byte> in(static_cast<std::size_t>(n)), out(in.size());
      QVERIFY(e->read(name, out));
      QVERIFY(std::all_of(out.begin(), out.end(),
                          [](std::byte b) { return b == std::byte{0xff}; }));  // never what an earlier owner left
      op::fill_input(op::Distribution::uniform, 1, 0, DType::u8, {true, 0, 256}, n, in.data());
      QVERIFY(e->write(name, in) && e->read(name, out));
      QVERIFY(in == out);
      QVERIFY(e->holds(name, in).value_or(false));
      if (n > 0) {
        in[static_cast<std::size_t>(n) - 1] ^= std::byte{1};
        QVERIFY(!e->holds(name, in).value_or(true));
        QVERIFY(e->poison(name, 0x5a) && e->read(name, out));
        QVERIFY(std::all_of(out.begin(), out.end(), [](std::byte b) { return b == std::byte{0x5a}; }));
        QVERIFY(e->zero(name) && e->read(name, out));
        QVERIFY(std::all_of(out.begin(), out.end(), [](std::byte b) { return b == std::byte{0}; }));
      }
      QVERIFY(!e->check_guards()->has_value());
    }
    QVERIFY(!e->write("t257", std::vector<std::byte>(256)));
    QVERIFY(!e->allocate("t1", DType::u8, 1, Access::read_write));
    QVERIFY(!e->read("unknown", {}));
  }
  void whatOneOwnerWroteTheNextDoesNotSee() {
    for (int round = 0; round < 3; ++round) {
      const auto e = execution();
      QVERIFY(e);
      QVERIFY(e->allocate("x", DType::u8, 5 << 20, Access::read_write));
      std::vector<std::byte> seen(5 << 20);
      QVERIFY(e->read("x", seen));
      QVERIFY(std::find(seen.begin(), seen.end(), std::byte{0x11}) == seen.end());
      QVERIFY(e->poison("x", 0x11));
    }
  }
  void aLaunch() {
    const auto e = execution();
    QVERIFY(e);
    std::vector<float> x(1000), y(1000);
    for (int i = 0; i < 1000; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i);
    QVERIFY(e->allocate("x", DType::f32, 1000, Access::read_only) && e->write("x", bytes_of(x)));
    QVERIFY(e->allocate("y", DType::f32, 1000, Access::read_write));
    QVERIFY(runs(*e, launch_of("add_one", 4, 256, {tensor("x"), tensor("y"), whole(1000)})));
    QVERIFY(e->read("y", room_in(y)));
    for (std::size_t i = 0; i < 1000; ++i) QCOMPARE(y[i], x[i] + 1);
    QVERIFY(runs(*e, launch_of("scale", 1, 128, {tensor("x"), tensor("y"), whole(1000), real(2.5), whole(3)})));
    QVERIFY(e->read("y", room_in(y)));
    QCOMPARE(y[10], 28.0f);
    const auto misfit = launch_of("add_one", 4, 256, {tensor("x"), real(1), whole(1000)});
    QVERIFY(!module_->fits(misfit));
    QCOMPARE(e->launch(misfit, {}).error().code, Code::invalid_argument);
    QCOMPARE(e->launch(launch_of("nothing", 1, 1, {}), {}).error().code, Code::not_found);
    QVERIFY(device_->usable());
  }
  void aColdCacheAndOtherWorkDoNotChangeAResult() {
    const auto e = execution();
    QVERIFY(e);
    std::vector<float> x(1 << 20), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1000);
    for (std::uint32_t round = 0; round < 16; ++round) {
      QVERIFY(e->renew(round + 1));
      QVERIFY(e->allocate("x", DType::f32, std::ssize(x), Access::read_only) && e->write("x", bytes_of(x)));
      QVERIFY(e->allocate("y", DType::f32, std::ssize(y), Access::read_write));
      QCOMPARE(*e->address("y") % 256, std::uint64_t{0});
      device::LaunchOptions options;
      options.cold = round % 2 == 1;
      options.beside = round / 2 % 2 == 1 ? round : 0;
      const auto done =
          e->launch(launch_of("add_one", 4096, 256, {tensor("x"), tensor("y"), whole(std::ssize(x))}), options);
      QVERIFY2(done && !done->fault, done ? "a fault" : done.error().text().c_str());
      QVERIFY(e->read("y", room_in(y)));
      for (std::size_t i = 0; i < x.size(); ++i)
        if (y[i] != x[i] + 1) QFAIL(qPrintable(QString("element %1 in round %2").arg(i).arg(round)));
      QVERIFY(!e->check_guards()->has_value());
    }
    QVERIFY(device_->usable());
  }
  void writesBesideABufferAreFound() {
    for (const std::int64_t at : {std::int64_t{-1}, std::int64_t{-1024}, std::int64_t{100}, std::int64_t{1123}}) {
      const auto e = execution();
      QVERIFY(e);
      QVERIFY(e->allocate("y", DType::u8, 100, Access::read_write));
      QVERIFY(runs(*e, launch_of("put", 1, 1, {tensor("y"), whole(99)})));
      QVERIFY(!e->check_guards()->has_value());
      QVERIFY(runs(*e, launch_of("put", 1, 1, {tensor("y"), whole(at)})));
      const auto guards = e->check_guards();
      QVERIFY(guards && guards->has_value());
      QCOMPARE((*guards)->offset, at);
      QCOMPARE((*guards)->buffer, std::string("y"));
      QCOMPARE((*guards)->kind, FaultKind::out_of_bounds);
    }
  }
  void deviceGlobalsAreFresh() {
    for (int round = 0; round < 3; ++round) {
      const auto e = execution();
      QVERIFY(e);
      std::vector<std::int32_t> y(1);
      QVERIFY(e->allocate("y", DType::i32, 1, Access::read_write));
      QVERIFY(runs(*e, launch_of("count_runs", 1, 1, {tensor("y")})) &&
              runs(*e, launch_of("count_runs", 1, 1, {tensor("y")})));
      QVERIFY(e->read("y", room_in(y)));
      QCOMPARE(y[0], 2);
    }
  }
  void largeSharedMemory() {
    const auto e = execution();
    QVERIFY(e);
    for (const int bytes : {16 << 10, 96 << 10, 227 << 10}) {
      const std::string name = "y" + std::to_string(bytes);
      std::vector<std::int32_t> y(static_cast<std::size_t>(bytes) / 4);
      QVERIFY(e->allocate(name, DType::i32, bytes / 4, Access::read_write));
      auto launch = launch_of("large_shared", 1, 256, {tensor(name.c_str()), whole(bytes)});
      launch.shared_bytes = static_cast<std::uint64_t>(bytes);
      launch.carveout = bytes > 48 << 10 ? 100 : 30;
      QVERIFY(runs(*e, launch));
      QVERIFY(e->read(name, room_in(y)));
      QCOMPARE(y.front(), bytes / 4 - 1);
      QCOMPARE(y.back(), 0);
    }
  }
  void clusters() {
    const auto e = execution();
    QVERIFY(e);
    std::vector<std::int32_t> y(32);
    QVERIFY(e->allocate("y", DType::i32, 32, Access::read_write));
    for (const std::uint32_t size : {2u, 8u, 16u}) {  // above 8 they are not portable
      auto launch = launch_of("cluster_rank", 32, 64, {tensor("y")});
      launch.cluster[0] = size;
      QVERIFY(runs(*e, launch));
      QVERIFY(e->read("y", room_in(y)));
      for (std::uint32_t b = 0; b < 32; ++b) QCOMPARE(y[b], static_cast<int>(b % size + 100 * size));
    }
  }
  void cooperative() {
    const auto e = execution();
    QVERIFY(e);
    std::vector<std::int32_t> y(200);
    QVERIFY(e->allocate("y", DType::i32, 200, Access::read_write));
    auto launch = launch_of("meet", 100, 32, {tensor("y")});
    launch.cooperative = true;
    QVERIFY(runs(*e, launch));
    QVERIFY(e->read("y", room_in(y)));
    for (std::size_t b = 100; b < 200; ++b) QCOMPARE(y[b], 4950);
    launch.grid[0] = 1 << 20;
    const std::string why = refusal(*e, launch);
    QVERIFY2(why.starts_with("launch refused: ") && why.find("1048576 blocks") != std::string::npos, why.c_str());
    QVERIFY(device_->usable());
  }
  void whatTheDeviceRefuses() {
    const auto e = execution();
    QVERIFY(e);
    QVERIFY(e->allocate("y", DType::i32, 1024, Access::read_write));
    std::string why = refusal(*e, launch_of("few_threads", 1, 65, {tensor("y")}));
    qInfo("%s", why.c_str());
    QVERIFY2(why.starts_with("launch refused: ") && why.find("65 threads") != std::string::npos, why.c_str());
    auto shared = launch_of("large_shared", 1, 32, {tensor("y"), whole(16)});
    shared.shared_bytes = 228 << 10;
    why = refusal(*e, shared);
    qInfo("%s", why.c_str());
    QVERIFY2(why.starts_with("launch refused: ") && why.find("228 KiB") != std::string::npos, why.c_str());
    auto cluster = launch_of("cluster_rank", 64, 32, {tensor("y")});
    cluster.cluster[0] = 64;
    why = refusal(*e, cluster);
    qInfo("%s", why.c_str());
    QVERIFY2(why.starts_with("launch refused: "), why.c_str());
    auto grid = launch_of("tick", 1, 32, {tensor("y")});
    grid.grid[1] = 70000;
    why = refusal(*e, grid);
    qInfo("%s", why.c_str());
    QVERIFY2(why.starts_with("launch refused: "), why.c_str());
    const Status huge = e->allocate("huge", DType::f64, std::int64_t{1} << 36, Access::read_write);
    QVERIFY(!huge);
    QCOMPARE(huge.error().code, Code::unsupported);
    qInfo("%s", huge.error().text().c_str());
    QVERIFY(huge.error().message.find("512 GiB are needed") != std::string::npos);
    QCOMPARE(e->allocate("huger", DType::f64, INT64_MAX, Access::read_write).error().code, Code::unsupported);
    QVERIFY(device_->usable());
    QVERIFY(e->zero("y") && runs(*e, launch_of("tick", 4, 32, {tensor("y")})));
    std::vector<std::int32_t> y(1024);
    QVERIFY(e->read("y", room_in(y)));
    QCOMPARE(y[0], 128);
  }
  void codeOfOtherKinds() {
    auto output = *compiled(*compiler_, device_->facts().architecture);
    output.cubin.clear();  // the driver assembles the PTX
    const auto module = device_->load(output);
    QVERIFY2(module, module ? "" : module.error().text().c_str());
    QCOMPARE((*module)->kernels().size(), module_->kernels().size());
    auto e = (*module)->execution();
    QVERIFY(e);
    std::vector<std::int32_t> y(1);
    QVERIFY((*e)->allocate("y", DType::i32, 1, Access::read_write) &&
            runs(**e, launch_of("count_runs", 1, 1, {tensor("y")})));
    QVERIFY((*e)->read("y", room_in(y)));
    QCOMPARE(y[0], 1);
    output.ptx.insert(output.ptx.rfind('}'), "\n\tadd.s32 %nothing, %r1, %r2;\n");
    const auto broken = device_->load(output);
    QVERIFY(!broken);
    QCOMPARE(broken.error().code, Code::compile);
    qInfo("%s", broken.error().text().c_str());
    compile::Request request;
    request.code = "extern \"C\" __global__ void plain(int* y) { y[0] = 7; }";
    request.architecture = "sm_80";
    const auto older = compiler_->compile(request);  // its cubin is for another architecture, its PTX is not
    QVERIFY2(older, older ? "" : older.error().text().c_str());
    const auto taken = device_->load(*older);
    QVERIFY2(taken, taken ? "" : taken.error().text().c_str());
    e = (*taken)->execution();
    QVERIFY(e && (*e)->allocate("y", DType::i32, 1, Access::read_write) &&
            runs(**e, launch_of("plain", 1, 1, {tensor("y")})));
    QVERIFY((*e)->read("y", room_in(y)));
    QCOMPARE(y[0], 7);
  }
  void launchesAreCaptured() {
    const auto e = execution();
    QVERIFY(e);
    QVERIFY(e->allocate("y", DType::i32, 1, Access::read_write) && e->zero("y"));
    const cuda::Driver& d = **cuda::Driver::get();
    CUstream stream = nullptr;
    CUgraph graph = nullptr;
    CUgraphExec replay = nullptr;
    QCOMPARE(d.cuStreamCreate_(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    QCOMPARE(d.cuStreamBeginCapture_(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    QVERIFY(cuda::enqueue(*e, launch_of("tick", 2, 32, {tensor("y")}), stream));
    QCOMPARE(d.cuStreamEndCapture_(stream, &graph), CUDA_SUCCESS);
    QCOMPARE(d.cuGraphInstantiate_(&replay, graph, 0), CUDA_SUCCESS);
    for (int i = 0; i < 3; ++i) QCOMPARE(d.cuGraphLaunch_(replay, stream), CUDA_SUCCESS);
    QCOMPARE(d.cuStreamSynchronize_(stream), CUDA_SUCCESS);
    d.cuGraphExecDestroy_(replay), d.cuGraphDestroy_(graph), d.cuStreamDestroy_(stream);
    std::vector<std::int32_t> y(1);
    QVERIFY(e->read("y", room_in(y)));
    QCOMPARE(y[0], 3 * 64);
  }
  void inputsHaveTheHostsBits() {
    const auto spec = op::parse_spec(
        "op all(a: f64[N], b: f32[N], c: f16[N], d: bf16[N], e: i64[N], f: i32[N], g: i8[N], h: u8[N], k: bool[N], l: "
        "i32[N] in 0..N, m: f32[N] in 0.5..2) -> y: f64[N]\n"
        "  default N = 100003\n{ y[i] = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i] + if(k[i], 1, 0) + l[i] "
        "+ m[i] }");
    QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
    for (int d = 0; d <= static_cast<int>(op::Distribution::zeros); ++d) {
      device::SetRequest request;
      request.distribution = static_cast<op::Distribution>(d);
      request.seed = 0xdeadbeefcafe0000ull + static_cast<std::uint64_t>(d);
      request.references = false;
      const auto set = device_->make_set(*spec, request, *compiler_);
      QVERIFY2(set, set ? "" : set.error().text().c_str());
      QVERIFY(!(*set)->has_references());
      const auto e = execution();
      int ordinal = 0;
      for (const op::Param& p : spec->inputs) {
        const auto made = (*set)->input(p.name);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        std::vector<std::byte> expected(made->bytes.size());
        op::fill_input(request.distribution, request.seed, ordinal++, p.dtype, *op::domain_of(*spec, p, {}), 100003,
                       expected.data());
        QVERIFY2(made->bytes == expected, p.name.c_str());
        QVERIFY(e->allocate(p.name, p.dtype, 100003, Access::read_only) && e->fill(p.name, **set));
        QVERIFY(e->holds_set(p.name, **set).value_or(false));
        QVERIFY(e->holds(p.name, expected).value_or(false));
        expected[expected.size() / 2] ^= std::byte{1};
        QVERIFY(e->write(p.name, expected));
        QVERIFY(!e->holds_set(p.name, **set).value_or(true));
      }
      QVERIFY(!(*set)->input("y"));
    }
  }
  // The whole chain: inputs, reference, a right and a wrong output, all on the device, against the host's evaluation
  // and comparison.
  void setsAgreeWithTheHost() {
    for (const char* text : {"op f(x: f32[R, C]) -> y: f32[R, C]\n default R = 300, C = 70\n{ m[r] = sum(c) x[r, c] / "
                             "C\n y[r, c] = (x[r, c] - m[r]) * 3 }",
                             "op g(a: f16[R, C], b: f16[C, R]) -> y: f16[R, R]\n default R = 65, C = 40\n{ y[i, j] = "
                             "sum(k) a[i, k] * b[k, j] }",
                             "op h(x: i32[R, C]) -> y: i64[R]\n default R = 900, C = 33\n{ y[r] = sum(c) x[r, c] }"}) {
      const auto spec = op::parse_spec(text);
      QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
      device::SetRequest request;
      request.seed = 11;
      const auto set = device_->make_set(*spec, request, *compiler_);
      QVERIFY2(set, set ? "" : set.error().text().c_str());
      std::map<std::string, op::HostTensor> inputs;
      for (const op::Param& p : spec->inputs) inputs[p.name] = *(*set)->input(p.name);
      const auto expected = op::evaluate(*spec, {}, inputs);
      QVERIFY2(expected, expected ? "" : expected.error().text().c_str());
      const op::ReferenceTensor& host = expected->at("y");
      const auto reference = (*set)->reference("y");
      QVERIFY2(reference, reference ? "" : reference.error().text().c_str());
      const auto n = op::element_count(host.shape);
      std::vector<std::byte> y(static_cast<std::size_t>(n) * dtype_size(host.dtype));
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        if (is_real(host.dtype)) {
          QVERIFY(std::abs(reference->value[i] - host.value[i]) <= host.bound[i]);
          store_f64(host.dtype, &y[i * dtype_size(host.dtype)], reference->value[i]);
        } else {
          QCOMPARE(reference->integer[i], host.integer[i]);
          store_i64(host.dtype, &y[i * dtype_size(host.dtype)], reference->integer[i]);
        }
      }
      const auto e = execution();
      QVERIFY(e->allocate("y", host.dtype, n, Access::read_write));
      const auto poisoned = e->compare_set("y", **set);
      QVERIFY(poisoned);
      // What nobody wrote is poison: NaN among reals; among whole numbers -1, which a sum may be, too.
      QVERIFY2(is_real(host.dtype) ? poisoned->wrong == n : poisoned->wrong > n / 2,
               std::to_string(poisoned->wrong).c_str());
      for (const bool spoilt : {false, true}) {
        if (spoilt)
          y[5 * dtype_size(host.dtype) + dtype_size(host.dtype) - 1] ^= std::byte{0x40},
              y[7 * dtype_size(host.dtype)] ^= std::byte{0x40};
        QVERIFY(e->write("y", y));
        const auto judged = e->compare_set("y", **set);
        const auto by_host = gate::compare("y", *reference, y);
        QVERIFY(judged && by_host);
        QCOMPARE(judged->total, by_host->total);
        QCOMPARE(judged->unchecked, by_host->unchecked);
        QCOMPARE(judged->largest_ratio, by_host->largest_ratio);
        QCOMPARE(judged->worst >= 0, spoilt);
        if (!spoilt) continue;
        QVERIFY(by_host->worst);
        QCOMPARE(judged->wrong, by_host->worst->wrong);
        QCOMPARE(gate::subscripts(judged->worst, host.shape), by_host->worst->index);
        QCOMPARE(judged->expected, by_host->worst->expected);
        QCOMPARE(judged->bound, by_host->worst->tolerance);
      }
    }
  }
  void largeSet() {
    const auto spec = op::parse_spec(
        "op relu(x: f32[R, C]) -> y: f32[R, C]\n default R = 8192, C = 8192\n{ y[r, c] = max(x[r, c], 0) }");
    QVERIFY(spec);
    for (int round = 0; round < 2; ++round) {
      double at = now();
      const auto lap = [&](const char* what) {
        qInfo("8192x8192 f32, round %d: %s %.2f ms", round, what, (now() - at) * 1e3);
        at = now();
      };
      device::SetRequest request;
      request.seed = static_cast<std::uint64_t>(round);
      const auto set = device_->make_set(*spec, request, *compiler_);
      QVERIFY2(set, set ? "" : set.error().text().c_str());
      lap("make the set");
      const auto e = execution();
      QVERIFY(e);
      lap("load the module");
      constexpr std::int64_t n = std::int64_t{8192} * 8192;
      QVERIFY(e->allocate("x", DType::f32, n, Access::read_only) &&
              e->allocate("y", DType::f32, n, Access::read_write));
      lap("allocate");
      QVERIFY(e->fill("x", **set) && e->poison("y", 0x7f));
      lap("fill (enqueued)");
      QVERIFY(runs(*e, launch_of("add_one", n / 256, 256, {tensor("x"), tensor("y"), whole(n)})));
      lap("launch");
      QVERIFY(!e->check_guards()->has_value());
      lap("check the guard zones");
      QVERIFY(e->holds_set("x", **set).value_or(false));
      lap("compare the input");
      const auto judged = e->compare_set("y", **set);
      QVERIFY(judged);
      QVERIFY(judged->wrong > n / 2);
      lap("compare the output");
    }
  }
  void faults_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QStringList>("kinds");
    QTest::newRow("out of bounds") << "far_away" << QStringList{"out of bounds"};
    QTest::newRow("misaligned") << "misaligned" << QStringList{"misaligned"};
    QTest::newRow("trap") << "stop" << QStringList{"trap", "invalid instruction"};
    QTest::newRow("infinite loop") << "forever" << QStringList{"out of budget"};
    QTest::newRow("stack overflow") << "recurse" << QStringList{"stack overflow", "out of bounds", "trap"};
    QTest::newRow("damage to a reference") << "damage" << QStringList{"out of bounds"};
    QTest::newRow("cancelled") << "cancelled" << QStringList{"error: cancelled"};
  }
  void faults() {
    QFETCH(QString, kernel);
    QFETCH(QStringList, kinds);
    QProcess child;
    child.start(QCoreApplication::applicationFilePath(), {"--fault", kernel});
    QVERIFY(child.waitForFinished(60000));
    const QString all = QString::fromUtf8(child.readAllStandardOutput());
    const auto at = all.indexOf("RESULT ");
    QVERIFY2(at >= 0, qPrintable(all + QString::fromUtf8(child.readAllStandardError())));
    const QString line = all.mid(at + 7).section('\n', 0, 0);
    qInfo("%s", qPrintable(line));
    const QStringList parts = line.split('|');
    QVERIFY2(kinds.contains(parts[0]), qPrintable(line));
    QCOMPARE(parts[1], QString("1"));
    QCOMPARE(parts[2], QString("0"));
    QCOMPARE(parts[3], QString("unavailable"));
    QVERIFY(parts[4].size() > 10);
  }
};

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--fault") return run_fault(argv[2]);
  QCoreApplication app(argc, argv);
  DeviceGpuTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "device_gpu_test.moc"
