// SPDX-License-Identifier: Apache-2.0
#include "cuda/cupti_range.h"
#include <map>
#include <mutex>
#include <set>

namespace ww::cuda {
#ifdef WW_HAVE_CUPTI
namespace {

constexpr const char* allow_counters =
    "the machine's owner has reserved hardware counters for administrators. To allow them for everyone, load the "
    "driver's module with "
    "NVreg_RestrictProfilingToAdminUsers=0 (in /etc/modprobe.d, then restart); or run Warpwright as root or with "
    "CAP_SYS_ADMIN. In a container that "
    "emulates the kernel (gVisor), or in a virtual machine that does not pass the counters on, they cannot be had";

template <class Params>
Params sized(std::size_t size) {
  Params p{};
  p.structSize = size;
  return p;
}
#define WW_PARAMS(type) sized<type>(type##_STRUCT_SIZE)

// What keeps a device from being profiled, of the fields of CUPTI's answer.
std::string unsupported_text(const CUpti_Profiler_DeviceSupported_Params& p) {
  const auto not_supported = [](CUpti_Profiler_Support_Level level) {
    return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
  };
  if (not_supported(p.architecture)) return "its architecture is older than compute capability 7.0";
  if (not_supported(p.vGpu))
    return "it is a virtual GPU whose host does not pass the counters on (the host's administrator can allow them: "
           "enable_profiling=1)";
  if (not_supported(p.confidentialCompute)) return "confidential computing is on";
  if (not_supported(p.wsl)) return "this driver does not offer them under the Windows Subsystem for Linux";
  if (not_supported(p.sli)) return "the GPU is part of an SLI group";
  if (not_supported(p.cmp)) return "it is a mining processor";
  return "CUPTI gives no reason";
}

CUptiResult initialise(const Cupti& cupti) {
  static const CUptiResult code = [&] {
    auto p = WW_PARAMS(CUpti_Profiler_Initialize_Params);
    return cupti.cuptiProfilerInitialize_(&p);
  }();
  return code;
}

CUpti_Profiler_Host_Object* make_host(const Cupti& cupti, const std::string& chip,
                                      const std::vector<std::uint8_t>& availability, CUptiResult& code) {
  auto p = WW_PARAMS(CUpti_Profiler_Host_Initialize_Params);
  p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  p.pChipName = chip.c_str();
  p.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  code = cupti.cuptiProfilerHostInitialize_(&p);
  return code == CUPTI_SUCCESS ? p.pHostObject : nullptr;
}

CUptiResult add_metrics(const Cupti& cupti, CUpti_Profiler_Host_Object* host, std::vector<const char*>& names) {
  auto p = WW_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  p.pHostObject = host;
  p.ppMetricNames = names.data();
  p.numMetrics = names.size();
  return cupti.cuptiProfilerHostConfigAddMetrics_(&p);
}

void drop(const Cupti& cupti, CUpti_Profiler_Host_Object* host) {
  auto p = WW_PARAMS(CUpti_Profiler_Host_Deinitialize_Params);
  p.pHostObject = host;
  cupti.cuptiProfilerHostDeinitialize_(&p);
}

bool has_metric(const Cupti& cupti, const std::string& chip, const std::vector<std::uint8_t>& availability,
                const std::string& name) {
  CUptiResult code = CUPTI_SUCCESS;
  CUpti_Profiler_Host_Object* host =
      make_host(cupti, chip, availability, code);  // a refused metric spoils the object for others
  if (!host) return false;
  std::vector<const char*> names{name.c_str()};
  const bool has = add_metrics(cupti, host, names) == CUPTI_SUCCESS;
  drop(cupti, host);
  return has;
}

Scheduled make_schedule(const Cupti& cupti, const Context& context, const std::string& chip, const CounterSet& set) {
  const auto refused = [&](CUptiResult code, const std::string& doing) {
    return Scheduled{nullptr, {refusal_text(cupti, code, doing)}};
  };
  CUptiResult code = CUPTI_SUCCESS;
  std::vector<std::uint8_t> availability;
  CUpti_Profiler_Host_Object* host = make_host(cupti, chip, availability, code);
  if (!host) {  // a chip newer than this CUPTI: the driver describes it (half a second)
    auto p = WW_PARAMS(CUpti_Profiler_GetCounterAvailability_Params);
    p.ctx = context.context;
    if (code = cupti.cuptiProfilerGetCounterAvailability_(&p); code != CUPTI_SUCCESS)
      return refused(code, "describe the chip " + chip);
    availability.resize(p.counterAvailabilityImageSize);
    p.pCounterAvailabilityImage = availability.data();
    if (code = cupti.cuptiProfilerGetCounterAvailability_(&p); code != CUPTI_SUCCESS)
      return refused(code, "describe the chip " + chip);
    host = make_host(cupti, chip, availability, code);
    if (!host) return refused(code, "describe the chip " + chip);
  }
  auto schedule = std::make_unique<Schedule>();
  schedule->metrics = set.metrics;
  const auto name_all = [&] {
    schedule->names.clear();
    for (const Metric& m : schedule->metrics) schedule->names.push_back(m.name.c_str());
    return add_metrics(cupti, host, schedule->names);
  };
  code = name_all();
  if (code == CUPTI_ERROR_INVALID_METRIC_NAME ||
      code == CUPTI_ERROR_INVALID_PARAMETER) {  // some are not of this chip: left out one by one
    std::erase_if(schedule->metrics, [&](const Metric& m) { return !has_metric(cupti, chip, availability, m.name); });
    drop(cupti, host);
    CUptiResult other = CUPTI_SUCCESS;
    host = make_host(cupti, chip, availability, other);
    if (!host || schedule->metrics.empty())
      return refused(code, "find the metrics of the set '" + set.name + "' on the chip " + chip);
    code = name_all();
  }
  if (code != CUPTI_SUCCESS) return refused(code, "schedule the metrics of the set '" + set.name + "'");
  auto size = WW_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = host;
  if (code = cupti.cuptiProfilerHostGetConfigImageSize_(&size); code != CUPTI_SUCCESS)
    return refused(code, "schedule the metrics");
  schedule->config.resize(size.configImageSize);
  auto image = WW_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params);
  image.pHostObject = host;
  image.pConfigImage = schedule->config.data();
  image.configImageSize = schedule->config.size();
  if (code = cupti.cuptiProfilerHostGetConfigImage_(&image); code != CUPTI_SUCCESS)
    return refused(code, "schedule the metrics");
  auto passes = WW_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params);
  passes.configImageSize = schedule->config.size();
  passes.pConfigImage = schedule->config.data();
  if (code = cupti.cuptiProfilerHostGetNumOfPasses_(&passes); code != CUPTI_SUCCESS)
    return refused(code, "count the passes");
  schedule->passes = passes.numOfPasses;
  schedule->host = host;
  return {schedule.release(), {}};
}

}  // namespace

