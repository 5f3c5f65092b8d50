// SPDX-License-Identifier: Apache-2.0
#include "simt/memory.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include "simt/memory_state.h"
#include "simt/program_data.h"
#include "simt/surroundings.h"

namespace ww::simt {
namespace {

constexpr std::uint64_t granule = 256, step = 32;
constexpr std::uint8_t fresh = 0xA5;

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to * to; }

std::string at_text(std::uint64_t address, std::size_t bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "0x%llx (%zu bytes)", static_cast<unsigned long long>(address), bytes);
  return text;
}

// The buffer that holds the whole range, or null.
Buffer* holder(const Memory::State& s, std::uint64_t address, std::size_t bytes) {
  Buffer* b = s.find(address);
  if (b == nullptr || bytes > b->size || address - b->address > b->size - bytes) return nullptr;
  return b;
}

tl::unexpected<Error> no_buffer(std::uint64_t address, std::size_t bytes) {
  return fail(Code::invalid_argument, "no simulated buffer contains " + at_text(address, bytes));
}

void mark(Buffer& b, std::uint64_t offset, std::size_t bytes) {
  if (b.init == nullptr) return;
  if (bytes == b.size)
    b.init = nullptr;
  else
    std::memset(b.init + offset, 1, bytes);
}

}  // namespace

Buffer* empty_buffer() {
  static Buffer none;
  return &none;
}

Result<Buffer*> Memory::State::allocate(std::size_t bytes, std::string name, std::uint64_t owner, bool heap,
                                        std::uint64_t ahead) {
  if (bytes > capacity || in_use > capacity - bytes)
    return fail(Code::invalid_argument, "simulated memory is exhausted",
                name + " needs " + std::to_string(bytes) + " bytes");
  try {
    auto b = std::make_unique<Buffer>();
    const std::uint64_t offset = shifted ? step * (scatter % (granule / step)) : 0;
    b->address = next + offset + ahead;
    b->size = b->original_size = bytes;
    b->name = std::move(name);
    b->owner = owner;
    b->heap = heap;
    const std::size_t room = round_up(std::max<std::size_t>(bytes, 1), 64);
    b->storage = {static_cast<std::byte*>(std::aligned_alloc(64, room)), [](std::byte* p) { std::free(p); }};
    if (!b->storage) return fail(Code::unsupported, "the host has no memory for a simulated buffer", b->name);
    b->data = b->storage.get();
    std::memset(b->data, fresh, room);
    b->init_storage = std::make_unique<std::uint8_t[]>(std::max<std::size_t>(bytes, 1));
    b->init = b->init_storage.get();
    next += round_up(offset + ahead + std::max<std::size_t>(bytes, 1), granule) + granule;
    if (scatter != 0) {
      scatter = splitmix(scatter);
      next += granule * (scatter % (scatter % 2 != 0 ? 7 : 65521));
      place_at_power();
    }
    in_use += bytes;
    const auto after = std::upper_bound(buffers.begin(), buffers.end(), b->address,
                                        [](std::uint64_t a, const auto& other) { return a < other->address; });
    return buffers.insert(after, std::move(b))->get();
  } catch (const std::bad_alloc&) { return fail(Code::unsupported, "the host has no memory for a simulated buffer"); }
}

// Drivers begin large tensors at multiples of 64 KiB or 2 MiB, others at any granule: the next one at a multiple of a
// power of two up to 2 MiB, in half of the cases of the granule; sometimes all at multiples of one up to 16 MiB.
void Memory::State::place_at_power() {
  if (power != 0) {
    next = round_up(next, power);
    return;
  }
  const std::uint64_t draw = splitmix(scatter) >> 32;
  if (draw % 2 == 0) next = round_up(next, granule << (draw >> 1) % 14);
}

Status Memory::State::free(std::uint64_t address, bool heap_only) {
  const auto it = std::lower_bound(buffers.begin(), buffers.end(), address,
                                   [](const auto& b, std::uint64_t a) { return b->address < a; });
  if (it == buffers.end() || (*it)->address != address || (heap_only && !(*it)->heap)) return no_buffer(address, 0);
  Buffer& b = **it;
  in_use -= b.size;
  b.size = 0;
  // A kernel's blocks may still be in the middle of an access; their storage goes with release() or the memory itself.
  if (!b.heap) {
    b.storage.reset();
    b.init_storage.reset();
    b.data = nullptr;
    b.init = nullptr;
  }
  freed.push_back(std::move(*it));
  buffers.erase(it);
  return {};
}

Buffer* Memory::State::find(std::uint64_t address) const {
  auto it = std::upper_bound(buffers.begin(), buffers.end(), address,
                             [](std::uint64_t a, const auto& b) { return a < b->address; });
  if (it == buffers.begin()) return nullptr;
  --it;
  Buffer* b = it->get();
  return address - b->address < std::max<std::uint64_t>(b->size, 1) ? b : nullptr;
}

