// SPDX-License-Identifier: Apache-2.0
#include "base/secret.h"
#include <algorithm>
#include <bitset>
#include <cstring>
#include <mutex>
#include <new>
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <vector>

namespace ww {

struct Secret::Pages {
  char* bytes = nullptr;
  std::size_t size = 0;
  explicit Pages(std::string_view text) : size(text.size()) {
    if (sodium_init() < 0) throw std::bad_alloc();
    bytes = static_cast<char*>(sodium_malloc(size));
    if (!bytes) throw std::bad_alloc();
    std::memcpy(bytes, text.data(), size);
    sodium_mprotect_readonly(bytes);
  }
  ~Pages() { sodium_free(bytes); }  // wipes
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
};

namespace {

constexpr std::string_view mask = "[key]";
constexpr std::size_t shortest_piece = 12;  // a shorter key only as a whole

// The characters of `text` from its start that are a piece of `key`.
std::size_t piece_at_start(std::string_view text, std::string_view key, std::size_t shortest) {
  std::size_t longest = 0;
  const std::string_view first = text.substr(0, shortest);
  for (std::size_t at = key.find(first); at != key.npos; at = key.find(first, at + 1)) {
    std::size_t size = shortest;
    while (size < text.size() && at + size < key.size() && text[size] == key[at + size]) ++size;
    longest = std::max(longest, size);
  }
  return longest;
}

std::string mask_pieces(const std::string& text, std::string_view key) {
  const std::size_t shortest = std::min(shortest_piece, key.size());
  const auto pair = [](std::string_view two) {
    return static_cast<unsigned char>(two[0]) * 256u + static_cast<unsigned char>(two[1]);
  };
  std::bitset<65536> pairs;  // of the key: most places of a text need no search
  for (std::size_t at = 0; at + 1 < key.size(); ++at) pairs.set(pair(key.substr(at, 2)));
  const std::string_view all = text;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0; at + shortest <= all.size();) {
    const std::size_t size = pairs[pair(all.substr(at, 2))] ? piece_at_start(all.substr(at), key, shortest) : 0;
    at += std::max<std::size_t>(size, 1);
    if (size == 0) continue;
    out.append(all.substr(done, at - size - done)).append(mask);
    done = at;
  }
  return out.append(all.substr(done));
}

// What redact() looks for. A program and each of its plugins have one of their own (this library is linked into each),
// which is why a secret is noted where it is revealed too, and not only where it was made.
class Living {
 public:
  void note(const std::shared_ptr<const void>& owner, std::string_view text) {
    if (text.size() < 8) return;
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const Known& k) { return k.owner.expired(); });
    for (const Known& k : known_)
      if (k.text.data() == text.data()) return;
    known_.push_back({owner, text});
    std::stable_sort(known_.begin(), known_.end(),
                     [](const Known& a, const Known& b) { return a.text.size() > b.text.size(); });
  }
  std::string redact(std::string_view text) {
    std::string out(text);
    const std::lock_guard lock(mutex_);
    for (const Known& k : known_) {  // the longest first: one may contain another
      const auto alive = k.owner.lock();
      if (!alive) continue;
      out = mask_pieces(out, k.text);
    }
    return out;
  }
  std::string redact_broken(std::string_view text) {
    std::string out = redact(text);
    const std::lock_guard lock(mutex_);
    for (const Known& k : known_) {
      const auto alive = k.owner.lock();
      if (!alive) continue;
      for (std::size_t size = std::min(out.size(), k.text.size() - 1); size >= shortest_beginning; --size) {
        if (!out.ends_with(k.text.substr(0, size))) continue;
        return out.replace(out.size() - size, size, mask);
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t shortest_beginning = 6;
  struct Known {
    std::weak_ptr<const void> owner;
    std::string_view text;  // in the owner's pages
  };
  std::mutex mutex_;
  std::vector<Known> known_;
};

Living& living() {
  static Living it;
  return it;
}

}  // namespace

Secret::Secret(std::string_view text) {
  if (text.empty()) return;
  pages_ = std::make_shared<const Pages>(text);
  living().note(pages_, {pages_->bytes, pages_->size});
}

bool Secret::empty() const { return !pages_; }

std::string_view Secret::reveal() const {
  if (!pages_) return {};
  const std::string_view text(pages_->bytes, pages_->size);
  living().note(pages_, text);
  return text;
}

std::string Secret::hint() const {
  if (!pages_) return "none";
  const std::string_view text(pages_->bytes, pages_->size);
  const std::string length = "(" + std::to_string(text.size()) + " characters)";
  const std::string_view start = text.substr(0, 3);
  const bool plain = std::all_of(start.begin(), start.end(), [](char c) { return c > ' ' && c < 127; });
  return text.size() < 12 || !plain ? length : std::string(start) + "… " + length;
}

void forbid_dumps() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

std::string redact(std::string_view text) { return living().redact(text); }
std::string redact_broken(std::string_view text) { return living().redact_broken(text); }

}  // namespace ww
