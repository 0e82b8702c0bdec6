#include "store/bytes/md5.h"

#include <openssl/evp.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/interruption.h"

namespace gcsflux::emulator {
namespace {

void Check(bool done) {
  if (!done) throw std::runtime_error("OpenSSL does not offer MD5 here");
}

}  // namespace

void Md5Stream::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Md5Stream::Md5Stream() : context_(EVP_MD_CTX_new()) {
  Check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_md5(), nullptr) == 1);
}

Md5Stream::Md5Stream(const Md5Stream& other) : context_(EVP_MD_CTX_new()), size_(other.size_) {
  Check(context_ != nullptr && EVP_MD_CTX_copy_ex(context_.get(), other.context_.get()) == 1);
}

Md5Stream& Md5Stream::operator=(Md5Stream other) noexcept {
  std::swap(context_, other.context_);
  size_ = other.size_;
  return *this;
}

void Md5Stream::Append(std::span<const std::byte> bytes) {
  Check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  size_ += bytes.size();
}

Md5Digest Md5Stream::Digest() const {
  Md5Stream finished(*this);
  Md5Digest digest{};
  Check(EVP_DigestFinal_ex(finished.context_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1);
  return digest;
}

Md5Digest ComputeMd5(const Rope& bytes) {
  Md5Stream md5;
  static constexpr std::size_t kMoment = std::size_t{4} << 20;  // takes 4 ms
  bytes.ForEachSpan(0, bytes.size(), [&md5](std::span<const std::byte> span) {
    for (; !span.empty(); span = span.subspan(std::min(kMoment, span.size()))) {
      ThrowIfInterrupted();
      md5.Append(span.first(std::min(kMoment, span.size())));
    }
    return true;
  });
  return md5.Digest();
}

}  // namespace gcsflux::emulator
