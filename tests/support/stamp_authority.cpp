// SPDX-License-Identifier: Apache-2.0
#include "support/stamp_authority.h"
#include <ctime>
#include <openssl/pem.h>
#include <openssl/ts.h>
#include "support/certificates.h"

namespace ww::support {
namespace {

std::string text_in(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  std::string text(bytes, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

ASN1_INTEGER* next_serial(TS_RESP_CTX*, void*) {
  static long serial = 0;
  ASN1_INTEGER* number = ASN1_INTEGER_new();
  ASN1_INTEGER_set(number, ++serial);
  return number;
}

}  // namespace

struct StampAuthority::Impl {
  long ahead = 0;
  EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  X509* certificate = X509_new();
  TS_RESP_CTX* context = TS_RESP_CTX_new();
};

StampAuthority::StampAuthority(const std::string& name, bool named, long ahead) : impl_(std::make_unique<Impl>()) {
  impl_->ahead = ahead;
  X509* c = impl_->certificate;
  X509_set_version(c, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(c), 1);
  X509_gmtime_adj(X509_getm_notBefore(c), -3600);
  X509_gmtime_adj(X509_getm_notAfter(c), 3600);
  X509_set_pubkey(c, impl_->key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(c, X509_get_subject_name(c));
  add_extension(c, c, NID_key_usage, "critical,digitalSignature");
  add_extension(c, c, NID_ext_key_usage, "critical,timeStamping");
  need(X509_sign(c, impl_->key, EVP_sha256()), "X509_sign");
  ASN1_OBJECT* policy = OBJ_txt2obj("1.2.3.4.1", 1);
  TS_RESP_CTX* t = impl_->context;
  need(TS_RESP_CTX_set_signer_cert(t, c) && TS_RESP_CTX_set_signer_key(t, impl_->key) &&
           TS_RESP_CTX_set_signer_digest(t, EVP_sha256()) && TS_RESP_CTX_set_def_policy(t, policy) &&
           TS_RESP_CTX_add_md(t, EVP_sha256()),
       "TS_RESP_CTX");
  ASN1_OBJECT_free(policy);
  TS_RESP_CTX_set_serial_cb(t, next_serial, nullptr);
  if (named) TS_RESP_CTX_add_flags(t, TS_TSA_NAME);
  TS_RESP_CTX_set_time_cb(
      t,
      [](TS_RESP_CTX*, void* offset, long* seconds, long* microseconds) {
        *seconds = static_cast<long>(std::time(nullptr)) + *static_cast<long*>(offset);
        *microseconds = 0;
        return 1;
      },
      &impl_->ahead);
}

StampAuthority::~StampAuthority() {
  TS_RESP_CTX_free(impl_->context);
  X509_free(impl_->certificate);
  EVP_PKEY_free(impl_->key);
}

std::string StampAuthority::certificate() const {
  BIO* out = BIO_new(BIO_s_mem());
  need(PEM_write_bio_X509(out, impl_->certificate), "PEM_write_bio_X509");
  return text_in(out);
}

std::string StampAuthority::answer(const std::string& request) {
  BIO* in = BIO_new_mem_buf(request.data(), static_cast<int>(request.size()));
  TS_RESP* reply = TS_RESP_create_response(impl_->context, in);
  need(reply, "TS_RESP_create_response");
  BIO_free(in);
  BIO* out = BIO_new(BIO_s_mem());
  need(i2d_TS_RESP_bio(out, reply), "i2d_TS_RESP_bio");
  TS_RESP_free(reply);
  return text_in(out);
}

}  // namespace ww::support