std::string refusal_text(const Cupti& cupti, CUptiResult code, const std::string& doing) {
  switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return std::string("hardware counters are denied: ") + allow_counters;
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "there are no hardware counters: the GPU is virtualised, and its host does not pass them on";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "there are no hardware counters: this CUPTI does not offer them on a part of a GPU (MIG)";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "there are no hardware counters: confidential computing is on";
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return "there are no hardware counters under the Windows Subsystem for Linux with this driver";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "the hardware counters are in use by another profiler (Nsight, another Warpwright): end it and try again";
    case CUPTI_ERROR_OUT_OF_MEMORY: return "there is no memory for the hardware counters: CUPTI could not " + doing;
    default: return "there are no hardware counters: CUPTI could not " + doing + ": " + cupti.text(code);
  }
}

void release_cupti(const Context& context) {
  const Result<const Cupti*> cupti = Cupti::get();
  if (cupti && context.usable) (*cupti)->cuptiFinalize_();
}

Refusal prepare_cupti(const Context& context, CUpti_Profiler_API api) {
  const Result<const Cupti*> loaded = Cupti::get();
  if (!loaded) return {"there are no hardware counters: " + loaded.error().text()};
  const Cupti& cupti = **loaded;
  if (const CUptiResult code = initialise(cupti); code != CUPTI_SUCCESS) return {refusal_text(cupti, code, "begin")};
  static std::mutex mutex;
  static std::set<std::pair<CUdevice, int>> supported;  // asked once
  std::lock_guard lock(mutex);
  if (supported.count({context.device, api})) return {};
  auto p = WW_PARAMS(CUpti_Profiler_DeviceSupported_Params);
  p.cuDevice = context.device;
  p.api = api;
  const CUptiResult code = cupti.cuptiProfilerDeviceSupported_(&p);
  if (code == CUPTI_ERROR_NOT_INITIALIZED) return {};  // after release_cupti() it does not answer; enabling will
  if (code != CUPTI_SUCCESS) return {refusal_text(cupti, code, "look at " + context.name)};
  if (p.isSupported == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
      p.isSupported == CUPTI_PROFILER_CONFIGURATION_DISABLED)
    return {"there are no hardware counters on " + context.name + ": " + unsupported_text(p)};
  supported.insert({context.device, api});
  return {};
}

