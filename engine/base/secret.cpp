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
#include "base/recognisable.h"
#include "base/unescaped.h"

namespace ww {
namespace {

class GuardedText {
 public:
  explicit GuardedText(std::string_view text) : size_(text.size()) {
    if (sodium_init() < 0) throw std::bad_alloc();
    bytes_ = static_cast<char*>(sodium_malloc(size_));
    if (!bytes_) throw std::bad_alloc();
    std::memcpy(bytes_, text.data(), size_);
    sodium_mprotect_readonly(bytes_);
  }
  ~GuardedText() { sodium_free(bytes_); }  // wipes
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;
  std::string_view view() const { return {bytes_, size_}; }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

struct Secret::Pages {
  const GuardedText text, unescaped;
  explicit Pages(std::string_view given) : text(given), unescaped(Unescaped(given).text()) {}
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

struct Piece {  // of a text
  std::size_t begin = 0, end = 0;
};

std::vector<Piece> pieces_in(std::string_view all, std::string_view key) {
  const std::size_t shortest = std::min(shortest_piece, key.size());
  const auto pair = [](std::string_view two) {
    return static_cast<unsigned char>(two[0]) * 256u + static_cast<unsigned char>(two[1]);
  };
  std::bitset<65536> pairs;  // of the key: most places of a text need no search
  for (std::size_t at = 0; at + 1 < key.size(); ++at) pairs.set(pair(key.substr(at, 2)));
  std::vector<Piece> found;
  for (std::size_t at = 0; at + shortest <= all.size();) {
    const std::size_t size = pairs[pair(all.substr(at, 2))] ? piece_at_start(all.substr(at), key, shortest) : 0;
    at += std::max<std::size_t>(size, 1);
    if (size > 0) found.push_back({at - size, at});
  }
  return found;
}

// A short key counts only where it stands alone: "sk-1234", but not within "task-12345".
std::vector<Piece> words_in(std::string_view text, std::string_view key) {
  const auto joins = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::vector<Piece> found;
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at)) {
    const std::size_t end = at + key.size();
    const bool alone = (at == 0 || !joins(text[at - 1])) && (end == text.size() || !joins(text[end]));
    if (alone) found.push_back({at, end});
    at = alone ? end : at + 1;
  }
  return found;
}

std::string without(std::string_view text, const std::vector<Piece>& pieces) {
  std::string out;
  std::size_t done = 0;
  for (const Piece& p : pieces) {
    out.append(text.substr(done, p.begin - done)).append(mask);
    done = p.end;
  }
  return out.append(text.substr(done));
}

// What redact() looks for. A program and each of its plugins have one of their own (this library is linked into each),
// which is why a secret is noted where it is revealed too, and not only where it was made.
class Living {
 public:
  void note(const std::shared_ptr<const void>& owner, std::string_view text, std::string_view unescaped) {
    if (!is_redacted(text)) return;
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const Known& k) { return k.owner.expired(); });
    for (const Known& k : known_)
      if (k.text.data() == text.data()) return;
    known_.push_back({owner, text, is_redacted(unescaped) ? unescaped : text});
    std::stable_sort(known_.begin(), known_.end(),
                     [](const Known& a, const Known& b) { return a.text.size() > b.text.size(); });
  }
  std::string redact(std::string_view text) {
    std::string out(text);
    const std::lock_guard lock(mutex_);
    for (const Known& k : known_) {  // the longest first: one may contain another
      const auto alive = k.owner.lock();
      if (!alive) continue;
      if (Unescaped::any(out)) {  // first: as it is, no more than pieces may be found
        const Unescaped plain(out);
        std::vector<Piece> pieces = pieces_of(plain.text(), k.unescaped);
        for (Piece& p : pieces) p = {plain.place(p.begin), plain.place(p.end)};
        if (!pieces.empty()) out = without(out, pieces);
      }
      if (const std::vector<Piece> pieces = pieces_of(out, k.text); !pieces.empty()) out = without(out, pieces);
      if (k.text == k.unescaped) continue;
      const auto found = [&](std::string_view plain) { return pieces_of(plain, k.text); };
      for (auto pieces = decoded_pieces(out, found, most_levels); !pieces.empty();
           pieces = decoded_pieces(out, found, most_levels))
        out = without(out, pieces);
    }
    return out;
  }
  std::string redact_broken(std::string_view text) {
    std::string out = redact(text);
    const std::lock_guard lock(mutex_);
    for (const Known& k : known_) {
      const auto alive = k.owner.lock();
      if (!alive) continue;
      const Unescaped plain(out);
      if (const std::size_t size = beginning_at_end(plain.text(), k.unescaped); size > 0)
        return out.substr(0, plain.place(plain.text().size() - size)).append(mask);
      if (const std::size_t size = beginning_at_end(out, k.text); size > 0)
        return out.replace(out.size() - size, size, mask);
      if (k.text == k.unescaped) continue;
      const auto at_end = [&](std::string_view text_now) {
        const std::size_t size = beginning_at_end(text_now, k.text);
        return size > 0 ? std::vector<Piece>{{text_now.size() - size, text_now.size()}} : std::vector<Piece>();
      };
      if (const auto pieces = decoded_pieces(out, at_end, most_levels); !pieces.empty()) return without(out, pieces);
    }
    return out;
  }

 private:
  static constexpr std::size_t shortest_beginning = 6, shortest_found = 8;  // within other words

  static constexpr int most_levels = 4;  // of escapes within each other

  // What `find` finds in the text after some steps of decoding, each of one kind; places are those of `text`.
  template <class Find>
  static std::vector<Piece> decoded_pieces(std::string_view text, const Find& find, int levels) {
    if (levels == 0) return {};
    for (const Unescaped::Kind kind : {Unescaped::Kind::json, Unescaped::Kind::address}) {
      if (text.find(kind == Unescaped::Kind::json ? '\\' : '%') == text.npos) continue;
      const Unescaped plain(text, kind);
      if (plain.text() == text) continue;
      std::vector<Piece> pieces = find(plain.text());
      if (pieces.empty()) pieces = decoded_pieces(plain.text(), find, levels - 1);
      for (Piece& p : pieces) p = {plain.place(p.begin), plain.place(p.end)};
      if (!pieces.empty()) return pieces;
    }
    return {};
  }

  static std::vector<Piece> pieces_of(std::string_view text, std::string_view key) {
    return key.size() < shortest_found ? words_in(text, key) : pieces_in(text, key);
  }
  // The characters at the end of `text` with which the key begins.
  static std::size_t beginning_at_end(std::string_view text, std::string_view key) {
    for (std::size_t size = std::min(text.size(), key.size() - 1); size >= shortest_beginning; --size)
      if (text.ends_with(key.substr(0, size))) return size;
    return 0;
  }

  struct Known {
    std::weak_ptr<const void> owner;
    std::string_view text, unescaped;  // in the owner's pages
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
  (void)reveal();
}

bool Secret::empty() const { return !pages_; }

std::string_view Secret::reveal() const {
  if (!pages_) return {};
  living().note(pages_, pages_->text.view(), pages_->unescaped.view());
  return pages_->text.view();
}

std::string Secret::hint() const {
  if (!pages_) return "none";
  const std::string_view text = pages_->text.view();
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
