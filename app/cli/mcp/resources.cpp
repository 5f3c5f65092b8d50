// SPDX-License-Identifier: Apache-2.0
#include "mcp/resources.h"
#include <array>
#include <charconv>
#include "base/files.h"
#include "op/parse.h"
#include "report/report.h"

namespace ww::cli::mcp {
namespace {

constexpr std::string_view scheme = "warpwright://";
constexpr std::size_t page_size = 100;

struct Guide {
  const char *name, *title, *file, *about;
};
constexpr std::array guides = {
    Guide{"candidate", "How to write a candidate", "contract.md",
          "The directives of a candidate, its arguments, and the checks it must pass: read it before you write one"},
    Guide{"op-spec", "How to write an op spec", "op_language.md", "The language of op specs, with examples"},
    Guide{"example", "An example of a candidate", "example_rows.md",
          "A candidate that processes the rows of a matrix"}};

Json resource(const std::string& path, const std::string& title, const std::string& about, const char* type) {
  return {{"uri", std::string(scheme) + path},
          {"name", path},
          {"title", title},
          {"description", about},
          {"mimeType", type}};
}

Result<std::string> guide_text(const Guide& guide) {
  const std::string text = WW_TRY(read_file(resources_dir() / "prompts" / guide.file));
  return text.substr(std::min(text.find("# "), text.size()));  // without the lines about the file
}

Json all_resources(const Options& options, const op::Library& library) {
  Json all = Json::array();
  for (const Guide& g : guides)
    all.push_back(resource(std::string("guide/") + g.name, g.title, g.about, "text/markdown"));
  if (const auto workspace = open_workspace(options.common, Access::read))
    if (const auto runs = (*workspace)->runs())
      for (const store::RunRecord& r : *runs) {
        const std::string number = std::to_string(r.id), about = r.op_name + ", " + r.created;
        all.push_back(resource("run/" + number, "Candidates of run " + number, about, "application/json"));
        all.push_back(resource("report/" + number, "Report of run " + number, about, "text/html"));
      }
  for (const op::LibraryOp& op : library.ops())
    all.push_back(resource("op/" + op.spec.name, op.spec.name, op.summary, "text/plain"));
  return all;
}

struct Content {
  std::string type, text;
};

Result<Content> of_workspace(const Options& options, const op::Library& library, const std::string& kind,
                             const std::string& name) {
  std::int64_t number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size() || number < 1)
    return fail(Code::not_found, "there is no " + kind + " '" + name + "'");
  const std::unique_ptr<store::Workspace> workspace = WW_TRY(open_workspace(options.common, Access::read));
  if (kind == "candidate") return Content{"text/plain", WW_TRY(workspace->candidate(number)).text};
  WW_TRY(workspace->run(number));
  if (kind == "report") return Content{"text/html", WW_TRY(report::html_report(*workspace, number, {&library}))};
  return Content{"application/json",
                 json::dump(answer_json("list", WW_TRY(candidates_of(*workspace, number)).json), 2)};
}

Result<Content> content_of(const Options& options, const op::Library& library, const std::string& uri) {
  const std::size_t slash = uri.find('/', scheme.size());
  if (uri.starts_with(scheme) && slash != std::string::npos) {
    const std::string kind = uri.substr(scheme.size(), slash - scheme.size()), name = uri.substr(slash + 1);
    for (const Guide& g : guides)
      if (kind == "guide" && name == g.name) return Content{"text/markdown", WW_TRY(guide_text(g))};
    if (const op::LibraryOp* op = kind == "op" ? library.find(name) : nullptr)
      return Content{"text/plain", op::print(op::plain(op->spec))};
    if (kind == "run" || kind == "report" || kind == "candidate") return of_workspace(options, library, kind, name);
  }
  return fail(Code::not_found, "there is no resource '" + safe(uri.substr(0, 200)) + "'");
}

}  // namespace

Reply<Json> list_resources(const Options& options, const op::Library& library, const Json& params) {
  const Json all = all_resources(options, library);
  std::size_t from = 0;
  if (params.contains("cursor")) {
    const std::string cursor = params["cursor"].is_string() ? params["cursor"].get<std::string>() : "";
    const auto read = std::from_chars(cursor.data(), cursor.data() + cursor.size(), from);
    if (read.ec != std::errc() || read.ptr != cursor.data() + cursor.size() || from == 0 || from >= all.size())
      return refuse(invalid_params, "the cursor does not belong to this list");
  }
  Json page = Json::array();
  for (std::size_t i = from; i < std::min(from + page_size, all.size()); ++i) page.push_back(all[i]);
  Json result = {{"resources", page}};
  if (from + page_size < all.size()) result["nextCursor"] = std::to_string(from + page_size);
  return result;
}

Json resource_templates() {
  Json list = Json::array();
  for (const auto& [path, about, type] :
       {std::array{"op/{name}", "the spec of an op of the library", "text/plain"},
        {"candidate/{number}", "the text of a stored candidate", "text/plain"},
        {"run/{number}", "the candidates of a run, as 'list' gives them", "application/json"},
        {"report/{number}", "a run as one HTML page", "text/html"}})
    list.push_back(
        {{"uriTemplate", std::string(scheme) + path}, {"name", path}, {"description", about}, {"mimeType", type}});
  return list;
}

Reply<Json> read_resource(const Options& options, const op::Library& library, const Json& params, bool modern) {
  const Json uri = params.value("uri", Json());
  if (!uri.is_string()) return refuse(invalid_params, "'resources/read' needs the member 'uri'");
  const Result<Content> content = content_of(options, library, uri.get<std::string>());
  if (!content) {
    const bool absent = content.error().code == Code::not_found;
    return refuse(!absent ? -32603 : modern ? invalid_params : no_resource, content.error().text(), {{"uri", uri}});
  }
  return Json{{"contents", Json::array({{{"uri", uri}, {"mimeType", content->type}, {"text", content->text}}})}};
}

}  // namespace ww::cli::mcp
