// SPDX-License-Identifier: Apache-2.0
#include "cuda/timing_replay.h"
#include <utility>

namespace ww::cuda {

Status enqueue_plainly(Context& context, const device::TimedSubject& subject) {
  for (const device::TimedSubject::Zeroed& z : subject.zeroed) {
    if (!subject.execution)
      return fail(Code::invalid_argument, "'" + subject.name + "' has buffers to be zeroed and no execution");
    const auto at = WW_TRY(subject.execution->address(z.name));
    if (auto s =
            checked(context, context.driver->cuMemsetD8Async_(at, 0, z.bytes, context.stream), "zero '" + z.name + "'");
        !s)
      return s;
  }
  if (subject.enqueue) return subject.enqueue(context.stream);
  for (const candidate::PlannedLaunch& launch : subject.launches)
    if (auto s = enqueue(*subject.execution, launch, context.stream); !s) return s;
  return {};
}

Result<TimedReplay> TimedReplay::make(Context& context, const device::TimedSubject& subject, int copies) {
  const Driver& d = *context.driver;
  TimedReplay r(context, subject);
  // Relaxed: a library may allocate while it enqueues.
  WW_TRY(checked(context, d.cuStreamBeginCapture_(context.stream, CU_STREAM_CAPTURE_MODE_RELAXED), "begin a graph"));
  Status enqueued;
  for (int i = 0; i < copies && enqueued; ++i) enqueued = enqueue_plainly(context, subject);
  CUgraph graph = nullptr;
  CUresult code = d.cuStreamEndCapture_(context.stream, &graph);
  if (enqueued && code == CUDA_SUCCESS) code = d.cuGraphInstantiate_(&r.graph_, graph, 0);
  if (graph) d.cuGraphDestroy_(graph);
  if (!context.usable)
    return fail(enqueued ? Error{Code::unavailable, "the GPU was lost while a graph was made"} : enqueued.error());
  if (!enqueued || code != CUDA_SUCCESS) {
    r.graph_ = nullptr;
    r.why_not_ = !enqueued ? enqueued.error().text() : d.text(code);
    return r;
  }
  r.copies_ = copies;
  WW_TRY(checked(context, d.cuGraphUpload_(r.graph_, context.stream), "upload a graph"));
  return r;
}

TimedReplay::TimedReplay(TimedReplay&& o) noexcept
    : context_(o.context_),
      subject_(o.subject_),
      graph_(std::exchange(o.graph_, nullptr)),
      copies_(o.copies_),
      why_not_(std::move(o.why_not_)) {}

TimedReplay& TimedReplay::operator=(TimedReplay&& o) noexcept {
  std::swap(context_, o.context_), std::swap(subject_, o.subject_), std::swap(graph_, o.graph_),
      std::swap(copies_, o.copies_);
  std::swap(why_not_, o.why_not_);
  return *this;
}

TimedReplay::~TimedReplay() {
  if (graph_ && context_->usable) context_->driver->cuGraphExecDestroy_(graph_);
}

Status TimedReplay::enqueue() const {
  if (!graph_) return enqueue_plainly(*context_, *subject_);
  return checked(*context_, context_->driver->cuGraphLaunch_(graph_, context_->stream),
                 "launch the graph of '" + subject_->name + "'");
}

}  // namespace ww::cuda
