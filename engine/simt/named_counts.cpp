// SPDX-License-Identifier: Apache-2.0
#include "simt/named_counts.h"

namespace ww::simt {

std::vector<std::pair<std::string, std::uint64_t>> named_counts(const Tally& t) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  const auto add = [&](std::string name, std::uint64_t v) { all.emplace_back(std::move(name), v); };
  add("warp_instructions", t.warp_instructions);
  add("thread_instructions", t.thread_instructions);
  add("flops_f16", t.flops_f16);
  add("flops_f32", t.flops_f32);
  add("flops_f64", t.flops_f64);
  add("flops_tensor", t.flops_tensor);
  add("branches", t.branches);
  add("divergent_branches", t.divergent_branches);
  add("branch_threads_taken", t.branch_threads_taken);
  add("branch_threads_not_taken", t.branch_threads_not_taken);
  add("global_load_requests", t.global_load_requests);
  add("global_load_sectors", t.global_load_sectors);
  add("global_load_bytes", t.global_load_bytes);
  add("global_store_requests", t.global_store_requests);
  add("global_store_sectors", t.global_store_sectors);
  add("global_store_bytes", t.global_store_bytes);
  add("global_requests", t.global_load_requests + t.global_store_requests);
  add("global_sectors", t.global_load_sectors + t.global_store_sectors);
  add("global_bytes", t.global_load_bytes + t.global_store_bytes);
  add("shared_load_requests", t.shared_load_requests);
  add("shared_load_wavefronts", t.shared_load_wavefronts);
  add("shared_load_conflicts", t.shared_load_conflicts);
  add("shared_load_bytes", t.shared_load_bytes);
  add("shared_store_requests", t.shared_store_requests);
  add("shared_store_wavefronts", t.shared_store_wavefronts);
  add("shared_store_conflicts", t.shared_store_conflicts);
  add("shared_store_bytes", t.shared_store_bytes);
  add("shared_wavefronts", t.shared_load_wavefronts + t.shared_store_wavefronts);
  add("bank_conflicts", t.shared_load_conflicts + t.shared_store_conflicts);
  add("local_load_requests", t.local_load_requests);
  add("local_store_requests", t.local_store_requests);
  add("barriers", t.barriers);
  add("global_atomics", t.global_atomics);
  add("shared_atomics", t.shared_atomics);
  for (std::size_t c = 0; c < instr_class_count; ++c) {
    const ClassCount& n = t.by_class[c];
    const std::string name(instr_class_name(static_cast<InstrClass>(c)));
    add("warp_instructions." + name, n.warp);
    add("thread_instructions." + name, n.thread);
  }
  return all;
}

}  // namespace ww::simt
