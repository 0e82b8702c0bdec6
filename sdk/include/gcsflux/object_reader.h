#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/download.h"

namespace gcsflux {

namespace internal {
class ReaderCore;
}  // namespace internal

/// For ObjectReader::Open().
struct ObjectReaderOptions {
  /// The generation to open; the live one if absent.
  std::optional<std::int64_t> generation = {};
  std::optional<EncryptionKey> encryption_key = {};
  /// Most requests in flight, from 1 to kMaxConcurrency. Raise it until the network is full.
  int max_concurrency = 16;
  /// Most bytes that one request fetches; at least 1. Longer ranges are divided. One read, or an object with
  /// `reads_whole`, is divided over all connections, so that none idles. Until the time of a first byte is known, its
  /// chunks have at least 4 MiB. After that, they have at least 1 MiB, and at least the bytes that arrive in that time.
  /// If first bytes are fast, ReadNext() fetches 1 MiB at a time. Raise it if the first byte of a request is slow.
  std::uint64_t range_bytes = std::uint64_t{16} << 20;
  /// If two ranges of one Read() have at most this many bytes between them, one request fetches both. If absent, the
  /// reader uses the number of bytes that a connection delivers while it waits for a first byte, as it measures it.
  std::optional<std::uint64_t> max_gap_bytes = {};
  /// Most bytes that this reader fetches ahead, by ReadNext() and Prefetch(); at least 1. ReadNext() fetches at most
  /// two requests for each connection ahead, because more gains nothing. All readers and download streams of a client
  /// together stay within ClientOptions::max_undelivered_bytes.
  std::uint64_t read_ahead_bytes = std::uint64_t{256} << 20;
  /// ReadNext() fetches `read_ahead_bytes` ahead from its first call on, even if the caller does not wait. Set it if
  /// the object is certainly read from front to back.
  bool reads_whole = false;
  /// If a short read touches the last `tail_bytes` of the object, the reader fetches all of these bytes and keeps them,
  /// because archives have their directories there. 0 keeps nothing.
  std::uint64_t tail_bytes = 64U << 10;
  CallOptions call = {};  ///< For each request.
  std::stop_token stop = {};
};

/// Reads one generation of one object over many connections: at any place, or from front to back.
///
/// Bytes of two generations are never mixed: once the opened generation is gone, reads return kAborted. The bytes are
/// the stored ones. Thread-safe, except for ReadNext(), NextView(), Seek() and position(), which are for one thread at
/// a time. Movable. Do not destroy or move it while a call is under way.
class ObjectReader {
 public:
  /// Requests the object's size, generation and CRC32C: one request.
  static Result<ObjectReader> Open(const Client& client, const ObjectName& object, ObjectReaderOptions options = {});
  /// Makes no request. Returns kInvalidArgument if the source has no generation, or options::generation is another one.
  static Result<ObjectReader> Open(const Client& client, const DownloadSource& source,
                                   ObjectReaderOptions options = {});
  ObjectReader(ObjectReader&&) noexcept;
  ObjectReader& operator=(ObjectReader&&) noexcept;
  ~ObjectReader();

  [[nodiscard]] const DownloadSource& source() const;                 ///< Object, generation and size that it reads.
  [[nodiscard]] std::uint64_t size() const { return source().size; }  ///< In bytes.

  /// Fills the destination with the bytes from `offset` on, and returns their number. It is smaller than requested only
  /// at the end of the object, and 0 behind it. After a failure the content of the destination is undefined.
  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> destination) const;

  /// Fills all destinations; the requests run at the same time. Returns kOutOfRange if a range ends behind the object,
  /// and kInvalidArgument if two destinations overlap; then nothing is read. Two ranges may overlap.
  Result<void> Read(std::span<const RangeRead> ranges) const;
  /// The same for a list in braces.
  Result<void> Read(std::initializer_list<RangeRead> ranges) const {
    return Read(std::span(ranges.begin(), ranges.size()));
  }
  /// The same, and returns the checksum of each range. That of an empty range is 0. The bytes are summed as they
  /// arrive, which costs less than a second pass.
  Result<std::vector<std::uint32_t>> ReadSummed(std::span<const RangeRead> ranges, Checksum kind) const;

  /// Begins to fetch ranges that the caller will read soon, and returns at once. It is only a hint: if the memory for
  /// reading ahead is full, the rest is left out. A range without a length ends at the object's end, and so does one
  /// that extends behind it. These bytes are kept until they are read once.
  void Prefetch(const std::vector<ByteRange>& ranges) const;

  /// Reads from position() on as ReadAt() does, and fetches ahead. If the caller had to wait, it fetches further ahead;
  /// if not, less far. A failure does not change the position.
  Result<std::size_t> ReadNext(std::span<std::byte> destination);
  /// The same without a copy: lends the bytes from position() on that have arrived, often 1 MiB. Returns no bytes at
  /// the object's end. The bytes stay valid until the next call of NextView(), ReadNext() or Seek(), or until the
  /// reader is destroyed. Until then, their request's memory counts as fetched ahead. Use it if the bytes are only read
  /// or passed on.
  Result<std::span<const std::byte>> NextView();
  [[nodiscard]] std::uint64_t position() const;  ///< Of the next byte that ReadNext() returns.
  /// Any offset is allowed; reads behind the object's end return no bytes.
  void Seek(std::uint64_t offset);

  /// Compares all bytes of the object with the object's CRC32C. It uses the bytes that were read first; bytes of a
  /// later read of the same range are not compared. Bytes that were not read yet are fetched, and not kept. Returns
  /// kCorrupted if the checksums differ: then do not trust what was read.
  ///
  /// If the service gives no CRC32C, it succeeds, or returns kUnverified, as ReadObject() does.
  Result<void> VerifyWhole() const;

  /// Reads of ranges so far, without their retries.
  [[nodiscard]] std::uint64_t requests() const;
  /// Bytes fetched so far, with the bytes between joined ranges.
  [[nodiscard]] std::uint64_t fetched_bytes() const;
  /// How far ReadNext() reads ahead at present, in bytes.
  [[nodiscard]] std::uint64_t read_ahead_bytes() const;

 private:
  explicit ObjectReader(std::shared_ptr<internal::ReaderCore> core);
  std::shared_ptr<internal::ReaderCore> core_;
};

}  // namespace gcsflux
