// SPDX-License-Identifier: Apache-2.0
#include "cuda/pc_sampling.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include "cuda/cupti_range.h"

namespace ww::cuda {
#ifndef WW_HAVE_CUPTI

Result<std::string> sample_lines(Context&, CudaExecution&, Replay&, std::vector<profile::KernelCounters>&,
                                 const std::stop_token&) {
  return Cupti::get().error().message;
}

#else
namespace {

constexpr std::size_t most_addresses = 1 << 14;                  // instructions of one kernel that are kept
constexpr double wanted_samples = 400'000;                       // of one kernel, about
constexpr std::size_t hardware_buffer = std::size_t{256} << 20;  // bytes of the device's memory

// CUPTI's parameter blocks of sampling name their size "size", not "structSize".
template <class Params>
Params sized(std::size_t size, CUcontext context) {
  Params p{};
  p.size = size;
  p.ctx = context;
  return p;
}

struct Reasons {
  std::map<std::uint32_t, std::string>
      names;  // "long_scoreboard"; those of samples without an issue are left out: they are counted in the others, too
  std::size_t count = 0;
};

CUptiResult read_reasons(const Cupti& cupti, CUcontext context, Reasons& out) {
  auto number = sized<CUpti_PCSamplingGetNumStallReasonsParams>(CUpti_PCSamplingGetNumStallReasonsParamsSize, context);
  number.numStallReasons = &out.count;
  if (const CUptiResult code = cupti.cuptiPCSamplingGetNumStallReasons_(&number); code != CUPTI_SUCCESS) return code;
  std::vector<std::uint32_t> index(out.count);
  std::vector<std::string> text(out.count, std::string(CUPTI_STALL_REASON_STRING_SIZE, '\0'));
  std::vector<char*> pointers;
  for (std::string& t : text) pointers.push_back(t.data());
  auto names = sized<CUpti_PCSamplingGetStallReasonsParams>(CUpti_PCSamplingGetStallReasonsParamsSize, context);
  names.numStallReasons = out.count;
  names.stallReasonIndex = index.data();
  names.stallReasons = pointers.data();
  if (const CUptiResult code = cupti.cuptiPCSamplingGetStallReasons_(&names); code != CUPTI_SUCCESS) return code;
  for (std::size_t i = 0; i < out.count; ++i) {
    std::string name = text[i].c_str();
    if (name.ends_with("_not_issued")) continue;
    for (const std::string_view front : {"smsp__pcsamp_warps_issue_stalled_", "smsp__pcsamp_"})
      if (name.starts_with(front)) {
        name.erase(0, front.size());
        break;
      }
    out.names[index[i]] = name;
  }
  return CUPTI_SUCCESS;
}

struct Buffer {  // where CUPTI puts samples
  std::vector<CUpti_PCSamplingPCData> addresses;
  std::vector<CUpti_PCSamplingStallReason> reasons;
  CUpti_PCSamplingData data{};
  explicit Buffer(std::size_t reason_count) : addresses(most_addresses), reasons(most_addresses * reason_count) {
    for (std::size_t i = 0; i < most_addresses; ++i) {
      addresses[i].size = sizeof(CUpti_PCSamplingPCData);
      addresses[i].stallReason = &reasons[i * reason_count];
    }
    data.size = sizeof data;
    data.collectNumPcs = most_addresses;
    data.pPcData = addresses.data();
  }
};

// The candidate's line of an instruction, 0 where it has none. The candidate's own text is compiled under the name
// "candidate.cu".
int line_of(const Cupti& cupti, const std::string& cubin, const char* function, std::uint64_t offset) {
  auto p = CUpti_GetSassToSourceCorrelationParams{};
  p.size = CUpti_GetSassToSourceCorrelationParamsSize;
  p.cubin = cubin.data();
  p.cubinSize = cubin.size();
  p.functionName = function;
  p.pcOffset = offset;
  if (cupti.cuptiGetSassToSourceCorrelation_(&p) != CUPTI_SUCCESS) return 0;
  const std::string file = p.fileName ? p.fileName : "";
  std::free(p.fileName);
  std::free(p.dirName);
  return file.ends_with("candidate.cu") || file.ends_with("candidate.ptx") ? static_cast<int>(p.lineNumber) : 0;
}

// Cycles between two samples are a power of two: the exponent that gives about wanted_samples, from the kernel's
// measured cycles.
std::uint32_t period_for(const Context& context, const std::vector<profile::KernelCounters>& kernels) {
  double cycles = 0;
  for (const profile::KernelCounters& k : kernels)
    for (const profile::Counter& c : k.values)
      if (c.name == "smsp__cycles_active.avg" && c.value > cycles) cycles = c.value;
  const double a_cycle = cycles * std::max(1, context.multiprocessors) / wanted_samples;
  if (!(a_cycle > 32)) return 5;
  return static_cast<std::uint32_t>(std::clamp(std::ceil(std::log2(a_cycle)), 5.0, 31.0));
}

class Sampling {  // enabled from its making to its end
 public:
  Sampling(const Cupti& cupti, Context& context) : cupti_(cupti), context_(context) {}
  Sampling(const Sampling&) = delete;
  Sampling& operator=(const Sampling&) = delete;
  ~Sampling() {
    if (!enabled_ || !context_.usable) return;
    auto p = sized<CUpti_PCSamplingDisableParams>(CUpti_PCSamplingDisableParamsSize, context_.context);
    cupti_.cuptiPCSamplingDisable_(&p);
  }
  CUptiResult enable() {
    auto p = sized<CUpti_PCSamplingEnableParams>(CUpti_PCSamplingEnableParamsSize, context_.context);
    const CUptiResult code = cupti_.cuptiPCSamplingEnable_(&p);
    enabled_ = code == CUPTI_SUCCESS;
    return code;
  }
  CUptiResult configure(std::uint32_t period, Buffer& overflow) {
    CUpti_PCSamplingConfigurationInfo settings[6] = {};
    settings[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
    settings[0].attributeData.collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED;
    settings[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
    settings[1].attributeData.samplingPeriodData.samplingPeriod = period;
    settings[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE;
    settings[2].attributeData.scratchBufferSizeData.scratchBufferSize = std::size_t{16} << 20;
    settings[3].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE;
    settings[3].attributeData.hardwareBufferSizeData.hardwareBufferSize = hardware_buffer;
    settings[4].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
    settings[4].attributeData.enableStartStopControlData.enableStartStopControl = 1;
    settings[5].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
    settings[5].attributeData.samplingDataBufferData.samplingDataBuffer = &overflow.data;
    auto p =
        sized<CUpti_PCSamplingConfigurationInfoParams>(CUpti_PCSamplingConfigurationInfoParamsSize, context_.context);
    p.numAttributes = std::size(settings);
    p.pPCSamplingConfigurationInfo = settings;
    return cupti_.cuptiPCSamplingSetConfigurationAttribute_(&p);
  }
  CUptiResult start() {
    auto p = sized<CUpti_PCSamplingStartParams>(CUpti_PCSamplingStartParamsSize, context_.context);
    return cupti_.cuptiPCSamplingStart_(&p);
  }
  CUptiResult stop() {
    auto p = sized<CUpti_PCSamplingStopParams>(CUpti_PCSamplingStopParamsSize, context_.context);
    return cupti_.cuptiPCSamplingStop_(&p);
  }
  CUptiResult collect(Buffer& into) {
    auto p = sized<CUpti_PCSamplingGetDataParams>(CUpti_PCSamplingGetDataParamsSize, context_.context);
    p.pcSamplingData = &into.data;
    return cupti_.cuptiPCSamplingGetData_(&p);
  }

 private:
  const Cupti& cupti_;
  Context& context_;
  bool enabled_ = false;
};

}  // namespace

Result<std::string> sample_lines(Context& context, CudaExecution& execution, Replay& replay,
                                 std::vector<profile::KernelCounters>& kernels, const std::stop_token& stop) {
  if (const Refusal no = prepare_cupti(context, CUPTI_PROFILER_PC_SAMPLING)) return no.why;
  const Cupti& cupti = **Cupti::get();
  if (!cupti.samples()) return "there are no samples per line: this CUPTI does not offer program counter sampling";
  const std::string& cubin = execution.image()->cubin;
  if (cubin.empty())
    return "there are no samples per line: the code was not compiled for this GPU's architecture before it was loaded";
  const auto refused = [&](CUptiResult code, const char* doing) {
    return "there are no samples per line: CUPTI could not " + std::string(doing) + ": " + cupti.text(code);
  };
  Reasons reasons;
  // The buffer for samples that were not collected outlives the sampling.
  std::unique_ptr<Buffer> overflow;
  Sampling sampling(cupti, context);
  if (const CUptiResult code = sampling.enable(); code != CUPTI_SUCCESS) return refused(code, "begin to sample");
  if (const CUptiResult code = read_reasons(cupti, context.context, reasons); code != CUPTI_SUCCESS)
    return refused(code, "name what warps wait for");
  overflow = std::make_unique<Buffer>(reasons.count);
  if (const CUptiResult code = sampling.configure(period_for(context, kernels), *overflow); code != CUPTI_SUCCESS)
    return refused(code, "be set to sample");
  // CUPTI knows only code that the driver puts on the GPU while it samples, and the driver does that when a kernel is
  // first launched.
  const std::unique_ptr<LoadedCode> fresh = WW_TRY(LoadedCode::load(context, execution.image()));
  WW_TRY(replay.restore());
  std::uint64_t foreign = 0, dropped = 0;
  bool any = false;
  for (std::size_t i = 0; i < replay.size(); ++i) {
    if (stop.stop_requested()) return fail(Code::cancelled, "cancelled while lines were sampled");
    if (const CUptiResult code = sampling.start(); code != CUPTI_SUCCESS) return refused(code, "start to sample");
    WW_TRY(replay.launch(i, *fresh));
    if (const CUptiResult code = sampling.stop(); code != CUPTI_SUCCESS) return refused(code, "stop sampling");
    std::map<int, std::map<std::string, std::uint64_t>> by_line;
    for (std::size_t round = 0, left = 1; left > 0 && round < 64; ++round) {
      Buffer buffer(reasons.count);
      if (const CUptiResult code = sampling.collect(buffer); code != CUPTI_SUCCESS && code != CUPTI_ERROR_OUT_OF_MEMORY)
        return refused(code, "collect samples");
      foreign += buffer.data.nonUsrKernelsTotalSamples;
      dropped += buffer.data.droppedSamples;
      for (std::size_t k = 0; k < std::min(buffer.data.totalNumPcs, most_addresses); ++k) {
        const CUpti_PCSamplingPCData& at = buffer.addresses[k];
        // The names are CUPTI's to share between records and sessions, and small: none is freed here.
        const int line = at.functionName ? line_of(cupti, cubin, at.functionName, at.pcOffset) : 0;
        for (std::size_t r = 0; r < at.stallReasonCount; ++r) {
          const auto name = reasons.names.find(at.stallReason[r].pcSamplingStallReasonIndex);
          if (name != reasons.names.end() && at.stallReason[r].samples > 0)
            by_line[line][name->second] += at.stallReason[r].samples;
        }
      }
      left = buffer.data.totalNumPcs > 0 ? buffer.data.remainingNumPcs : 0;
    }
    if (i >= kernels.size()) continue;
    kernels[i].lines.clear();
    for (auto& [line, counts] : by_line) {
      profile::StallSamples s;
      s.line = line;
      s.reasons.assign(counts.begin(), counts.end());
      std::sort(s.reasons.begin(), s.reasons.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
      });
      kernels[i].lines.push_back(std::move(s));
      any = true;
    }
  }
  if (any) return std::string();
  if (foreign > 0) return "there are no samples per line: CUPTI did not know the code that ran";
  return dropped > 0 ? "there are no samples per line: the GPU dropped them"
                     : "there are no samples per line: the kernels ended before the first was taken";
}

#endif
}  // namespace ww::cuda
