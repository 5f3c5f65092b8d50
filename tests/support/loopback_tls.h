// SPDX-License-Identifier: Apache-2.0
// What the loopback server needs of TLS: an authority and a certificate of its own, made at start (EC keys:
// milliseconds).
#pragma once
#include <filesystem>
#include <openssl/ssl.h>
#include "support/loopback_server.h"

namespace ww::support {

// Context of a server whose certificate, for localhost and 127.0.0.1 unless `kind` says otherwise, is signed by a new
// authority, which is written to `authority_file` (PEM). ALPN: h2 where http2 is set, else http/1.1. The caller frees
// it (SSL_CTX_free). Ends the program when OpenSSL cannot.
SSL_CTX* make_tls_context(ServerOptions::Certificate kind, bool http2, const std::filesystem::path& authority_file);

}  // namespace ww::support
