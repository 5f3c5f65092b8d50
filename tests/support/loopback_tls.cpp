// SPDX-License-Identifier: Apache-2.0
#include "support/loopback_tls.h"
#include <cstdio>
#include <cstring>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include "support/certificates.h"

namespace ww::support {
namespace {

constexpr long day = 24L * 3600;

// Signed by `issuer` with its key; by itself where there is none.
X509* make_certificate(const char* name, EVP_PKEY* key, long from_seconds, long to_seconds, X509* issuer,
                       EVP_PKEY* issuer_key, const char* alternative_names) {
  X509* c = X509_new();
  need(c, "X509_new");
  X509_set_version(c, 2);
  std::uint32_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  ASN1_INTEGER_set(X509_get_serialNumber(c), static_cast<long>(serial >> 1) + 1);
  X509_gmtime_adj(X509_getm_notBefore(c), from_seconds);
  X509_gmtime_adj(X509_getm_notAfter(c), to_seconds);
  X509_set_pubkey(c, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name),
                             -1, -1, 0);
  X509_set_issuer_name(c, X509_get_subject_name(issuer ? issuer : c));
  add_extension(c, issuer ? issuer : c, NID_subject_key_identifier, "hash");
  add_extension(c, issuer ? issuer : c, NID_basic_constraints, issuer ? "critical,CA:FALSE" : "critical,CA:TRUE");
  add_extension(c, issuer ? issuer : c, NID_key_usage,
                issuer ? "critical,digitalSignature" : "critical,keyCertSign,cRLSign");
  if (alternative_names) add_extension(c, issuer ? issuer : c, NID_subject_alt_name, alternative_names);
  need(X509_sign(c, issuer_key ? issuer_key : key, EVP_sha256()), "X509_sign");
  return c;
}

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size,
                    void* http2) {
  const unsigned char* wanted = reinterpret_cast<const unsigned char*>(http2 ? "\x02h2\x08http/1.1" : "\x08http/1.1");
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, wanted, http2 ? 12 : 9, in, in_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

SSL_CTX* make_tls_context(ServerOptions::Certificate kind, bool http2, const std::filesystem::path& authority_file) {
  EVP_PKEY* authority_key = EVP_EC_gen("P-256");
  EVP_PKEY* key = EVP_EC_gen("P-256");
  need(authority_key && key, "EVP_EC_gen");
  const std::string name =
      "Loopback test authority " +
      authority_file.parent_path().filename().string();  // each has its own name, or clients mix them up
  X509* authority = make_certificate(name.c_str(), authority_key, -10 * day, 10 * day, nullptr, nullptr, nullptr);
  const bool expired = kind == ServerOptions::Certificate::expired,
             other = kind == ServerOptions::Certificate::other_name;
  X509* certificate =
      make_certificate(other ? "other.example" : "localhost", key, -5 * day, expired ? -1 * day : 5 * day, authority,
                       authority_key, other ? "DNS:other.example" : "DNS:localhost,IP:127.0.0.1");
  std::FILE* file = std::fopen(authority_file.c_str(), "w");
  need(file && PEM_write_X509(file, authority), "writing the authority");
  std::fclose(file);
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  need(context && SSL_CTX_use_certificate(context, certificate) && SSL_CTX_use_PrivateKey(context, key), "SSL_CTX_new");
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, http2 ? context : nullptr);
  X509_free(certificate);
  X509_free(authority);
  EVP_PKEY_free(key);
  EVP_PKEY_free(authority_key);
  return context;
}

}  // namespace ww::support
