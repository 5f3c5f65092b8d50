// SPDX-License-Identifier: Apache-2.0
#include "store/blobs.h"
#include <algorithm>
#include <fcntl.h>
#include <unistd.h>
#include "base/files.h"
#include "base/hash.h"
#include "base/utf8.h"

namespace ww::store {
namespace {

bool is_hash(const std::string& text) {
  return text.size() == 64 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::filesystem::path path_of(const std::filesystem::path& folder, const std::string& hash) {
  return folder / hash.substr(0, 2) / hash;
}

void flush_folder(const std::filesystem::path& folder) {  // so that the new name survives a power cut, too
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)::fsync(fd);
  ::close(fd);
}

}  // namespace

Result<std::string> put_blob(const std::filesystem::path& folder, std::string_view bytes) {
  const std::string hash = hash_hex(bytes);
  const std::filesystem::path path = path_of(folder, hash);
  std::error_code ec;
  if (!std::filesystem::is_directory(folder.parent_path(), ec))  // it would be recreated empty
    return fail(Code::io, "the folder '" + folder.parent_path().string() + "' of the workspace is gone");
  if (std::filesystem::file_size(path, ec) == bytes.size() && !ec) {
    const Result<std::string> there = read_file(path);
    if (there && *there == bytes) return hash;  // otherwise damaged: rewrite it
  }
  if (std::filesystem::exists(path, ec) && !std::filesystem::is_regular_file(path, ec))
    std::filesystem::remove(path, ec);  // a pipe placed there by another program
  WW_TRY(write_file_atomic(path, bytes));
  flush_folder(path.parent_path());
  flush_folder(folder);
  return hash;
}

Result<std::string> get_blob(const std::filesystem::path& folder, const std::string& hash) {
  if (!is_hash(hash)) return fail(Code::invalid_argument, "'" + clipped(hash, 64) + "' is not a content hash");
  const std::filesystem::path path = path_of(folder, hash);
  std::error_code ec;
  if (!std::filesystem::exists(path, ec))
    return fail(Code::not_found, "the workspace has no content with the hash " + hash);
  Result<std::string> content = read_file(path);
  if (content && hash_hex(*content) != hash)
    return fail(Code::corrupt,
                "the stored content '" + path.string() + "' was damaged: its hash does not match its name");
  return content;
}

}  // namespace ww::store
