// SPDX-License-Identifier: Apache-2.0
// cp.async and its groups; mbarrier, bulk copies, and what asks for a cluster, which is one block.
#include "simt/decode.h"
#include "simt/mbarriers.h"

namespace ww::simt {

Space FunctionDecoder::shared_or_generic() const {
  return has_word({"shared", "shared::cta", "shared::cluster"}) ? Space::shared : Space::generic;
}

// cp.async.ca|cg.shared.global[.L2::cache_hint][.L2::…] [dst], [src], size[, src_size or ignore predicate][, cache
// policy]; commit_group; wait_group n; wait_all
bool FunctionDecoder::async_copy() {
  const auto& w = at_->words();
  if (w[0] != "cp" || w.size() < 3 || w[1] != "async") return false;
  if (w[2] == "bulk") {
    bulk();
    return true;
  }
  Op op;
  if (w[2] == "mbarrier") {  // cp.async.mbarrier.arrive[.noinc][.shared].b64 [a]
    if (!has_word({"arrive"}) || w.back() != "b64" || at_->operands.size() != 1) refuse();
    op.fn = mbarrier_copies;
    op.target = has_word({"noinc"}) ? 1 : 0;
    address(op, operand(0), shared_or_generic());
    emit(op, InstrClass::async_copy, false);
    return true;
  }
  if (w[2] == "commit_group" || w[2] == "wait_group" || w[2] == "wait_all") {
    require(w.size() == 3);
    const bool wait = w[2] == "wait_group";
    require(at_->operands.size() == (wait ? 1u : 0u) &&
            (!wait || (operand(0).kind == Operand::Kind::integer && operand(0).value >= 0)));
    op.fn = registry_.find_sync(w[2] == "commit_group" ? "@cp.commit" : "@cp.wait");
    op.imm = wait ? operand(0).value : w[2] == "wait_all" ? -1 : 0;
    emit(op, InstrClass::async_copy, false);
    return true;
  }
  if (w.size() < 5 || (w[2] != "ca" && w[2] != "cg") || (w[3] != "shared" && w[3] != "shared::cta") || w[4] != "global")
    refuse();
  bool has_policy = false;
  for (std::size_t k = 5; k < w.size(); ++k) {
    if (!w[k].starts_with("L2::")) refuse();
    has_policy = has_policy || w[k] == "L2::cache_hint";
  }
  const std::size_t count = at_->operands.size() - (has_policy ? 1 : 0);
  if (has_policy) policy(count);
  require(count == 3 || count == 4);
  const Operand& size = operand(2);
  require(size.kind == Operand::Kind::integer &&
          (size.value == 16 || (w[2] == "ca" && (size.value == 4 || size.value == 8))));
  Op from;
  address(from, operand(1), Space::global);
  address(op, operand(0), Space::shared);
  op.b = from.a;
  op.n = static_cast<std::uint8_t>(size.value);
  op.c = 0;
  if (count == 4) {
    const Operand& last = operand(3);
    if (last.kind == Operand::Kind::reg && register_type(last) == Type::pred) refuse("an ignore-src predicate");
    op.c = source(last, Type::u32);
  }
  // Both offsets go to the list: imm is one field.
  op.target = static_cast<std::uint32_t>(code_.lists.size());
  code_.lists.push_back(static_cast<std::uint32_t>(from.imm));
  code_.lists.push_back(static_cast<std::uint32_t>(static_cast<std::uint64_t>(from.imm) >> 32));
  op.fn = registry_.find_sync("@cp.async");
  emit(op, InstrClass::async_copy, false);
  code_.info.back().bytes = static_cast<std::uint16_t>(size.value);
  return true;
}

// st.async….shared::cluster.mbarrier::complete_tx::bytes[.vector].type [a], b, [mbarrier], and red.async with an
// operation before the type: done at once, in the cluster of one block.
bool FunctionDecoder::async_store() {
  const auto& w = at_->words();
  const bool stores = w[0] == "st";
  if ((!stores && w[0] != "red") || w.size() < 4 || w[1] != "async") return false;
  MemoryWords words;
  words.space = Space::shared;
  std::string operation;
  bool completes = false;
  for (std::size_t k = 2; k + 1 < w.size(); ++k) {
    if (w[k] == "weak" || w[k] == "relaxed" || w[k] == "cluster" || w[k] == "shared::cluster") continue;
    if (w[k] == "mbarrier::complete_tx::bytes")
      completes = true;
    else if (stores && (w[k] == "v2" || w[k] == "v4"))
      words.vector = static_cast<unsigned>(w[k][1] - '0');
    else if (!stores && operation.empty())
      operation = w[k];
    else
      refuse();
  }
  const auto type = type_from_name(w.back());
  if (!completes || !type || type_bytes(*type) < 4 || type_bytes(*type) > 8) refuse();
  words.type = *type;
  require(at_->operands.size() == 3);
  out_.asks_cluster = true;
  const unsigned bytes = type_bytes(*type);
  Op op;
  op.n = static_cast<std::uint8_t>(words.vector);
  op.fn = stores ? registry_.find_memory(true, Space::shared, bytes, level_)
                 : registry_.find_atomic(operation, type_name(*type));
  if (op.fn == nullptr) refuse();
  address(op, operand(0), Space::shared);
  if (stores) {
    data_places(op, operand(1), words, true);
  } else {
    op.b = op.c = source(operand(1), *type);
    op.d = temporary(*type);
    op.flags |= op_unread;
  }
  emit(op, stores ? InstrClass::store_shared : InstrClass::atomic, false);
  code_.info.back().bytes = static_cast<std::uint16_t>(bytes * words.vector);
  code_.info.back().is_store = stores;
  code_.info.back().is_atomic = !stores;
  Op done;
  done.fn = mbarrier_act;
  done.flags |= op_strong;
  done.target = static_cast<std::uint32_t>(MbarrierAction::complete);
  address(done, operand(2), Space::shared);
  done.b = immediate(bytes * words.vector, 4);
  emit(done, InstrClass::barrier, true);
  return true;
}

// cp.async.bulk.shared::cluster|shared::cta.global.mbarrier::complete_tx::bytes [dst], [src], size, [mbarrier];
// cp.async.bulk.global.shared::cta.bulk_group [dst], [src], size; commit_group; wait_group[.read] n
void FunctionDecoder::bulk() {
  const auto& w = at_->words();
  Op op;
  if (w.size() == 4 && w[3] == "commit_group") {
    require(at_->operands.empty());
    op.fn = bulk_commit;
    emit(op, InstrClass::async_copy, false);
    return;
  }
  if (w.size() >= 4 && w[3] == "wait_group") {
    require(at_->operands.size() == 1 && operand(0).kind == Operand::Kind::integer && operand(0).value >= 0);
    op.fn = bulk_wait;
    op.imm = operand(0).value;
    emit(op, InstrClass::async_copy, false);
    return;
  }
  if (w.size() < 6) refuse();
  const bool to_shared = (w[3] == "shared::cluster" || w[3] == "shared::cta") && w[4] == "global";
  const bool to_global = w[3] == "global" && w[4] == "shared::cta";
  bool by_mbarrier = false, by_group = false, has_policy = false;
  for (std::size_t k = 5; k < w.size(); ++k) {
    if (w[k] == "mbarrier::complete_tx::bytes")
      by_mbarrier = true;
    else if (w[k] == "bulk_group")
      by_group = true;
    else if (w[k] == "L2::cache_hint")
      has_policy = true;
    else
      refuse();
  }
  if ((!to_shared && !to_global) || by_mbarrier != to_shared || by_group != to_global) refuse();
  const std::size_t count = to_shared ? 4 : 3;
  if (has_policy)
    policy(count);
  else
    require(at_->operands.size() == count);
  std::uint32_t list[9] = {};
  const auto place = [&](std::size_t k, std::size_t index, Space space) {
    Op at;
    address(at, operand(index), space);
    require(at.imm >= -(std::int64_t{1} << 31) && at.imm < (std::int64_t{1} << 31));
    list[k] = at.a;
    list[4 + k] = static_cast<std::uint32_t>(at.imm);
    if ((at.flags & op_address32) != 0) list[8] |= 1u << k;
  };
  place(0, 0, to_shared ? Space::shared : Space::global);
  place(1, 1, to_shared ? Space::global : Space::shared);
  list[2] = source(operand(2), Type::u32);
  if (to_shared) place(3, 3, Space::shared);
  op.target = static_cast<std::uint32_t>(code_.lists.size());
  code_.lists.insert(code_.lists.end(), std::begin(list), std::end(list));
  op.n = to_shared ? 1 : 0;
  op.fn = bulk_copy;
  emit(op, InstrClass::async_copy, false);
}

bool FunctionDecoder::mbarrier() {
  const auto& w = at_->words();
  if (w[0] != "mbarrier") return false;
  if (w.size() < 3 || w.back() != "b64") refuse();
  for (std::size_t k = 2; k + 1 < w.size(); ++k)
    if (static constexpr std::string_view known[] = {"noComplete", "expect_tx", "parity", "acquire", "release",
                                                     "relaxed", "cta", "cluster", "shared", "shared::cta",
                                                     "shared::cluster"};
        std::ranges::find(known, w[k]) == std::end(known))
      refuse();
  Op op;
  const std::size_t n = at_->operands.size();
  const auto optional = [&](std::size_t k) { return k < n ? source(operand(k), Type::u32) : 0; };
  const auto acts = [&](MbarrierAction action) { op.target = static_cast<std::uint32_t>(action); };
  op.fn = mbarrier_act;
  op.flags |= op_strong;
  if (w[1] == "init" || w[1] == "expect_tx" || w[1] == "complete_tx") {
    require(n == 2);
    acts(w[1] == "init"        ? MbarrierAction::init
         : w[1] == "expect_tx" ? MbarrierAction::expect
                               : MbarrierAction::complete);
    address(op, operand(0), shared_or_generic());
    op.b = source(operand(1), Type::u32);
  } else if (w[1] == "inval") {
    require(n == 1);
    acts(MbarrierAction::inval);
    address(op, operand(0), shared_or_generic());
  } else if (w[1] == "arrive" || w[1] == "arrive_drop") {
    const bool drops = w[1] == "arrive_drop", expects = has_word({"expect_tx"}), open = has_word({"noComplete"});
    if (drops && (expects || open)) refuse();
    require(n == 2 || n == 3);
    require(n == 3 || (!expects && !open));
    acts(drops     ? MbarrierAction::drop
         : expects ? MbarrierAction::arrive_expect
         : open    ? MbarrierAction::no_complete
                   : MbarrierAction::arrive);
    address(op, operand(1), shared_or_generic());
    op.b = optional(2);
    op.d = destination(operand(0), Type::b64);
  } else if (w[1] == "test_wait" || w[1] == "try_wait") {
    require(n == 3 || (n == 4 && w[1] == "try_wait"));
    op.fn = mbarrier_wait;
    op.target = has_word({"parity"}) ? 1 : 0;
    address(op, operand(1), shared_or_generic());
    op.b = source(operand(2), op.target != 0 ? Type::u32 : Type::b64);
    if (n == 4) (void)source(operand(3), Type::u32);  // how long it may be suspended
    op.d = predicate_destination(operand(0));
  } else if (w[1] == "pending_count") {
    require(n == 2);
    op.fn = mbarrier_pending;
    op.flags = 0;
    op.b = source(operand(1), Type::b64);
    op.d = destination(operand(0), Type::u32);
  } else {
    refuse();
  }
  emit(op, InstrClass::barrier, false);
  return true;
}

// mapa[.shared::cluster].u32|u64 d, a, rank; getctarank…; barrier.cluster is in decode_control.cpp
bool FunctionDecoder::cluster() {
  const auto& w = at_->words();
  if (w[0] != "mapa" && w[0] != "getctarank") return false;
  if (w.back() != "u32" && w.back() != "u64") refuse();
  out_.asks_cluster = true;
  const Type type = w.back() == "u32" ? Type::u32 : Type::u64;
  Op op;
  if (w[0] == "mapa") {
    require(at_->operands.size() == 3);
    (void)source(operand(2), Type::u32);  // 0, the only block's
    op.fn = entry(type == Type::u32 ? "mov.b32" : "mov.b64").fn;
    op.a = source(operand(1), type);
    op.d = destination(operand(0), type);
  } else {
    require(at_->operands.size() == 2);
    (void)source(operand(1), type);
    op.fn = entry("mov.b32").fn;
    op.a = immediate(0, 4);
    op.d = destination(operand(0), Type::u32);
  }
  emit(op, InstrClass::move, false);
  return true;
}

}  // namespace ww::simt
