// SPDX-License-Identifier: Apache-2.0
#include "sim/placed.h"
#include <algorithm>
#include <span>
#include "sim/bytes.h"
#include "sim/findings.h"

namespace ww::sim {
namespace {

constexpr int most_runs = 1000;

// A whole number may stand for a real one.
void add(simt::Arguments& arguments, const simt::KernelInfo& kernel, std::size_t index, const Number& n) {
  const bool real = index < kernel.params.size() && kernel.params[index].type.starts_with('f');
  if (real || std::holds_alternative<double>(n))
    arguments.add_f64(std::visit([](auto v) { return static_cast<double>(v); }, n));
  else if (const auto* whole = std::get_if<std::int64_t>(&n))
    arguments.add_i64(*whole);
  else
    arguments.add_bytes(std::as_bytes(std::span(&std::get<std::uint64_t>(n), 1)));
}

Status fill_one(simt::Memory& memory, const PlacedJob::Buffer& p) {
  const auto bytes = static_cast<std::size_t>(p.what->bytes);
  WW_TRY(memory.set_read_only(p.address, false));
  WW_TRY(memory.poison(p.address, bytes));
  if (p.what->content) {
    const std::string content = WW_TRY(bytes_of_hex(*p.what->content));
    if (content.size() > bytes) return fail(Code::invalid_argument, p.what->name + " has more content than room");
    WW_TRY(memory.write(p.address, content.data(), content.size()));
  }
  return memory.set_read_only(p.address, p.what->read_only);
}

}  // namespace

Result<const simt::KernelInfo*> kernel_of(const simt::Program& program, const std::string& entry) {
  const auto& kernels = program.kernels();
  std::string names;
  for (const simt::KernelInfo& k : kernels) names += (names.empty() ? "" : ", ") + plain_name(k.name);
  if (kernels.empty()) return fail(Code::not_found, "the code has no kernel");
  if (entry.empty()) {
    if (kernels.size() == 1) return &kernels[0];
    return fail(Code::not_found, "the code has several kernels; name one with 'entry'", names);
  }
  if (const simt::KernelInfo* k = program.kernel(entry)) return k;
  const simt::KernelInfo* found = nullptr;
  for (const simt::KernelInfo& k : kernels) {
    if (plain_name(k.name) != entry) continue;
    if (found) return fail(Code::not_found, "several kernels are named " + entry + "; name one as the PTX does", names);
    found = &k;
  }
  if (!found) return fail(Code::not_found, "the code has no kernel " + entry, "it has " + names);
  return found;
}

std::int64_t product(const std::vector<std::int64_t>& d) {
  std::int64_t n = 1;
  for (const std::int64_t v : d) n = v > 0 && n <= 0x7fffffff / v ? n * v : 0x7fffffff;
  return n;
}

Status check_numbers(const Job& job) {
  for (const auto* d : {&job.grid, &job.block, &job.cluster})
    if (d->empty() || d->size() > 3 || std::ranges::any_of(*d, [](std::int64_t n) { return n < 1 || n > 0x7fffffff; }))
      return fail(Code::invalid_argument, "grid, block and cluster have one to three numbers from 1 on");
  if (job.dyn_shared < 0 || job.budget < 0) return fail(Code::invalid_argument, "a size or the budget is negative");
  if (job.runs < 1 || job.runs > most_runs)
    return fail(Code::invalid_argument, "the number of runs must lie between 1 and " + std::to_string(most_runs));
  return {};
}

Status PlacedJob::place(const Job& job, const simt::Program& program, const simt::KernelInfo& kernel) {
  if (job.seed != 0) memory.scatter(job.seed);
  simt::Arguments arguments(kernel);
  for (std::size_t i = 0; i < job.args.size(); ++i) {
    const JobArgument& a = job.args[i];
    if (a.buffer) {
      if (a.buffer->bytes < 0) return fail(Code::invalid_argument, a.buffer->name + " has a negative size");
      const std::uint64_t address = WW_TRY(memory.allocate(static_cast<std::size_t>(a.buffer->bytes), a.buffer->name));
      buffers.push_back({&*a.buffer, address});
      arguments.add_pointer(address);
    } else if (a.value) {
      const std::string bytes = WW_TRY(bytes_of_hex(*a.value));
      arguments.add_bytes(std::as_bytes(std::span(bytes)));
    } else if (a.number) {
      add(arguments, kernel, i, *a.number);
    } else {
      return fail(Code::invalid_argument, "argument " + std::to_string(i) + " has no value");
    }
  }
  config.params = WW_TRY(arguments.bytes());
  for (const JobBuffer& s : job.symbols) {
    const std::uint64_t address = WW_TRY(memory.symbol(program, s.name));
    const std::size_t size = WW_TRY(memory.span(address)).size();
    if (static_cast<std::int64_t>(size) != s.bytes)
      return fail(Code::invalid_argument,
                  "the variable " + s.name + " has " + std::to_string(size) + " bytes, not " + std::to_string(s.bytes));
    symbols.push_back({&s, address});
  }
  const auto dim = [](const std::vector<std::int64_t>& d) {
    const auto at = [&](std::size_t i) { return i < d.size() ? static_cast<std::uint32_t>(d[i]) : 1u; };
    return simt::Dim3{at(0), at(1), at(2)};
  };
  config.grid = dim(job.grid);
  config.block = dim(job.block);
  config.dynamic_shared = static_cast<std::size_t>(job.dyn_shared);
  return {};
}

Status PlacedJob::fill() {
  for (const Buffer& p : buffers) WW_TRY(fill_one(memory, p));
  for (const Buffer& p : symbols) {
    if (!p.what->content) continue;
    const std::string content = WW_TRY(bytes_of_hex(*p.what->content));
    WW_TRY(memory.write(p.address, content.data(), content.size()));
  }
  return {};
}

}  // namespace ww::sim