Scheduled schedule_of(const Context& context, const CounterSet& set) {
  const Cupti& cupti = **Cupti::get();
  static std::mutex mutex;
  static std::map<int, std::string> chips;  // by the device's number
  std::string chip;
  {
    std::lock_guard lock(mutex);
    std::string& known = chips[context.ordinal];
    if (known.empty()) {
      auto p = WW_PARAMS(CUpti_Device_GetChipName_Params);
      p.deviceIndex = static_cast<std::size_t>(context.ordinal);
      if (const CUptiResult code = cupti.cuptiDeviceGetChipName_(&p); code != CUPTI_SUCCESS || !p.pChipName)
        return {nullptr, {refusal_text(cupti, code, "name the chip of " + context.name)}};
      known = p.pChipName;
    }
    chip = known;
  }
  return schedule_for(chip, context, set);
}

Scheduled schedule_for(const std::string& chip, const Context& context, const CounterSet& set) {
  const Cupti& cupti = **Cupti::get();
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, const Schedule*>
      kept;  // never freed: CUPTI's objects live to the end of the process
  const std::pair<std::string, std::string> key{chip, set.name};
  std::lock_guard lock(mutex);
  if (const auto at = kept.find(key); at != kept.end()) return {at->second, {}};
  Scheduled made = make_schedule(cupti, context, key.first, set);
  if (made.schedule) kept[key] = made.schedule;
  return made;
}

RangeProfiler::~RangeProfiler() {
  if (!object_ || !context_.usable) return;  // of a context that a fault took, nothing can be given back
  if (started_) {
    bool done = false;
    stop(done);
  }
  auto p = WW_PARAMS(CUpti_RangeProfiler_Disable_Params);
  p.pRangeProfilerObject = object_;
  cupti_->cuptiRangeProfilerDisable_(&p);
}

