// SPDX-License-Identifier: Apache-2.0
// libcurl's errors in plain sentences.
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include "http/transfer.h"

namespace ww::http {
namespace {

// The proxy variable for the URL; its value may contain a password and is not shown. Which hosts no_proxy
// exempts is libcurl's to say.
std::string proxy_variable(const Request& request) {
  if (is_this_machine(host_of(request.url))) return {};
  const bool secure = request.url.compare(0, 6, "https:") == 0;
  for (const char* name :
       {secure ? "https_proxy" : "http_proxy", secure ? "HTTPS_PROXY" : "http_proxy", "all_proxy", "ALL_PROXY"})
    if (const char* value = std::getenv(name); value && *value) return name;
  return {};
}

std::string in_seconds(std::chrono::milliseconds t) {
  return t.count() % 1000 == 0 ? std::to_string(t.count() / 1000) + " s" : std::to_string(t.count()) + " ms";
}

// OpenSSL's X509_V_ERR_*, whose numbers are part of its interface.
std::string certificate_fault(long verified, std::string_view words, const std::string& who) {
  if (words.find("subject name") != words.npos)
    return "The certificate of " + who + " is for another name";  // found by libcurl itself
  switch (verified) {
    case 9: return "The certificate of " + who + " is not valid yet: check this machine's clock";
    case 10: return "The certificate of " + who + " has expired";
    case 2:
    case 18:
    case 19:
    case 20:
    case 21:
      return "The certificate of " + who +
             " is signed by an authority that this machine does not know: name the authority's file if you trust it";
    case 23: return "The certificate of " + who + " was revoked";
    case 62:
    case 64: return "The certificate of " + who + " is for another name";
    default: return "The certificate of " + who + " cannot be trusted";
  }
}

}  // namespace

Error explain(const Transfer& t, const Request& request) {
  const std::string who = "'" + t.host + "'", proxy = proxy_variable(request);
  const std::string via = proxy.empty() ? "" : " (the proxy variable " + proxy + " is set)";
  Error e;
  e.cause = redact(t.words[0] ? t.words : curl_easy_strerror(t.result));
  const auto say = [&](Code code, std::string message) {
    e.code = code;
    e.message = std::move(message);
    return e;
  };
  switch (t.result) {
    case CURLE_URL_MALFORMAT: return say(Code::invalid_argument, "The address is not a URL");
    case CURLE_LOGIN_DENIED: return say(Code::invalid_argument, "The address must not hold a user name or password");
    case CURLE_COULDNT_RESOLVE_HOST:
      return say(Code::unavailable, "The name " + who + " is not known: check the address and the network");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return say(Code::unavailable, "The proxy's name is not known: check the proxy variable " + proxy);
    case CURLE_COULDNT_CONNECT:  // its words hold the milliseconds: the same fault would read differently each time
      e.cause.clear();
      if (t.os_error == ECONNREFUSED)
        return say(Code::unavailable, (proxy.empty() ? who + " refuses connections: is a server running there?"
                                                     : "The connection to " + who + " was refused" + via));
      if (t.os_error != 0) e.cause = std::generic_category().message(t.os_error);
      return say(Code::unavailable, who + " cannot be reached" + via);
    case CURLE_OPERATION_TIMEDOUT:
      return say(Code::timeout, "No connection to " + who + " within " + in_seconds(request.connect_timeout) + via);
    case CURLE_PEER_FAILED_VERIFICATION:
      if (t.proxy_verified != 0) return say(Code::untrusted, certificate_fault(t.proxy_verified, t.words, "the proxy"));
      return say(Code::untrusted, certificate_fault(t.verified, t.words, who));
    case CURLE_SSL_CACERT_BADFILE: return say(Code::untrusted, "The file of certificate authorities cannot be read");
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return say(Code::untrusted, "The certificate of " + who + " cannot be trusted");
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER:
    case CURLE_USE_SSL_FAILED:
      return say(Code::unavailable,
                 "No secure connection to " + who + " could be established: does it speak https?" + via);
    case CURLE_PROXY: return say(Code::unavailable, "The proxy did not connect to " + who + via);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY: return say(Code::corrupt, who + " answers with something that is not HTTP");
    case CURLE_BAD_CONTENT_ENCODING: return say(Code::corrupt, "The reply of " + who + " is wrongly compressed");
    case CURLE_ABORTED_BY_CALLBACK: return say(Code::cancelled, "The request was ended with its client");
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
    case CURLE_WRITE_ERROR: return say(Code::internal, "The transfer with " + who + " failed");
    default: break;
  }
  if (t.proxy_status >= 300)
    return say(Code::unavailable,
               "The proxy did not connect to " + who + " (" + std::to_string(t.proxy_status) + ")" + via);
  if (t.head.status == 0) return say(Code::io, who + " closed the connection without a reply" + via);
  return say(Code::io, "The reply of " + who + " broke off after " + std::to_string(t.bytes) + " bytes");
}

}  // namespace ww::http
