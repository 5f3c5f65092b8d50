// SPDX-License-Identifier: Apache-2.0
#include "review/fingerprint.h"
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>
#include "base/files.h"
#include "base/hash.h"

namespace ww::review {
namespace {

int digit_value(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

int byte_at(const std::string& hash, std::size_t i) {
  return 16 * digit_value(hash[2 * i]) + digit_value(hash[2 * i + 1]);
}

}  // namespace

std::string fingerprint(const std::string& public_key) {
  const std::string hash = hash_hex(public_key);
  return hash.substr(0, 4) + ' ' + hash.substr(4, 4) + ' ' + hash.substr(8, 4) + ' ' + hash.substr(12, 4);
}

Result<std::string> fingerprint_words(const std::string& public_key) {
  const std::string text = WW_TRY(read_file(resources_dir() / "review" / "words.txt", 1 << 16));
  std::istringstream lines(text);
  std::vector<std::string> words;
  for (std::string word; lines >> word;) words.push_back(word);
  if (words.size() != 256) return fail(Code::corrupt, "the list of fingerprint words does not have 256 words");
  const std::string hash = hash_hex(public_key);
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) out += (i ? " " : "") + words[static_cast<std::size_t>(byte_at(hash, i))];
  return out;
}

std::string made_text(const std::string& public_key) {
  const Result<std::string> words = fingerprint_words(public_key);
  return "A new signing key was created on this machine, " + fingerprint(public_key) +
         (words ? " (\"" + *words + "\")" : std::string()) +
         ". It has no passphrase: anyone who can read your files can sign with it. 'warpwright-cli keys passphrase' "
         "sets one.";
}

KeyPicture key_picture(const std::string& public_key) {
  const std::string hash = hash_hex(public_key);
  KeyPicture p;
  int row = p.begin_row, column = p.begin_column;
  for (std::size_t i = 0; i < hash.size() / 2; ++i)
    for (int pair = 0; pair < 4; ++pair) {
      const int move = (byte_at(hash, i) >> (2 * pair)) & 3;
      column = std::clamp(column + ((move & 1) ? 1 : -1), 0, KeyPicture::columns - 1);
      row = std::clamp(row + ((move & 2) ? 1 : -1), 0, KeyPicture::rows - 1);
      ++p.visits[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    }
  p.end_row = row;
  p.end_column = column;
  return p;
}

std::string picture_text(const KeyPicture& p) {
  constexpr std::string_view marks = " .o+=*BOX@%&#/^";
  const std::string edge = "+" + std::string(KeyPicture::columns, '-') + "+\n";
  std::string out = edge;
  for (int row = 0; row < KeyPicture::rows; ++row) {
    out += '|';
    for (int column = 0; column < KeyPicture::columns; ++column) {
      const std::size_t visits = p.visits[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      out += row == p.begin_row && column == p.begin_column ? 'S'
             : row == p.end_row && column == p.end_column   ? 'E'
                                                            : marks[std::min(visits, marks.size() - 1)];
    }
    out += "|\n";
  }
  return out + edge;
}

}  // namespace ww::review
