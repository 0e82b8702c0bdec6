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
#include "gcsflux/range_read.h"

namespace gcsflux {

namespace internal {
class ReaderCore;
}  // namespace internal

struct ObjectReaderOptions {
  /// Of the object to open; the live one unless set.
  std::optional<std::int64_t> generation = {};
  std::optional<EncryptionKey> encryption_key = {};
  /// Requests in flight at most, from 1 to kMaxConcurrency. Raise it until the network is full.
  int max_concurrency = 16;
  /// What one request fetches at most; at least 1. Longer ranges are cut; ReadNext() fetches less ahead at a time, down
  /// to 1 MiB, where first bytes are fast. Lower it where few bytes are to come over many connections, raise it where
  /// the first byte of a request is slow.
  std::uint64_t stripe_bytes = std::uint64_t{8} << 20;
  /// Ranges of one Read() with at most so many bytes between them come in one request. Unset: what comes over a
  /// connection in the time that a first byte takes, as measured by this reader.
  std::optional<std::uint64_t> max_gap_bytes = {};
  /// What this reader fetches ahead at most, by ReadNext() and Prefetch(); at least 1. ReadNext() fetches two requests
  /// for each connection ahead at most: more gains nothing. ClientOptions::max_undelivered_bytes bounds all readers and
  /// download streams of a client together.
  std::uint64_t read_ahead_bytes = std::uint64_t{256} << 20;
  /// ReadNext() fetches `read_ahead_bytes` ahead from its first call on, whether the caller waits or not. Set it where
  /// the object is read from front to back for certain.
  bool reads_whole = false;
  /// A short read that touches the last so many bytes fetches all of them, and the reader keeps them: the directories
  /// of archives are there. 0 keeps nothing.
  std::uint64_t tail_bytes = 64U << 10;
  CallOptions call = {};  ///< Of each request.
  std::stop_token stop = {};
};

/// What a reader has done.
struct ObjectReaderReport {
  std::uint64_t requests = 0;          ///< Reads of ranges, without their retries.
  std::uint64_t fetched_bytes = 0;     ///< That came, bytes between joined ranges included.
  std::uint64_t read_ahead_bytes = 0;  ///< How far ReadNext() reads ahead now.
};

/// Reads one generation of one object, over many connections: at any place, or from front to back.
///
/// Bytes of two generations are never mixed: kAborted once the generation that was opened is gone. The bytes are the
/// stored ones. Thread-safe, but for ReadNext(), Seek() and position(), which are for one thread at a time. Movable;
/// it is not destroyed or moved while a call is under way. In a child of fork() every call returns kForked.
class ObjectReader {
 public:
  /// Asks for the object's size, generation and CRC32C: one request.
  static Result<ObjectReader> Open(const Client& client, const ObjectName& object, ObjectReaderOptions options = {});
  /// Makes no request. kInvalidArgument where the source has no generation, or options::generation is another one.
  static Result<ObjectReader> Open(const Client& client, const DownloadSource& source,
                                   ObjectReaderOptions options = {});
  ObjectReader(ObjectReader&&) noexcept;
  ObjectReader& operator=(ObjectReader&&) noexcept;
  ~ObjectReader();

  [[nodiscard]] const DownloadSource& source() const;
  [[nodiscard]] std::uint64_t size() const { return source().size; }

  /// Fills the destination with the bytes from `offset` on, and returns how many there are: fewer than asked for at the
  /// end of the object only, none from there on. On failure the destination holds anything.
  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> destination) const;

  /// Fills all destinations; the requests run at the same time. kOutOfRange where a range ends behind the object,
  /// kInvalidArgument where two destinations overlap: then nothing is read. Two ranges may overlap.
  Result<void> Read(std::span<const RangeRead> ranges) const;
  Result<void> Read(std::initializer_list<RangeRead> ranges) const {
    return Read(std::span(ranges.begin(), ranges.size()));
  }

  /// Begins to fetch what is soon to be read, and returns at once. A wish: what does not fit into the memory for
  /// reading ahead is left out, and a range without a length, or behind the object's end, is cut there. Bytes that
  /// came this way are kept until they are read once.
  void Prefetch(const std::vector<ByteRange>& ranges) const;

  /// Reads on from position(), as ReadAt() does, and fetches ahead: further where the caller had to wait, less far
  /// where it does not. A failure leaves the position as it is.
  Result<std::size_t> ReadNext(std::span<std::byte> destination);
  [[nodiscard]] std::uint64_t position() const;
  /// Any offset; reads from behind the object's end find no bytes.
  void Seek(std::uint64_t offset);

  /// Compares all bytes of the object, in the form in which they came first, with the object's CRC32C. What was not
  /// read yet is fetched for that, and not kept. kCorrupted where they differ: what was read before is not to be
  /// trusted. Bytes that came a second time, for a range that was read again, are not compared.
  ///
  /// Where the service gives no CRC32C it succeeds, or returns kUnverified: as ReadObject() does.
  Result<void> VerifyWhole() const;

  [[nodiscard]] ObjectReaderReport report() const;

 private:
  explicit ObjectReader(std::shared_ptr<internal::ReaderCore> core);
  std::shared_ptr<internal::ReaderCore> core_;
};

}  // namespace gcsflux
