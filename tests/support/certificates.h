// SPDX-License-Identifier: Apache-2.0
// What the test servers share of making certificates.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <openssl/x509v3.h>

namespace ww::support {

inline void need(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::abort();
}

inline void add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  need(extension && X509_add_ext(certificate, extension, -1), value);
  X509_EXTENSION_free(extension);
}

}  // namespace ww::support
