// SPDX-License-Identifier: Apache-2.0
// RFC 3161 with OpenSSL's TS functions.
#include "stamps/rfc3161/rfc3161.h"
#include <array>
#include <ctime>
#include <optional>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ts.h>
#include "http/http.h"

namespace ww::stamps {
namespace {

constexpr std::size_t largest_stamp = std::size_t{1} << 20;
constexpr int nonce_bytes = 8;
constexpr int of_content = TS_VFY_VERSION | TS_VFY_IMPRINT;
constexpr std::time_t clock_difference = 600;  // seconds that two clocks may differ

template <auto free>
struct Freed {
  template <class T>
  void operator()(T* t) const {
    free(t);
  }
};
using RequestPtr = std::unique_ptr<TS_REQ, Freed<TS_REQ_free>>;
using ReplyPtr = std::unique_ptr<TS_RESP, Freed<TS_RESP_free>>;
using CheckPtr = std::unique_ptr<TS_VERIFY_CTX, Freed<TS_VERIFY_CTX_free>>;
using ImprintPtr = std::unique_ptr<TS_MSG_IMPRINT, Freed<TS_MSG_IMPRINT_free>>;
using AlgorithmPtr = std::unique_ptr<X509_ALGOR, Freed<X509_ALGOR_free>>;
using IntegerPtr = std::unique_ptr<ASN1_INTEGER, Freed<ASN1_INTEGER_free>>;
using BioPtr = std::unique_ptr<BIO, Freed<BIO_free>>;

std::string openssl_reason() {
  std::string reason;
  for (unsigned long code; (code = ERR_get_error()) != 0;)
    if (const char* text = ERR_reason_error_string(code)) reason += (reason.empty() ? "" : "; ") + std::string(text);
  return reason;
}

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;
Digest sha256(std::string_view bytes) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

// `once`: with a random number, which the reply must repeat.
Result<RequestPtr> request_for(std::string_view bytes, bool once) {
  const auto failed = [] {
    return fail(Code::internal, "the request for a time stamp cannot be made", openssl_reason());
  };
  RequestPtr request(TS_REQ_new());
  const ImprintPtr imprint(TS_MSG_IMPRINT_new());
  const AlgorithmPtr algorithm(X509_ALGOR_new());
  const IntegerPtr nonce(ASN1_INTEGER_new());
  std::array<unsigned char, nonce_bytes> random{};
  if (!request || !imprint || !algorithm || !nonce || RAND_bytes(random.data(), nonce_bytes) != 1) return failed();
  random[0] = static_cast<unsigned char>(random[0] >> 1 | 1);  // positive, and no leading zero
  Digest digest = sha256(bytes);
  if (X509_ALGOR_set0(algorithm.get(), OBJ_nid2obj(NID_sha256), V_ASN1_NULL, nullptr) != 1 ||
      TS_MSG_IMPRINT_set_algo(imprint.get(), algorithm.get()) != 1 ||
      TS_MSG_IMPRINT_set_msg(imprint.get(), digest.data(), static_cast<int>(digest.size())) != 1 ||
      ASN1_STRING_set(nonce.get(), random.data(), nonce_bytes) != 1 || TS_REQ_set_version(request.get(), 1) != 1 ||
      TS_REQ_set_msg_imprint(request.get(), imprint.get()) != 1 ||
      (once && TS_REQ_set_nonce(request.get(), nonce.get()) != 1) || TS_REQ_set_cert_req(request.get(), 1) != 1)
    return failed();
  return request;
}

Result<ReplyPtr> parsed(std::string_view bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const unsigned char* end = at + bytes.size();
  ReplyPtr reply(bytes.size() <= largest_stamp ? d2i_TS_RESP(nullptr, &at, static_cast<long>(bytes.size())) : nullptr);
  if (!reply || at != end) {
    ERR_clear_error();
    return fail(Code::corrupt, "this is not a time stamp (an RFC 3161 reply in DER)");
  }
  return reply;
}

std::optional<std::tm> time_of(TS_TST_INFO* facts) {
  std::tm tm{};
  const ASN1_GENERALIZEDTIME* time = facts ? TS_TST_INFO_get_time(facts) : nullptr;
  return time && ASN1_TIME_to_tm(time, &tm) == 1 ? std::optional(tm) : std::nullopt;
}

std::string text_of(const std::tm& time) {
  char text[32];
  return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &time) == 0 ? std::string() : text;
}

std::string signer_of(PKCS7* token) {
  STACK_OF(X509)* signers = PKCS7_get0_signers(token, nullptr, 0);
  std::string name;
  if (signers && sk_X509_num(signers) > 0) {
    const BioPtr out(BIO_new(BIO_s_mem()));
    X509_NAME_print_ex(out.get(), X509_get_subject_name(sk_X509_value(signers, 0)), 0,
                       XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB));
    char* text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    if (size > 0) name.assign(text, static_cast<std::size_t>(size));
  }
  sk_X509_free(signers);
  ERR_clear_error();
  return name;
}

