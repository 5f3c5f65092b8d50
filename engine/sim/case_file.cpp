// SPDX-License-Identifier: Apache-2.0
#include "sim/case_file.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/foreign_file.h"
#include "base/strict_json.h"

namespace ww::sim {
namespace {

constexpr std::int64_t most_buffer_bytes = std::int64_t{1} << 30;
constexpr const char* unusable = "this case cannot be used";

tl::unexpected<Error> wrong(const std::string& where, const std::string& what) {
  return fail(Code::invalid_argument, unusable, "the member '" + where + "' " + what);
}

bool is_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ' ';
  });
}

std::string bytes_of_series(const Series& s, DType type) {
  const std::size_t size = dtype_size(type);
  std::string bytes(static_cast<std::size_t>(s.count) * size, '\0');
  for (std::int64_t i = 0; i < s.count; ++i) {
    char* const at = bytes.data() + static_cast<std::size_t>(i) * size;
    store_f64(type, at, s.start + s.step * static_cast<double>(s.period > 0 ? i % s.period : i));
  }
  return bytes;
}

class Builder {
 public:
  explicit Builder(const ReadFile& read) : read_(read) {}

  Result<Job> build(const CaseFile& c) {
    Job job;
    if (c.ptx.empty() == c.cu.empty())
      return fail(Code::invalid_argument, unusable,
                  c.ptx.empty() ? "one of the members 'ptx' and 'cu' must name a file with the code"
                                : "it names both 'ptx' and 'cu'");
    job.language = c.cu.empty() ? candidate::Language::ptx : candidate::Language::cuda;
    job.code = WW_TRY(file(c.cu.empty() ? "ptx" : "cu", c.cu.empty() ? c.ptx : c.cu));
    job.entry = c.entry;
    if (!c.arch.empty() && !read_architecture(c.arch)) return wrong("arch", "must be like sm_80 or sm_90a");
    if (c.cu.empty()) {
      if (!c.defines.empty()) return wrong("defines", "is only for 'cu'");
      if (!c.options.empty()) return wrong("options", "is only for 'cu'");
    }
    if (!c.arch.empty()) job.architecture = c.arch;
    job.defines = c.defines;
    job.options = c.options;
    job.grid = WW_TRY(extent("grid", c.grid));
    job.block = WW_TRY(extent("block", c.block));
    job.cluster = WW_TRY(extent("cluster", c.cluster.empty() ? std::vector<std::int64_t>{1} : c.cluster));
    job.cooperative = c.cooperative;
    if (c.dyn_shared < 0) return wrong("dyn_shared", "must not be negative");
    job.dyn_shared = c.dyn_shared;
    job.checks = c.checks;
    if (c.budget < 0) return wrong("budget", "must not be negative");
    job.budget = c.budget;
    job.seed = c.seed;
    if (c.threads < 0 || c.threads > 1024) return wrong("threads", "must lie between 0 and 1024");
    job.threads = c.threads;
    if (const auto* t = std::get_if<Tolerance>(&c.compare)) {
      if (!(t->rtol >= 0) || !(t->atol >= 0)) return wrong("compare", "must not be negative");
      job.compare = *t;
    } else if (std::get<std::string>(c.compare) != "exact") {
      return wrong("compare", "must be \"exact\" or {\"rtol\": …, \"atol\": …}");
    }
    for (std::size_t i = 0; i < c.args.size(); ++i)
      job.args.push_back(WW_TRY(argument("args[" + std::to_string(i) + "]", i, c.args[i], job)));
    for (std::size_t i = 0; i < c.symbols.size(); ++i) {
      const std::string where = "symbols[" + std::to_string(i) + "]";
      if (c.symbols[i].name.empty()) return wrong(where + ".name", "is missing");
      job.symbols.push_back(WW_TRY(buffer(where, c.symbols[i].name, c.symbols[i], job)));
    }
    return job;
  }

 private:
  Result<std::string> file(const std::string& where, const std::string& name) {
    Result<std::string> content = read_(name, left_);
    if (!content) return wrong(where, "names a file that cannot be read: " + content.error().text());
    left_ -= std::min(left_, content->size());
    return content;
  }

  static Result<std::vector<std::int64_t>> extent(const std::string& where, std::vector<std::int64_t> size) {
    if (size.empty() || size.size() > 3) return wrong(where, "must have one to three numbers");
    for (const std::int64_t n : size)
      if (n < 1 || n > 0x7fffffff) return wrong(where, "must have numbers from 1 to 2147483647");
    size.resize(3, 1);
    return size;
  }

  // The bytes in hex.
  Result<std::string> content(const std::string& where, const Content& from, std::optional<DType> type) {
    std::string bytes;
    if (const auto* series = std::get_if<Series>(&from)) {
      if (!type) return wrong(where, "is a series of numbers; say which with 'type'");
      if (series->count < 0 || series->period < 0) return wrong(where, "must not have negative sizes");
      if (static_cast<std::uint64_t>(series->count) > left_ / dtype_size(*type)) return wrong(where, "is too large");
      bytes = bytes_of_series(*series, *type);
    } else if (const auto* numbers = std::get_if<std::vector<Number>>(&from)) {
      if (!type) return wrong(where, "is a list of numbers; say which with 'type'");
      const Result<std::string> made = bytes_of_numbers(*numbers, *type);
      if (!made) return wrong(where, "has a wrong element: " + made.error().message);
      bytes = *made;
    } else if (const std::string& text = std::get<std::string>(from); is_hex(text)) {
      const Result<std::string> made = bytes_of_hex(text);
      if (!made)
        return wrong(where, "cannot be read: " + made.error().message + "; a file of that name is './" + text + "'");
      bytes = *made;
    } else {
      return to_hex(WW_TRY(file(where, text)));
    }
    if (bytes.size() > left_) return wrong(where, "is too large");
    left_ -= bytes.size();
    return to_hex(bytes);
  }

