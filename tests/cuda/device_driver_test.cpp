// SPDX-License-Identifier: Apache-2.0
// Memory, modules, launches and waiting, against a driver made of host memory: what the device does when the driver
// refuses, fails, or never answers, without a GPU.
#include <QtTest>
#include <cstdlib>
#include <cstring>
#include <set>
#include "cuda/execution.h"
#include "cuda/module.h"
#include "support/planned.h"

using namespace ww;
using namespace ww::cuda;
using device::Access;

namespace {

constexpr const char* ptx =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1) { ret; }\n";

struct Fake {  // what the driver holds and what it was asked
  std::set<void*> blocks;
  std::size_t room = std::size_t{8} << 30, held = 0;
  std::map<void*, std::size_t> sizes;
  int allocations = 0, frees = 0, loads = 0, unloads = 0;
  CUresult cubin = CUDA_SUCCESS, launch = CUDA_SUCCESS, query = CUDA_SUCCESS;
  int static_shared = 1024, max_threads = 512;
  std::map<int, int> function_attributes;     // that were set
  std::vector<CUlaunchAttribute> attributes;  // of the last launch
  unsigned shared = 0;
  std::vector<CUstream> streams;  // of all launches
  int waits = 0;                  // for a stream
  std::vector<std::uint64_t> arguments;
  std::function<void(std::uint64_t)> kernel;  // gets the first argument
} fake;

