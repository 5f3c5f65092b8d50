// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include "base/files.h"
#include "base/json_reader.h"
#include "base/hash.h"
#include "base/json_members.h"
#include "review/checklist.h"

namespace ww::review {
namespace {

using json::Json;

std::size_t line_at(const std::string& text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n'));
}

struct Slip {
  std::size_t line;
  std::string what;
};

// Where each object of the list "items" begins; the text is known to be JSON.
std::vector<std::size_t> object_lines(const std::string& text) {
  std::vector<std::size_t> lines;
  int depth = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inside = false;
    } else if (c == '"') {
      inside = true;
    } else if (c == '{' || c == '[') {
      if (c == '{' && depth == 2) lines.push_back(line_at(text, i));  // root, list, object
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return lines;
}

Item item_of(const Json& j, std::size_t line) {
  if (!j.is_object()) throw Slip{line, "an item is not an object"};
  Item item;
  for (const auto& [name, value] : j.items()) {
    std::string* text = name == "id"         ? &item.id
                        : name == "sentence" ? &item.sentence
                        : name == "why"      ? &item.why
                                             : nullptr;
    if (text) {
      if (!value.is_string() || value.get<std::string>().empty())
        throw Slip{line, "'" + name + "' of an item is not a string"};
      *text = value.get<std::string>();
    } else if (name == "required") {
      if (!value.is_boolean()) throw Slip{line, "'required' is neither true nor false"};
      item.required = value.get<bool>();
    } else if (name == "facts") {
      if (!value.is_array()) throw Slip{line, "'facts' is not a list"};
      for (const Json& topic : value) {
        const std::string name_given = topic.is_string() ? topic.get<std::string>() : topic.dump();
        const std::optional<Topic> known = enum_from_name<Topic>(name_given);
        if (!known) throw Slip{line, "unknown facts '" + name_given + "' (known: " + enum_names<Topic>() + ")"};
        item.about.push_back(*known);
      }
    } else {
      throw Slip{line, "unknown member '" + name + "' of an item"};
    }
  }
  for (const auto& [name, value] : {std::pair{"id", &item.id}, {"sentence", &item.sentence}, {"why", &item.why}})
    if (value->empty()) throw Slip{line, std::string("an item has no '") + name + "'"};
  if (!std::all_of(item.id.begin(), item.id.end(),
                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }))
    throw Slip{line, "the id '" + item.id + "' has characters other than lower-case letters, digits and '-'"};
  return item;
}

}  // namespace

const Item* Policy::item(const std::string& id) const {
  const auto at = std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.id == id; });
  return at == items.end() ? nullptr : &*at;
}

Result<Policy> Policy::parse(const std::string& text, const std::string& name) {
  const auto wrong = [&](std::size_t line, const std::string& what) {
    return fail(Code::parse, name + ":" + std::to_string(line) + ": " + what);
  };
  if (const Status shape = json::check_shape(text); !shape) return wrong(1, shape.error().message);
  try {
    const Json j = Json::parse(text, nullptr, false);
    if (j.is_discarded()) {
      const json::NotJson why = json::not_json(text);
      return wrong(why.line, (why.too_large ? "a number is too large, in column " : "it is not JSON, from column ") +
                                 std::to_string(why.column));
    }
    if (!j.is_object() || j.value("schema", Json()) != "warpwright/review-policy/1")
      return wrong(1, "the member 'schema' is not \"warpwright/review-policy/1\"");
    for (const auto& [member, value] : j.items())
      if (member != "schema" && member != "spdx" && member != "about" && member != "items")
        return wrong(line_at(text, text.find("\"" + member + "\"")), "unknown member '" + member + "'");
    const auto items = j.find("items");
    if (items == j.end() || !items->is_array() || items->empty())
      return wrong(1, "the list 'items' is missing or empty");
    const std::vector<std::size_t> lines = object_lines(text);
    Policy p;
    p.hash = hash_hex(text);
    std::size_t number = 0;
    for (const Json& entry : *items) {
      const std::size_t line = number < lines.size() ? lines[number] : 1;
      ++number;
      Item item = item_of(entry, line);
      if (p.item(item.id)) return wrong(line, "there are two items '" + item.id + "'");
      p.items.push_back(std::move(item));
    }
    return p;
  } catch (const Slip& slip) { return wrong(slip.line, slip.what); } catch (const std::exception& e) {
    return wrong(1, "it cannot be read: " + json::explain_exception(e));
  }
}

Result<Policy> Policy::load(const std::filesystem::path& workspace) {
  std::error_code ec;
  const std::filesystem::path own = workspace / "review" / "policy.json";
  const bool there = !workspace.empty() && std::filesystem::exists(own, ec);
  const std::filesystem::path file = there ? own : resources_dir() / "review" / "policy.json";
  const std::string text = WW_TRY(read_file(file, 1 << 20));
  Result<Policy> policy = parse(text, file.string());
  if (policy) policy->own = there;
  return policy;
}

}  // namespace ww::review