class Rfc3161 final : public review::StampService {
 public:
  Result<std::string> ask(const std::string& url, std::string_view bytes, std::stop_token stop) override {
    const RequestPtr request = WW_TRY(request_for(bytes, true));
    unsigned char* der = nullptr;
    const int size = i2d_TS_REQ(request.get(), &der);
    if (size <= 0) return fail(Code::internal, "the request for a time stamp cannot be written", openssl_reason());
    http::Request message;
    message.url = url;
    message.body.assign(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
    OPENSSL_free(der);
    message.headers = {{"content-type", "application/timestamp-query"}, {"accept", "application/timestamp-reply"}};
    const http::Response response = WW_TRY(client_.send(message, {}, stop));
    if (response.status != 200)
      return fail(Code::unavailable, "the service answers with status " + std::to_string(response.status));
    const ReplyPtr reply = WW_TRY(parsed(response.body));
    const CheckPtr check(TS_REQ_to_TS_VERIFY_CTX(request.get(), nullptr));
    const ASN1_INTEGER* status = TS_STATUS_INFO_get0_status(TS_RESP_get_status_info(reply.get()));
    if (const long code = ASN1_INTEGER_get(status); code != TS_STATUS_GRANTED && code != TS_STATUS_GRANTED_WITH_MODS)
      return fail(Code::unavailable, "the service refuses to stamp it", "status " + std::to_string(code));
    if (check) TS_VERIFY_CTX_set_flags(check.get(), of_content | TS_VFY_NONCE);
    if (!check || TS_RESP_verify_response(check.get(), reply.get()) != 1)
      return fail(Code::corrupt, "the service's time stamp does not match the request", openssl_reason());
    return response.body;
  }

  Result<review::Stamp> read(std::string_view stamp, std::string_view bytes,
                             const std::filesystem::path& authorities) override {
    const ReplyPtr reply = WW_TRY(parsed(stamp));
    PKCS7* token = TS_RESP_get_token(reply.get());
    if (!token) return fail(Code::corrupt, "this reply contains no time stamp: the service refused");
    review::Stamp out;
    std::optional<std::tm> time = time_of(TS_RESP_get_tst_info(reply.get()));
    if (!time) return fail(Code::corrupt, "this time stamp contains no time");
    out.created = text_of(*time);
    out.authority = signer_of(token);
    const RequestPtr request = WW_TRY(request_for(bytes, false));
    out.fits = checks(request.get(), reply.get(), TS_VFY_IMPRINT, nullptr, out.why_not);
    if (!out.fits) return out;
    const std::time_t seconds = ::timegm(&*time);
    if (seconds > std::time(nullptr) + clock_difference) {
      out.why_not = "its time is in the future";
      return out;
    }
    X509_STORE* trusted = X509_STORE_new();  // of the check, which frees it
    const bool loaded = trusted && (authorities.empty() ? X509_STORE_set_default_paths(trusted) == 1
                                                        : X509_STORE_load_file(trusted, authorities.c_str()) == 1);
    if (!loaded) {
      X509_STORE_free(trusted);
      return fail(Code::io, "the certificates '" + authorities.string() + "' cannot be read", openssl_reason());
    }
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(trusted), seconds);  // valid then, not now
    out.trusted =
        checks(request.get(), reply.get(), of_content | TS_VFY_SIGNATURE | TS_VFY_SIGNER, trusted, out.why_not);
    return out;
  }

 private:
  // What the flags name; the signature, its certificates and the signer's name only with a store of authorities.
  static bool checks(TS_REQ* request, TS_RESP* reply, int flags, X509_STORE* trusted, std::string& why_not) {
    const CheckPtr check(TS_REQ_to_TS_VERIFY_CTX(request, nullptr));
    if (!check) {
      X509_STORE_free(trusted);
      why_not = openssl_reason();
      return false;
    }
    TS_VERIFY_CTX_set_flags(check.get(), flags);
    if (trusted) TS_VERIFY_CTX_set_store(check.get(), trusted);
    const bool good = TS_RESP_verify_response(check.get(), reply) == 1;
    why_not = openssl_reason();
    if (good) why_not.clear();
    return good;
  }

  http::Client client_;
};

}  // namespace

std::unique_ptr<review::StampService> make_rfc3161() { return std::make_unique<Rfc3161>(); }

}  // namespace ww::stamps
