// SPDX-License-Identifier: Apache-2.0
#include "providers/common/fault.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include "base/ascii.h"
#include "base/secret.h"
#include "providers/common/characters.h"
#include "providers/common/tolerant_json.h"

namespace ww::providers {
namespace {

constexpr std::size_t quoted = 300;  // bytes of a service's words that are shown

bool has(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return text.find(w) != std::string::npos; });
}

// One line, cut; a web page is reduced to its title.
std::string plain(std::string_view words) {
  std::string text = redact(words).substr(0, 64 << 10);  // a part of a key could not be found any more
  const std::string low = ascii_lower(text);
  const std::size_t title = low.find("<title>");
  if (title != std::string::npos) {
    const std::size_t end = std::min(low.find("</title>", title), text.size());
    text = text.substr(title + 7, end - std::min(end, title + 7));
  } else if (has(low, {"<html", "<!doctype"})) {
    text = "a web page";
  }
  std::string out;
  for (const char c : text) {
    const bool space = static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return cut_text(whole_text(out), quoted);
}

int meant_by(const std::string& kind) {
  struct Known {
    std::string_view word;
    int status;
  };
  static constexpr std::array known{Known{"overloaded", 529},     Known{"insufficient_quota", 429},
                                    Known{"rate_limit", 429},     Known{"billing", 402},
                                    Known{"authentication", 401}, Known{"invalid_api_key", 401},
                                    Known{"permission", 403},     Known{"not_found", 404},
                                    Known{"too_large", 413},      Known{"timeout", 504},
                                    Known{"context_length", 400}, Known{"exceed_context", 400},
                                    Known{"content_filter", 400}, Known{"invalid", 400},
                                    Known{"bad_request", 400},    Known{"badrequest", 400},
                                    Known{"unsupported", 400}};
  for (const Known& k : known)
    if (kind.find(k.word) != std::string::npos) return k.status;
  return 500;
}

bool is_context(const Fault& f) {
  if (f.status == 408 || f.status == 429) return false;  // "too many tokens" is then a matter of time
  return has(ascii_lower(f.kind), {"context_length", "exceed_context", "context_window"}) ||
         has(ascii_lower(f.message), {"context length", "context window", "maximum context", "prompt is too long",
                                      "available context", "context size", "input is too long", "too many tokens"});
}
bool is_model(const Fault& f) {
  const std::string words = ascii_lower(f.message);
  return has(ascii_lower(f.kind), {"model_not_found"}) ||
         (has(words, {"model"}) &&
          has(words, {"not found", "does not exist", "not exist", "unknown model", "not a valid model", "invalid model",
                      "no such model", "not_found", "no endpoints"})) ||
         words.rfind("model:", 0) == 0;  // Anthropic only says "model: NAME"
}
bool is_parameter(const Fault& f) {
  return has(ascii_lower(f.kind), {"unsupported_parameter", "unsupported_value", "unknown_parameter"}) ||
         has(ascii_lower(f.message),
             {"unsupported parameter", "unsupported value", "unknown parameter", "unrecognized request argument",
              "not supported with this model", "not supported for this model", "extra inputs are not permitted",
              "extra_forbidden", "is not supported by", "does not support", "deprecated for this model"});
}

}  // namespace

Fault fault_in(int status, const Json& body) {
  Fault f;
  const Json& inner =
      find(body, "error") ? child(body, "error") : body;  // a refusal of vLLM of old is its own outermost object
  f.message = plain(inner.is_string() ? text_of(inner) : text_at(inner, "message"));
  std::string type(text_at(inner, "type")), code(text_at(inner, "code"));
  if (const Json* detail = find(body, "detail"); detail && f.message.empty())  // FastAPI
    f.message = plain(detail->is_string() ? std::string(text_of(*detail)) : dump(*detail));
  // OpenRouter forwards the message of the model's own service.
  if (const std::string_view raw = text_at(child(inner, "metadata"), "raw"); !raw.empty())
    f.message = plain(f.message + ": " + std::string(raw));
  f.kind = cut_text(code.empty() ? type : code, 80);
  const std::string both = ascii_lower(type + " " + code);
  std::int64_t number = count_at(inner, "code");
  if (number == 0 && !code.empty() &&
      std::all_of(code.begin(), code.end(), [](unsigned char c) { return std::isdigit(c); }) && code.size() == 3)
    number = std::stoi(code);
  if (status >= 400)
    f.status = status;
  else if (number >= 400 && number <= 599)
    f.status = static_cast<int>(number);
  else
    f.status = meant_by(both);
  return f;
}

Fault read_fault(int status, std::string_view body) {
  const Json j = body.size() <= (1 << 20) &&
                         std::count(body.begin(), body.end(), '{') + std::count(body.begin(), body.end(), '[') < 1000
                     ? Json::parse(body, nullptr, false)
                     : Json(Json::value_t::discarded);
  if (j.is_object()) return fault_in(status, j);
  if (j.is_array() && !j.empty()) return fault_in(status, j.front());
  Fault f;
  f.status = status;
  f.message = plain(body);
  return f;
}

