// SPDX-License-Identifier: Apache-2.0
#include "generator/wrong_elements.h"
#include "evidence/explain.h"
#include "generator/gate_request.h"
#include "rpc/second_judge.h"
#include "rpc/worker_profile.h"

namespace ww::generator {

Result<evidence::WrongMap> wrong_elements(store::Workspace& workspace, std::int64_t id, std::stop_token stop,
                                          const rpc::ProgressHandler& progress) {
  const store::CandidateRecord c = WW_TRY(workspace.candidate(id));
  const store::RunRecord run = WW_TRY(workspace.run(c.run));
  const evidence::Failure* said = c.verdict ? evidence::failure_to_map(*c.verdict) : nullptr;
  if (!said) return fail(Code::invalid_argument, "the verdict names no wrong element");
  if (c.verdict->proof.secret.empty())
    return fail(Code::invalid_argument, "the verdict does not record its secret: judge it again");
  const RunOptions options = WW_TRY(options_from_json(run.options));
  rpc::GateRequest request = gate_request(options, c);
  request.device = run.device;
  request.architecture = run.architecture;
  request = rpc::repeated(std::move(request), *c.verdict);
  request.measure = false;
  rpc::WorkerOptions how;
  how.profile = rpc::worker_profile(request.device);
  if (!run.imported) how.memory_limit = options.worker.memory_limit;
  rpc::Supervisor worker(how);
  evidence::WrongMap map = WW_TRY(worker.show_wrong(request, std::move(stop), progress));
  const evidence::Failure& found = map.failure;
  if (found.case_name != said->case_name || found.seed != said->seed || found.element->tensor != said->element->tensor)
    return fail(Code::not_found, "the repeated judgement found another fault: " + evidence::case_text(found) + ", " +
                                     found.element->tensor);
  return map;
}

}  // namespace ww::generator