Refusal RangeProfiler::begin(const Schedule& schedule, std::size_t kernels) {
  cupti_ = *Cupti::get();
  schedule_ = &schedule;
  auto enable = WW_PARAMS(CUpti_RangeProfiler_Enable_Params);
  enable.ctx = context_.context;
  if (const CUptiResult code = cupti_->cuptiRangeProfilerEnable_(&enable); code != CUPTI_SUCCESS)
    return {refusal_text(*cupti_, code, "begin on " + context_.name)};
  object_ = enable.pRangeProfilerObject;
  auto size = WW_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params);
  size.pRangeProfilerObject = object_;
  std::vector<const char*> names = schedule.names;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = kernels;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(kernels);
  if (const CUptiResult code = cupti_->cuptiRangeProfilerGetCounterDataSize_(&size); code != CUPTI_SUCCESS)
    return {refusal_text(*cupti_, code, "size its buffers")};
  image_.assign(size.counterDataSize, 0);
  auto initialise = WW_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  initialise.pRangeProfilerObject = object_;
  initialise.pCounterData = image_.data();
  initialise.counterDataSize = image_.size();
  if (const CUptiResult code = cupti_->cuptiRangeProfilerCounterDataImageInitialize_(&initialise);
      code != CUPTI_SUCCESS)
    return {refusal_text(*cupti_, code, "prepare its buffers")};
  auto config = WW_PARAMS(CUpti_RangeProfiler_SetConfig_Params);
  config.pRangeProfilerObject = object_;
  config.configSize = schedule.config.size();
  config.pConfig = schedule.config.data();
  config.counterDataImageSize = image_.size();
  config.pCounterDataImage = image_.data();
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_UserReplay;
  config.maxRangesPerPass = kernels;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.passIndex = 0;
  config.targetNestingLevel = 1;
  if (const CUptiResult code = cupti_->cuptiRangeProfilerSetConfig_(&config); code != CUPTI_SUCCESS)
    return {refusal_text(*cupti_, code, "be configured")};
  return {};
}

Refusal RangeProfiler::start() {
  auto p = WW_PARAMS(CUpti_RangeProfiler_Start_Params);
  p.pRangeProfilerObject = object_;
  if (const CUptiResult code = cupti_->cuptiRangeProfilerStart_(&p); code != CUPTI_SUCCESS)
    return {refusal_text(*cupti_, code, "start a pass")};
  started_ = true;
  return {};
}

Refusal RangeProfiler::stop(bool& all_passes_done) {
  auto p = WW_PARAMS(CUpti_RangeProfiler_Stop_Params);
  p.pRangeProfilerObject = object_;
  started_ = false;
  if (const CUptiResult code = cupti_->cuptiRangeProfilerStop_(&p); code != CUPTI_SUCCESS)
    return {refusal_text(*cupti_, code, "end a pass")};
  all_passes_done = p.isAllPassSubmitted != 0;
  return {};
}

Refusal RangeProfiler::decode(std::vector<std::vector<double>>& values) {
  auto decode = WW_PARAMS(CUpti_RangeProfiler_DecodeData_Params);
  decode.pRangeProfilerObject = object_;
  if (const CUptiResult code = cupti_->cuptiRangeProfilerDecodeData_(&decode); code != CUPTI_SUCCESS)
    return {refusal_text(*cupti_, code, "decode the counters")};
  if (decode.numOfRangeDropped != 0)
    return {"there are no hardware counters: CUPTI dropped " + std::to_string(decode.numOfRangeDropped) + " kernels"};
  auto info = WW_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  if (const CUptiResult code = cupti_->cuptiRangeProfilerGetCounterDataInfo_(&info); code != CUPTI_SUCCESS)
    return {refusal_text(*cupti_, code, "read the counters")};
  values.clear();
  for (std::size_t range = 0; range < info.numTotalRanges; ++range) {
    std::vector<double> row(schedule_->names.size(), profile::unknown);
    std::vector<const char*> names = schedule_->names;
    auto p = WW_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
    p.pHostObject = schedule_->host;
    p.pCounterDataImage = image_.data();
    p.counterDataImageSize = image_.size();
    p.rangeIndex = range;
    p.ppMetricNames = names.data();
    p.numMetrics = names.size();
    p.pMetricValues = row.data();
    if (const CUptiResult code = cupti_->cuptiProfilerHostEvaluateToGpuValues_(&p); code != CUPTI_SUCCESS)
      return {refusal_text(*cupti_, code, "evaluate the counters")};
    values.push_back(std::move(row));
  }
  return {};
}

#endif
}  // namespace ww::cuda