const Buffer* Memory::State::nearest(std::uint64_t address, bool& was_freed) const {
  was_freed = false;
  for (const auto& b : freed)
    if (address >= b->address && address - b->address < std::max<std::uint64_t>(b->original_size, 1)) {
      was_freed = true;
      return b.get();
    }
  const Buffer* best = nullptr;
  std::uint64_t best_distance = ~std::uint64_t{0};
  for (const auto& b : buffers) {
    const std::uint64_t end = b->address + b->size;
    const std::uint64_t distance = address < b->address ? b->address - address : address >= end ? address - end : 0;
    if (distance < best_distance) {
      best_distance = distance;
      best = b.get();
    }
  }
  return best;
}

Result<const Memory::State::Instance*> Memory::State::instance(const ProgramData& program) {
  if (const auto it = instances.find(program.id); it != instances.end()) return &it->second;
  Instance made;
  const Module& module = program.module;
  for (const Variable& v : module.variables) {  // first what may fail, so that a failure leaves nothing behind
    if (v.space != Variable::Space::shared && v.is_extern)
      return fail(Code::unsupported, "unsupported: extern variable " + v.name + " at line " + std::to_string(v.line));
    for (const Reference& r : v.references)
      if (!module.function_index.contains(r.symbol) && !module.variable_index.contains(r.symbol))
        return fail(Code::parse, "the initialiser of " + v.name + " names " + r.symbol + ", which does not exist");
  }
  for (const Variable& v : module.variables) {
    std::uint64_t address = 0;
    if (v.space != Variable::Space::shared) {
      auto b = WW_TRY(allocate(v.bytes(), v.name, program.id, false));
      std::memset(b->data, 0, v.bytes());
      if (!v.initial.empty()) std::memcpy(b->data, v.initial.data(), v.initial.size());
      b->init = nullptr;
      b->read_only = v.space == Variable::Space::constant;
      address = b->address;
    }
    made.variables.push_back(address);
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const Variable& v = module.variables[i];
    for (const Reference& r : v.references) {
      std::uint64_t value = 0;
      if (const auto f = module.function_index.find(r.symbol); f != module.function_index.end())
        value = function_base + 16 * f->second;
      else
        value = made.variables[module.variable_index.find(r.symbol)->second];
      value += static_cast<std::uint64_t>(r.addend);
      if (made.variables[i] != 0) std::memcpy(find(made.variables[i])->data + r.offset, &value, sizeof value);
    }
  }
  return &(instances[program.id] = std::move(made));
}

void Memory::State::tell_apart() {
  for (const auto& b : buffers) {
    if (b->read_only || !b->init_storage) continue;
    if (b->init == nullptr) {
      b->init = b->init_storage.get();
      std::memset(b->init, written_before, b->size);
    } else {
      for (std::uint64_t i = 0; i < b->size; ++i) b->init[i] = std::min(b->init[i], written_before);
    }
  }
}

void Memory::State::settle() {
  for (const auto& b : buffers)
    if (b->init != nullptr && (b->size == 0 || std::memchr(b->init, 0, b->size) == nullptr)) b->init = nullptr;
}

Memory::Memory(std::size_t capacity) : state_(std::make_unique<State>(capacity)) {}
Memory::~Memory() = default;

void Memory::scatter(std::uint64_t seed) {
  const std::unique_lock lock(state_->mutex);
  // Above all that is there, so that the buffers stay in order; below the windows of other spaces (machine.h).
  State& s = *state_;
  s.scatter = splitmix(seed | 1);
  s.shifted = seed % 2 != 0;
  const std::uint64_t top = std::uint64_t{1} << 47;
  std::uint64_t low = s.buffers.empty() && s.freed.empty() ? std::uint64_t{1} << 33 : s.next;
  if (s.scatter % 4 == 0) low = std::max(low, global_base);  // where drivers of Linux put tensors
  if (low < top) s.next = low + splitmix(s.scatter) % ((top - low) / 4) / granule * granule;
  const std::uint64_t draw = splitmix(s.scatter ^ 1);
  s.power = draw % 8 == 0 ? std::uint64_t{1} << (16 + (draw >> 8) % 9) : 0;
  s.place_at_power();
}

Result<std::uint64_t> Memory::allocate(std::size_t bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  auto b = WW_TRY(state_->allocate(bytes, std::move(name), 0, false));
  return b->address;
}

Result<std::uint64_t> Memory::allocate_end(std::uint64_t ahead, std::size_t bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  auto b = WW_TRY(state_->allocate(bytes, std::move(name), 0, false, ahead));
  return b->address;
}