Driver made_driver() {
  Driver d;
  d.cuCtxSetCurrent_ = [](CUcontext) { return CUDA_SUCCESS; };
  d.cuDevicePrimaryCtxRelease_ = [](CUdevice) { return CUDA_SUCCESS; };
  d.cuStreamDestroy_ = [](CUstream) { return CUDA_SUCCESS; };
  d.cuDeviceTotalMem_ = [](std::size_t* total, CUdevice) { return *total = std::size_t{8} << 30, CUDA_SUCCESS; };
  d.cuMemGetInfo_ = [](std::size_t* free, std::size_t* total) {
    return *free = fake.room - fake.held, *total = std::size_t{8} << 30, CUDA_SUCCESS;
  };
  d.cuMemAlloc_ = [](CUdeviceptr* out, std::size_t bytes) {
    if (bytes > fake.room - fake.held) return CUDA_ERROR_OUT_OF_MEMORY;
    void* p = std::aligned_alloc(256, bytes);
    std::memset(p, 0x33, bytes);  // another's content
    fake.held += bytes, fake.sizes[p] = bytes, ++fake.allocations;
    *out = reinterpret_cast<CUdeviceptr>(p);
    return CUDA_SUCCESS;
  };
  d.cuMemFree_ = [](CUdeviceptr p) {
    void* at = reinterpret_cast<void*>(p);
    fake.held -= fake.sizes.at(at), fake.sizes.erase(at), ++fake.frees;
    std::free(at);
    return CUDA_SUCCESS;
  };
  d.cuMemsetD8Async_ = [](CUdeviceptr at, unsigned char value, std::size_t n, CUstream) {
    return std::memset(reinterpret_cast<void*>(at), value, n), CUDA_SUCCESS;
  };
  d.cuMemsetD32Async_ = [](CUdeviceptr at, unsigned value, std::size_t n, CUstream) {
    std::fill_n(reinterpret_cast<unsigned*>(at), n, value);
    return CUDA_SUCCESS;
  };
  d.cuStreamCreate_ = [](CUstream* out, unsigned) { return *out = reinterpret_cast<CUstream>(2), CUDA_SUCCESS; };
  d.cuStreamSynchronize_ = [](CUstream) { return ++fake.waits, CUDA_SUCCESS; };
  d.cuMemcpyHtoDAsync_ = [](CUdeviceptr to, const void* from, std::size_t n, CUstream) {
    return std::memcpy(reinterpret_cast<void*>(to), from, n), CUDA_SUCCESS;
  };
  d.cuMemcpyDtoHAsync_ = [](void* to, CUdeviceptr from, std::size_t n, CUstream) {
    return std::memcpy(to, reinterpret_cast<const void*>(from), n), CUDA_SUCCESS;
  };
  d.cuStreamQuery_ = [](CUstream) { return fake.query; };
  d.cuDeviceGetAttribute_ = [](int* value, CUdevice_attribute which, CUdevice) {
    return *value = which == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN ? 227 << 10 : 0, CUDA_SUCCESS;
  };
  d.cuModuleLoadDataEx_ = [](CUmodule* module, const void* image, unsigned n, CUjit_option* options, void** values) {
    const bool is_ptx = std::string_view(static_cast<const char*>(image)).starts_with(".version");
    if (!is_ptx && fake.cubin != CUDA_SUCCESS) return fake.cubin;
    if (is_ptx && std::strstr(static_cast<const char*>(image), "nonsense")) {
      for (unsigned i = 0; i < n; ++i)
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) std::strcpy(static_cast<char*>(values[i]), "line 5: nonsense\n");
      return CUDA_ERROR_INVALID_PTX;
    }
    ++fake.loads;
    *module = reinterpret_cast<CUmodule>(1);
    return CUDA_SUCCESS;
  };
  d.cuModuleUnload_ = [](CUmodule) { return ++fake.unloads, CUDA_SUCCESS; };
  d.cuModuleGetFunction_ = [](CUfunction* f, CUmodule, const char*) {
    return *f = reinterpret_cast<CUfunction>(1), CUDA_SUCCESS;
  };
  d.cuFuncLoad_ = [](CUfunction) { return CUDA_SUCCESS; };
  d.cuFuncGetAttribute_ = [](int* value, CUfunction_attribute which, CUfunction) {
    *value = which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES       ? fake.static_shared
             : which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? fake.max_threads
                                                                : 64;
    return CUDA_SUCCESS;
  };
  d.cuFuncSetAttribute_ = [](CUfunction, CUfunction_attribute which, int value) {
    return fake.function_attributes[which] = value, CUDA_SUCCESS;
  };
  d.cuOccupancyMaxActiveBlocksPerMultiprocessor_ = [](int* blocks, CUfunction, int, std::size_t) {
    return *blocks = 2, CUDA_SUCCESS;
  };
  d.cuLaunchKernelEx_ = [](const CUlaunchConfig* config, CUfunction, void** parameters, void**) {
    fake.attributes.assign(config->attrs, config->attrs + config->numAttrs);
    fake.shared = config->sharedMemBytes;
    fake.streams.push_back(config->hStream);
    std::uint64_t address = 0;
    std::uint32_t number = 0;
    std::memcpy(&address, parameters[0], 8), std::memcpy(&number, parameters[1], 4);
    fake.arguments = {address, number};
    if (fake.launch == CUDA_SUCCESS && fake.kernel) fake.kernel(address);
    return fake.launch;
  };
  return d;
}
const Driver driver = made_driver();

std::shared_ptr<Context> open_fake() {
  fake = Fake{};
  auto c = std::make_shared<Context>();
  c->driver = &driver;
  c->name = "cuda:0";
  c->context = reinterpret_cast<CUcontext>(1);
  c->stream = reinterpret_cast<CUstream>(1);
  c->major = 9, c->multiprocessors = 4;
  c->pool = std::make_shared<Pool>(*c);
  return c;
}

compile::Output code(const char* text = ptx, const char* cubin = "binary") {
  compile::Output o;
  o.ptx = text;
  o.cubin = cubin;
  return o;
}

candidate::PlannedLaunch launch_of(std::int64_t number = 5) {
  return testing::launch_of("k", 16, 128, {testing::tensor("y"), testing::whole(number)});
}

struct Bed {
  std::shared_ptr<Context> context = open_fake();
  std::shared_ptr<const device::Module> module;
  std::unique_ptr<device::Execution> execution;
  Bed() {
    module = *load_module(context, code());
    execution = *module->execution();
    if (!execution->allocate("y", DType::f32, 10, Access::read_write)) execution.reset();
  }
};

}  // namespace