  Result<JobBuffer> buffer(const std::string& where, const std::string& name, const CaseBuffer& c, const Job& job) {
    JobBuffer b;
    b.name = name;
    b.read_only = c.read_only;
    b.is_output = c.out || (c.bytes && !c.in);
    std::optional<DType> type;
    if (!c.type.empty()) {
      type = dtype_from_name(c.type);
      if (!type) return wrong(where + ".type", "is none of " + std::string(dtype_list));
      b.type = c.type;
    }
    if (c.in) b.content = WW_TRY(content(where + ".in", *c.in, type));
    if (c.out) b.expected = WW_TRY(content(where + ".out", *c.out, type));
    const auto size_of = [](const std::optional<std::string>& hex) {
      return hex ? static_cast<std::int64_t>(hex->size() / 2) : 0;
    };
    const std::int64_t in = size_of(b.content), out = size_of(b.expected);
    b.bytes = c.bytes.value_or(std::max(in, out));
    if (b.bytes < 0 || b.bytes > most_buffer_bytes)
      return wrong(where + ".bytes", "must lie between 0 and " + std::to_string(most_buffer_bytes));
    const auto bytes_text = [](std::int64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); };
    if (in > b.bytes) return wrong(where + ".in", "has " + bytes_text(in) + ", the buffer " + bytes_text(b.bytes));
    if (c.out && out != b.bytes)
      return wrong(where + ".out", "has " + bytes_text(out) + ", the buffer " + bytes_text(b.bytes));
    if (type && b.bytes % static_cast<std::int64_t>(dtype_size(*type)) != 0)
      return wrong(where + ".type", "does not divide its " + bytes_text(b.bytes));
    if (job.compare && c.out && !type)
      return wrong(where + ".type", "is missing: 'compare' needs to know the elements");
    return b;
  }

  Result<JobArgument> argument(const std::string& where, std::size_t index, const CaseArgument& c, const Job& job) {
    JobArgument a;
    const bool is_buffer = c.in || c.out || c.bytes;
    if (is_buffer && c.value) return wrong(where + ".value", "cannot stand beside 'in', 'out' or 'bytes'");
    if (!is_buffer && !c.value) return wrong(where, "needs one of 'in', 'out', 'bytes' and 'value'");
    if (is_buffer) {
      a.buffer = WW_TRY(buffer(where, c.name.empty() ? "arg " + std::to_string(index) : c.name, c, job));
      return a;
    }
    if (c.read_only) return wrong(where + ".read_only", "is only for buffers");
    std::optional<Number> number;
    std::visit(
        [&](const auto& v) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, std::string>) number = v;
        },
        *c.value);
    if (!number) {
      const Result<std::string> bytes = bytes_of_hex(std::get<std::string>(*c.value));
      if (!bytes) return wrong(where + ".value", "must be a number or hex digits: " + bytes.error().message);
      a.value = to_hex(*bytes);
    } else if (c.type.empty()) {
      a.number = *number;
    } else {
      const auto type = dtype_from_name(c.type);
      if (!type) return wrong(where + ".type", "is none of " + std::string(dtype_list));
      const Result<std::string> bytes = bytes_of_numbers({*number}, *type);
      if (!bytes) return wrong(where + ".value", "does not fit: " + bytes.error().message);
      a.value = to_hex(*bytes);
    }
    return a;
  }

  const ReadFile& read_;
  std::size_t left_ = max_content_bytes;
};

Result<std::string> read_whole(const std::filesystem::path& path, std::size_t max_bytes) {
  ForeignFile file = WW_TRY(ForeignFile::open(path));
  std::string content;
  WW_TRY(file.read(max_bytes, [&](std::string_view part) -> Status {
    content.append(part);
    return {};
  }));
  return content;
}

// A case may come from others: it reads nothing but what lies in its own folder, links followed.
Result<std::string> read_beside(const std::filesystem::path& folder, const std::string& name, std::size_t max_bytes) {
  std::error_code ec;
  const std::filesystem::path within = std::filesystem::canonical(folder.empty() ? "." : folder, ec);
  const std::filesystem::path file = std::filesystem::weakly_canonical(within / name, ec);
  const auto [end, _] = std::mismatch(within.begin(), within.end(), file.begin(), file.end());
  if (ec || end != within.end())
    return fail(Code::invalid_argument, "it does not lie in the folder of the case; copy it there");
  return read_whole(file, max_bytes);
}

}  // namespace

Result<Job> job_of(std::string_view case_text, const ReadFile& read) {
  const Result<json::Json> parsed = json::parse(case_text);
  if (!parsed) return fail(Code::invalid_argument, unusable, parsed.error().text());
  const json::Strictly strictly;
  const CaseFile c = WW_TRY(json::read<CaseFile>(*parsed, unusable, Code::invalid_argument));
  return Builder(read).build(c);
}

Result<Job> read_case(const std::filesystem::path& path) {
  const Result<std::string> text = read_whole(path, max_case_bytes);
  if (!text) return fail(Code::invalid_argument, text.error().message, text.error().cause);
  const std::filesystem::path folder = path.parent_path();
  return job_of(*text, [&folder](const std::string& name, std::size_t max_bytes) {
    return read_beside(folder, name, max_bytes);
  });
}

}  // namespace ww::sim
