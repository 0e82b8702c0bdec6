#include "network/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <new>

namespace gcsflux::emulator {
namespace {

PacedSocket& SocketOf(BIO* bio) { return *static_cast<PacedSocket*>(::BIO_get_data(bio)); }

int ReadSocket(BIO* bio, char* into, int size) {
  ::BIO_clear_retry_flags(bio);
  const ssize_t received =
      SocketOf(bio).Receive(std::as_writable_bytes(std::span(into, static_cast<std::size_t>(size))));
  if (received < 0 && errno == EAGAIN) ::BIO_set_retry_read(bio);
  return static_cast<int>(received);
}

int WriteSocket(BIO* bio, const char* bytes, int size) {
  ::BIO_clear_retry_flags(bio);
  std::array<iovec, 1> parts{iovec{const_cast<char*>(bytes), static_cast<std::size_t>(size)}};
  const ssize_t sent = SocketOf(bio).Send(parts);
  if (sent < 0 && errno == EAGAIN) ::BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

// OpenSSL's own socket BIO writes with write(), which raises SIGPIPE if the client has gone.
const BIO_METHOD* SocketMethod() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = ::BIO_meth_new(::BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE");
    if (made == nullptr) throw std::bad_alloc();
    ::BIO_meth_set_read(made, &ReadSocket);
    ::BIO_meth_set_write(made, &WriteSocket);
    ::BIO_meth_set_ctrl(made, &Control);
    return made;
  }();
  return method;
}

int ClampSize(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

}  // namespace

TlsSession::TlsSession(const TlsContext& context, PacedSocket& socket)
    : session_(::SSL_new(context.context_.get()), &::SSL_free) {
  BIO* bio = ::BIO_new(SocketMethod());
  if (session_ == nullptr || bio == nullptr) throw std::bad_alloc();
  ::BIO_set_data(bio, &socket);
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(session_.get(), bio, bio);
}

bool TlsSession::Accept() { return ToResult(::SSL_accept(session_.get())) > 0; }

ssize_t TlsSession::Receive(std::span<std::byte> into) {
  return ToResult(::SSL_read(session_.get(), into.data(), ClampSize(into.size())));
}

ssize_t TlsSession::Send(std::span<const std::byte> bytes) {
  return ToResult(::SSL_write(session_.get(), bytes.data(), ClampSize(bytes.size())));
}

void TlsSession::SendCloseNotify() {
  if (!is_broken_) ToResult(::SSL_shutdown(session_.get()));
}

ssize_t TlsSession::ToResult(int outcome) {
  if (outcome > 0) return outcome;
  const int error = ::SSL_get_error(session_.get(), outcome);
  ::ERR_clear_error();  // the queue belongs to the thread; an old entry would spoil the next call's result
  if (error == SSL_ERROR_ZERO_RETURN) return 0;
  const bool has_timed_out = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
  is_broken_ = !has_timed_out;
  errno = has_timed_out ? EAGAIN : ECONNRESET;
  return -1;
}

}  // namespace gcsflux::emulator