class DriverTest : public QObject {
  Q_OBJECT
 private slots:
  void contentIsPoisonAndMemoryIsUsedAgain() {
    Bed b;
    std::vector<std::byte> seen(40);
    QVERIFY(b.execution->read("y", seen));
    QVERIFY(std::all_of(seen.begin(), seen.end(), [](std::byte v) { return v == std::byte{0xff}; }));
    QVERIFY(b.execution->poison("y", 0x12));
    const int before = fake.allocations;
    b.execution = *b.module->execution();
    QVERIFY(b.execution->allocate("z", DType::f32, 12, Access::read_only));
    QCOMPARE(fake.allocations, before);
    seen.resize(48);
    QVERIFY(b.execution->read("z", seen));
    QVERIFY(std::all_of(seen.begin(), seen.end(), [](std::byte v) { return v == std::byte{0xff}; }));
    QVERIFY(!b.execution->check_guards()->has_value());
    b.execution.reset(), b.module.reset(), b.context.reset();
    QCOMPARE(fake.held, std::size_t{0});
    QCOMPARE(fake.allocations, fake.frees);
    QCOMPARE(fake.loads, fake.unloads);
  }
  void eachExecutionHasAModuleOfItsOwn() {
    Bed b;
    QCOMPARE(fake.loads, 1);  // the instance that load() made serves the first
    auto second = b.module->execution();
    QVERIFY(second);
    QCOMPARE(fake.loads, 2);
    QCOMPARE(fake.unloads, 0);
    second->reset();
    QCOMPARE(fake.unloads, 1);
  }
  void guardZonesAreLookedAt_data() {
    QTest::addColumn<qlonglong>("at");
    QTest::addColumn<QString>("words");
    QTest::newRow("just before") << -1ll << "1 bytes before its start";
    QTest::newRow("far before") << -1024ll << "1024 bytes before its start";
    QTest::newRow("just behind") << 40ll << "0 bytes past its end";
    QTest::newRow("far behind") << 40ll + 1023 << "1023 bytes past its end";
  }
  void guardZonesAreLookedAt() {
    QFETCH(qlonglong, at);
    QFETCH(QString, words);
    Bed b;
    fake.kernel = [&](std::uint64_t y) { *(reinterpret_cast<unsigned char*>(y) + at) ^= 1; };
    QVERIFY(!b.execution->launch(launch_of(), {})->fault);
    const auto found = b.execution->check_guards();
    QVERIFY(found && *found);
    QCOMPARE((*found)->buffer, std::string("y"));
    QCOMPARE((*found)->offset, at);
    QVERIFY2((*found)->message.find(words.toStdString()) != std::string::npos, (*found)->message.c_str());
  }
  void whatDoesNotFitIsSaidWithNumbers() {
    Bed b;
    fake.room = fake.held + (std::size_t{3} << 30);
    const Status s = b.execution->allocate("large", DType::f64, std::int64_t{1} << 30, Access::read_write);
    QVERIFY(!s);
    QCOMPARE(s.error().code, Code::unsupported);
    for (const char* part : {"the tensor large", "8 GiB are needed", "2.5 GiB of 8 GiB are free"})
      QVERIFY2(s.error().message.find(part) != std::string::npos, s.error().message.c_str());
    QCOMPARE(b.execution->allocate("larger", DType::f64, INT64_MAX, Access::read_write).error().code,
             Code::unsupported);
    QCOMPARE(b.execution->allocate("none", DType::f64, -1, Access::read_write).error().code, Code::invalid_argument);
    QVERIFY(b.context->usable);
  }
  void unusedMemoryMakesRoom() {
    Bed b;
    QVERIFY(b.execution->allocate("a", DType::u8, 96 << 20, Access::read_write));
    b.execution = *b.module->execution();
    fake.room = fake.held + (std::size_t{560} << 20);  // 512 MiB of them are kept for the driver
    QVERIFY(b.execution->allocate("b", DType::u8, 127 << 20, Access::read_write));
    QVERIFY(fake.frees > 0);
  }
  void aColdCacheAndOtherWorkPrecedeALaunch() {
    Bed b;
    const CUstream own = b.context->stream, side = reinterpret_cast<CUstream>(2);
    QVERIFY(!b.execution->launch(launch_of(), {})->fault);
    QCOMPARE(fake.streams, std::vector<CUstream>{own});
    device::LaunchOptions options;
    options.cold = true;
    fake.streams.clear();
    QVERIFY(!b.execution->launch(launch_of(), options)->fault);
    QVERIFY(fake.streams.size() > 1 && std::ranges::count(fake.streams, own) == std::ssize(fake.streams));
    options.beside = 77;
    fake.streams.clear();
    QVERIFY(!b.execution->launch(launch_of(6), options)->fault);
    QCOMPARE(std::ranges::count(fake.streams, side), 1);
    QCOMPARE(fake.streams.back(), own);  // the launch itself comes last
    QCOMPARE(fake.arguments[1], std::uint64_t{6});
    QVERIFY(fake.waits > 0);  // nothing of it runs on
    QVERIFY(!b.execution->check_guards()->has_value());
  }
  void withoutMemoryForOtherWorkALaunchRunsAlone() {
    Bed b;
    fake.room = fake.held;
    device::LaunchOptions options;
    options.cold = true, options.beside = 1;
    QVERIFY(!b.execution->launch(launch_of(), options)->fault);
    QCOMPARE(fake.streams.size(), std::size_t{1});
    QVERIFY(b.context->usable);
  }
  void tensorsBeginElsewhereInEachRun() {
    Bed b;
    std::set<std::uint64_t> places;
    for (std::uint64_t place = 1; place <= 16; ++place) {
      QVERIFY(b.execution->renew(place));
      QVERIFY(b.execution->allocate("y", DType::f32, 10, Access::read_write));
      const std::uint64_t at = *b.execution->address("y");
      QCOMPARE(at % 256, std::uint64_t{0});
      places.insert(at);
      QVERIFY(!b.execution->check_guards()->has_value());
    }
    QVERIFY(places.size() > 4);
  }
  void attributesOfALaunch() {
    Bed b;
    auto l = launch_of(77);
    QVERIFY(!b.execution->launch(l, {})->fault);
    QVERIFY(fake.attributes.empty() && fake.function_attributes.empty());
    QCOMPARE(fake.arguments[0], *b.execution->address("y"));
    QCOMPARE(fake.arguments[1], std::uint64_t{77});
    l.shared_bytes = 47 << 10;  // 48 KiB with the kernel's own
    QVERIFY(!b.execution->launch(l, {})->fault);
    QVERIFY(fake.function_attributes.empty());
    l.shared_bytes = 100 << 10;
    l.cluster[0] = 16;
    l.cooperative = true;
    l.carveout = 75;
    QVERIFY(!b.execution->launch(l, {})->fault);
    QCOMPARE(fake.shared, 100u << 10);
    QCOMPARE(fake.function_attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES], 100 << 10);
    QCOMPARE(fake.function_attributes[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED], 1);
    QCOMPARE(fake.attributes.size(), std::size_t{3});
    QVERIFY(fake.attributes[0].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
            fake.attributes[0].value.clusterDim.x == 16);
    QVERIFY(fake.attributes[1].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && fake.attributes[1].value.cooperative == 1);
    QVERIFY(fake.attributes[2].id == CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
            fake.attributes[2].value.sharedMemCarveout == 75);
  }
  void refusalsLeaveTheDeviceUsable() {
    Bed b;
    auto l = launch_of();
    l.block[0] = 513;
    auto done = b.execution->launch(l, {});
    QVERIFY(done && done->fault);
    QCOMPARE(done->fault->kind, FaultKind::launch_refused);
    QVERIFY2(done->fault->message.find("513 threads") != std::string::npos, done->fault->message.c_str());
    l = launch_of();
    l.shared_bytes = 227 << 10;  // and 1 KiB of the kernel's own
    done = b.execution->launch(l, {});
    QVERIFY(done && done->fault);
    QVERIFY2(done->fault->message.find("228 KiB") != std::string::npos, done->fault->message.c_str());
    l = launch_of();
    l.cooperative = true;
    fake.launch = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    done = b.execution->launch(l, {});
    QVERIFY(done && done->fault);
    QVERIFY2(done->fault->message.find("16 blocks, where 8 run") != std::string::npos, done->fault->message.c_str());
    QVERIFY(b.context->usable);
    fake.launch = CUDA_SUCCESS;
    QVERIFY(!b.execution->launch(launch_of(), {})->fault);
    QVERIFY(!b.execution->launch(launch_of(std::int64_t{1} << 40), {}));  // does not fit a 32-bit parameter
  }
  void afterAFaultNothingIsTouched() {
    Bed b;
    fake.query = CUDA_ERROR_ILLEGAL_ADDRESS;
    const auto done = b.execution->launch(launch_of(), {});
    QVERIFY(done && done->fault);
    QCOMPARE(done->fault->kind, FaultKind::out_of_bounds);
    QCOMPARE(done->fault->kernel, std::string("k"));
    QVERIFY(!b.context->usable);
    const auto next = b.execution->launch(launch_of(), {});
    QVERIFY(!next);
    QCOMPARE(next.error().code, Code::unavailable);
    QCOMPARE(b.execution->zero("y").error().code, Code::unavailable);
    QCOMPARE(b.module->execution().error().code, Code::unavailable);
    QCOMPARE(load_module(b.context, code()).error().code, Code::unavailable);
    const int frees = fake.frees, unloads = fake.unloads;
    b.execution.reset(), b.module.reset(), b.context.reset();  // these calls could wait for ever
    QCOMPARE(fake.frees, frees);
    QCOMPARE(fake.unloads, unloads);
    for (const auto& [p, n] : fake.sizes) std::free(p);
  }
  void aLaunchThatDoesNotEnd() {
    Bed b;
    fake.query = CUDA_ERROR_NOT_READY;
    device::LaunchOptions options;
    options.seconds = 0.002;
    const auto done = b.execution->launch(launch_of(), options);
    QVERIFY(done && done->fault);
    QCOMPARE(done->fault->kind, FaultKind::budget_exceeded);
    QVERIFY2(done->fault->message.find("0.002 s") != std::string::npos, done->fault->message.c_str());
    QVERIFY(!b.context->usable);
    for (const auto& [p, n] : fake.sizes) std::free(p);
  }
  void aCancelledLaunch() {
    {
      Bed b;
      std::stop_source stop;
      stop.request_stop();
      device::LaunchOptions options;
      options.stop = stop.get_token();
      QCOMPARE(b.execution->launch(launch_of(), options).error().code, Code::cancelled);
      QVERIFY(b.context->usable);  // nothing ran
    }
    Bed b;
    std::stop_source stop;
    device::LaunchOptions options;
    options.stop = stop.get_token();
    fake.query = CUDA_ERROR_NOT_READY;
    fake.kernel = [&](std::uint64_t) { stop.request_stop(); };
    QCOMPARE(b.execution->launch(launch_of(), options).error().code, Code::cancelled);
    QVERIFY(!b.context->usable);  // it still runs
    for (const auto& [p, n] : fake.sizes) std::free(p);
  }
  void codeForAnotherDevice() {
    const auto context = open_fake();
    fake.cubin = CUDA_ERROR_NO_BINARY_FOR_GPU;
    QVERIFY(load_module(context, code()));  // the PTX is taken
    const auto none = load_module(context, code("", "binary"));
    QVERIFY(!none);
    QCOMPARE(none.error().code, Code::unsupported);
    const auto refused = load_module(context, code(".version 9.0\nnonsense", ""));
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Code::compile);
    QVERIFY2(refused.error().cause.find("line 5: nonsense") != std::string::npos, refused.error().cause.c_str());
    QCOMPARE(load_module(context, code(".entry k(", "binary")).error().code, Code::compile);
  }
};

QTEST_APPLESS_MAIN(DriverTest)
#include "device_driver_test.moc"