bool is_out_of_quota(const Fault& f) {
  return f.status == 402 || has(ascii_lower(f.kind), {"insufficient_quota", "billing"}) ||
         has(ascii_lower(f.message),
             {"insufficient_quota", "exceeded your current quota", "credit balance", "insufficient credits",
              "insufficient balance"});  // not "billing": OpenAI's rate limits point there, too
}

std::string leave_out(const Fault& f, llm::Request& request) {
  if ((f.status != 400 && f.status != 422) || !is_parameter(f)) return {};
  const std::string words = ascii_lower(f.message);
  const auto names = [&](std::string_view word) {  // "seed", but not "seeds"
    const auto in_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1))
      if ((at == 0 || !in_name(words[at - 1])) &&
          (at + word.size() == words.size() || !in_name(words[at + word.size()])))
        return true;
    return false;
  };
  if (request.seed && names("seed")) return request.seed.reset(), "seed";
  if (request.temperature && names("temperature")) return request.temperature.reset(), "temperature";
  if (!request.effort.empty() &&
      (names("reasoning_effort") || names("reasoning") || names("effort") || names("thinking")))
    return request.effort == "max" ? (request.effort = "high", "max effort") : (request.effort.clear(), "effort");
  if (request.schema &&
      (names("response_format") || names("json_schema") || names("text.format") || names("output_config")))
    return request.schema.reset(), "schema";
  if (request.no_calls && names("tool_choice")) return request.no_calls = false, "tool_choice";
  if (!request.tools.empty() && (names("tools") || names("tool") || names("tool_calls") || names("functions")))
    return request.tools.clear(), "tools";
  return {};
}

bool is_transient(const Fault& f) {
  return !is_out_of_quota(f) && !is_context(f) &&
         (f.status == 408 || f.status == 409 || f.status == 425 || f.status == 429 || f.status >= 500) &&
         f.status != 501 && f.status != 505;
}

Error explain(const Fault& f, const Asked& asked) {
  const std::string who = "'" + asked.service + "' (" + asked.host + ")", model = "'" + asked.model + "'",
                    number = std::to_string(f.status);
  const std::string times =
      asked.attempts > 1 ? ", also at the last of " + std::to_string(asked.attempts) + " attempts" : "";
  Error e;
  e.cause = f.message.empty() ? (f.kind.empty() ? "" : "it says: " + f.kind) : "it says: " + f.message;
  const auto say = [&](Code code, std::string message) {
    e.code = code;
    e.message = std::move(message);
    return e;
  };
  if (is_out_of_quota(f))
    return say(Code::unavailable, who + " has no quota or credit left for this account (" + number +
                                      "): add credit there, or choose another model");
  switch (f.status) {
    case 401:
      return say(Code::denied, asked.key ? who + " does not accept the key (401): give a valid one"
                                         : who + " wants a key and none is set (401): give one");
    case 403: return say(Code::denied, who + " does not allow this (403): check what the key may use, and the region");
    case 407: return say(Code::unavailable, "The proxy requires a login (407): give it in the proxy variable");
    case 408:
    case 504:
    case 524:
      return say(Code::timeout,
                 who + " ran out of time (" + number + ")" + times + ": try again, or ask for a shorter answer");
    case 413:
      return say(Code::invalid_argument,
                 "The request is too large for " + who + " (413): lower the token budget of the prompt");
    case 429:
      return say(Code::unavailable,
                 who + " accepts no more requests for now (429)" + times + ": wait a minute, or run fewer at a time");
    case 529:
      return say(Code::unavailable,
                 who + " is overloaded (529)" + times + ": try again later, or choose another model");
    default: break;
  }
  if (f.status >= 500 && !is_context(f))
    return say(Code::unavailable, who + " had an internal error (" + number + ")" + times + ": try again later");
  if (f.status >= 300 && f.status < 400)
    return say(Code::unavailable, who + " points to another address (" + number + ")" +
                                      (asked.target.empty() ? "" : ", at " + asked.target) + ": correct the base URL");
  if (is_context(f))
    return say(Code::invalid_argument, "The prompt and its answer do not fit into the context of " + model + " at " +
                                           who + ": lower the token budget of the prompt or of the answer");
  if (!asked.model.empty() && is_model(f))
    return say(Code::unavailable, who + " does not know the model " + model + ": choose one that it lists");
  if (f.status == 404)
    return say(Code::unavailable, who +
                                      " has nothing at this address (404): check the base URL, and with 'models check' "
                                      "whether it has the model; --model chooses another");
  if (is_parameter(f))
    return say(
        Code::invalid_argument,
        model + " at " + who + " does not take a parameter of this request: turn it off in the catalogue's entry");
  if (has(ascii_lower(f.kind), {"content_filter"}))
    return say(Code::invalid_argument, "A filter of " + who + " refused the prompt (" + number + "): change its words");
  return say(Code::invalid_argument, who + " does not accept the request (" + number + "): change what it names");
}

}  // namespace ww::providers
