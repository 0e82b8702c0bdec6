#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "store/bytes/rope.h"

struct evp_md_ctx_st;  // OpenSSL's; no other file needs its headers

namespace gcsflux::emulator {

using Md5Digest = std::array<std::byte, 16>;

/// The MD5 of bytes that arrive one after the other. A value: a copy continues where the original is. One thread.
class Md5Stream {
 public:
  Md5Stream();
  Md5Stream(const Md5Stream& other);
  Md5Stream(Md5Stream&&) noexcept = default;
  Md5Stream& operator=(Md5Stream other) noexcept;
  ~Md5Stream() = default;

  /// About 1 s per GB: four times slower than a loopback connection.
  void Append(std::span<const std::byte> bytes);
  /// How many bytes were added.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The MD5 of all bytes so far; more may follow.
  [[nodiscard]] Md5Digest Digest() const;

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };

  std::unique_ptr<evp_md_ctx_st, Free> context_;
  std::uint64_t size_ = 0;
};

Md5Digest ComputeMd5(const Rope& bytes);

}  // namespace gcsflux::emulator