Status Memory::adopt(std::span<std::byte> bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  auto b = std::make_unique<Buffer>();
  b->address = reinterpret_cast<std::uint64_t>(bytes.data());
  b->size = b->original_size = bytes.size();
  b->name = std::move(name);
  b->data = bytes.data();
  auto& all = state_->buffers;
  const auto after = std::upper_bound(all.begin(), all.end(), b->address,
                                      [](std::uint64_t a, const auto& other) { return a < other->address; });
  const bool meets_next = after != all.end() && (*after)->address - b->address < std::max<std::size_t>(b->size, 1);
  if (meets_next || state_->find(b->address)) return fail(Code::invalid_argument, "the addresses are taken", b->name);
  state_->in_use += b->size;
  all.insert(after, std::move(b));
  return {};
}

Status Memory::free(std::uint64_t address) {
  const std::unique_lock lock(state_->mutex);
  auto& freed = state_->freed;  // kept for messages only, once no launch runs
  if (freed.size() > 1024) freed.erase(freed.begin(), freed.begin() + 512);
  return state_->free(address, false);
}

Status Memory::write(std::uint64_t address, const void* from, std::size_t bytes) {
  Buffer* b = holder(*state_, address, bytes);
  if (b == nullptr) return no_buffer(address, bytes);
  if (bytes != 0) std::memcpy(b->data + (address - b->address), from, bytes);
  mark(*b, address - b->address, bytes);
  return {};
}

Status Memory::read(std::uint64_t address, void* to, std::size_t bytes) const {
  const Buffer* b = holder(*state_, address, bytes);
  if (b == nullptr) return no_buffer(address, bytes);
  if (bytes != 0) std::memcpy(to, b->data + (address - b->address), bytes);
  return {};
}

Status Memory::fill(std::uint64_t address, std::uint8_t value, std::size_t bytes) {
  Buffer* b = holder(*state_, address, bytes);
  if (b == nullptr) return no_buffer(address, bytes);
  std::memset(b->data + (address - b->address), value, bytes);
  mark(*b, address - b->address, bytes);
  return {};
}

Status Memory::poison(std::uint64_t address, std::size_t bytes, std::uint8_t value) {
  Buffer* b = holder(*state_, address, bytes);
  if (b == nullptr) return no_buffer(address, bytes);
  if (b->init == nullptr) {
    b->init = b->init_storage.get();
    std::memset(b->init, 1, b->size);
  }
  std::memset(b->data + (address - b->address), value, bytes);
  std::memset(b->init + (address - b->address), 0, bytes);
  return {};
}

Status Memory::set_read_only(std::uint64_t address, bool read_only) {
  Buffer* b = holder(*state_, address, 0);
  if (b == nullptr) return no_buffer(address, 0);
  b->read_only = read_only;
  return {};
}

Result<std::span<std::byte>> Memory::span(std::uint64_t address) {
  Buffer* b = holder(*state_, address, 0);
  if (b == nullptr || b->address != address) return no_buffer(address, 0);
  return std::span(b->data, b->size);
}

Result<Memory::Uninitialised> Memory::uninitialised(std::uint64_t address, std::size_t bytes) const {
  const Buffer* b = holder(*state_, address, bytes);
  if (b == nullptr) return no_buffer(address, bytes);
  Uninitialised result;
  if (b->init == nullptr) return result;
  const std::uint8_t* const first = b->init + (address - b->address);
  for (std::size_t i = bytes; i-- > 0;)
    if (first[i] == 0) {
      if (result.count++ == 0) result.last = i;
      result.first = i;
    }
  return result;
}

std::vector<BufferInfo> Memory::buffers() const {
  const std::shared_lock lock(state_->mutex);
  std::vector<BufferInfo> all;
  for (const auto& b : state_->buffers) all.push_back({b->address, b->size, b->name, b->read_only});
  return all;
}

std::size_t Memory::bytes_in_use() const {
  const std::shared_lock lock(state_->mutex);
  return state_->in_use;
}

Result<std::uint64_t> Memory::symbol(const Program& program, std::string_view name) {
  const std::unique_lock lock(state_->mutex);
  auto instance = WW_TRY(state_->instance(program.data()));
  const auto& index = program.data().module.variable_index;
  const auto it = index.find(name);
  if (it == index.end() || instance->variables[it->second] == 0)
    return fail(Code::not_found, "the program has no global or constant variable " + std::string(name));
  return instance->variables[it->second];
}

void Memory::release(const Program& program) {
  const std::unique_lock lock(state_->mutex);
  State& s = *state_;
  std::vector<std::uint64_t> gone;
  for (const auto& b : s.buffers)
    if (b->owner == program.data().id) gone.push_back(b->address);
  for (const std::uint64_t a : gone) (void)s.free(a, false);
  std::erase_if(s.freed, [&](const auto& b) { return b->owner == program.data().id; });
  s.instances.erase(program.data().id);
}

}  // namespace ww::simt
