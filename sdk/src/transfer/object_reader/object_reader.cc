#include "gcsflux/object_reader.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/moved_from.h"
#include "base/object_name.h"
#include "base/option_range.h"
#include "client/client_core.h"
#include "client/operation_calls.h"
#include "transfer/object_reader/reader_core.h"

namespace gcsflux {
namespace {

Result<void> CheckOptions(const ObjectReaderOptions& options) {
  const auto refuse = [](const char* why) { return Error{ErrorCode::kInvalidArgument, why}; };
  if (options.range_bytes < 1) return refuse("ObjectReaderOptions::range_bytes must be at least 1");
  if (options.read_ahead_bytes < 1) return refuse("ObjectReaderOptions::read_ahead_bytes must be at least 1");
  return internal::CheckRanges(
      {{"ObjectReaderOptions::max_concurrency", internal::RangeOf("max_concurrency"), options.max_concurrency}});
}

// `answered_in`: the time of a request that was sent before, if there was one.
std::shared_ptr<internal::ReaderCore> MakeCore(const Client& client, DownloadSource source, ObjectReaderOptions options,
                                               std::optional<std::chrono::nanoseconds> answered_in) {
  return internal::OwnedByProcess(
      std::make_unique<internal::ReaderCore>(client, std::move(source), std::move(options), answered_in));
}

// What a call does with the reader's core, which a reader that was moved from does not have.
template <class Call>
auto WithCore(const std::shared_ptr<internal::ReaderCore>& core, Call call) -> decltype(call()) {
  if (!core) return internal::MovedFrom("ObjectReader");
  auto done = internal::ExceptionsAsErrors(call);
  if (done || done.error().code != ErrorCode::kNotFound) return done;
  // The opened generation is gone. The live object is another one, and must not be mixed with it.
  Error error = done.error();
  error.code = ErrorCode::kAborted;
  error.message += "; generation " + std::to_string(core->source().generation) + " was replaced or deleted";
  return error;
}

}  // namespace

Result<ObjectReader> ObjectReader::Open(const Client& client, const ObjectName& object, ObjectReaderOptions options) {
  if (auto checked = CheckOptions(options); !checked) return checked.error();
  const auto start = std::chrono::steady_clock::now();
  const auto found = client.GetObject(object, {.generation = options.generation,
                                               .encryption_key = options.encryption_key,
                                               .fields = "size,crc32c",
                                               .call = options.call,
                                               .stop = options.stop});
  if (!found) return found.error();
  const auto answered_in = std::chrono::steady_clock::now() - start;
  return internal::ExceptionsAsErrors([&]() -> Result<ObjectReader> {
    return ObjectReader(
        MakeCore(client, {object, found->size, found->generation, found->crc32c}, std::move(options), answered_in));
  });
}

Result<ObjectReader> ObjectReader::Open(const Client& client, const DownloadSource& source,
                                        ObjectReaderOptions options) {
  if (auto checked = CheckOptions(options); !checked) return checked.error();
  if (auto checked = internal::CheckObject(source.object); !checked) return checked.error();
  const bool is_other = options.generation && *options.generation != source.generation;
  if (source.generation <= 0 || is_other) {
    return Error{ErrorCode::kInvalidArgument,
                 "read of " + ToUri(source.object) + ": the source's generation " + std::to_string(source.generation) +
                     (is_other ? " is not that of the options" : " is none; take it from a listing")};
  }
  if (source.offset) {
    return Error{ErrorCode::kInvalidArgument,
                 "read of " + ToUri(source.object) + ": the source is a part of the object"};
  }
  return internal::ExceptionsAsErrors(
      [&]() -> Result<ObjectReader> { return ObjectReader(MakeCore(client, source, std::move(options), {})); });
}

ObjectReader::ObjectReader(std::shared_ptr<internal::ReaderCore> core) : core_(std::move(core)) {}
ObjectReader::ObjectReader(ObjectReader&&) noexcept = default;
ObjectReader& ObjectReader::operator=(ObjectReader&&) noexcept = default;
ObjectReader::~ObjectReader() = default;

const DownloadSource& ObjectReader::source() const {
  static const DownloadSource& none = *new DownloadSource();
  return core_ ? core_->source() : none;
}

Result<std::size_t> ObjectReader::ReadAt(std::uint64_t offset, std::span<std::byte> destination) const {
  return WithCore(core_, [&] { return core_->ReadAt(offset, destination); });
}

Result<void> ObjectReader::Read(std::span<const RangeRead> ranges) const {
  if (auto read = WithCore(core_, [&] { return core_->Read(ranges, {}); }); !read) return read.error();
  return {};
}

Result<std::vector<std::uint32_t>> ObjectReader::ReadSummed(std::span<const RangeRead> ranges, Checksum kind) const {
  return WithCore(core_, [&] { return core_->Read(ranges, kind); });
}

void ObjectReader::Prefetch(const std::vector<ByteRange>& ranges) const {
  static_cast<void>(WithCore(core_, [&]() -> Result<void> { return core_->Prefetch(ranges), Result<void>(); }));
}

Result<std::size_t> ObjectReader::ReadNext(std::span<std::byte> destination) {
  return WithCore(core_, [&] { return core_->ReadNext(destination); });
}

Result<std::span<const std::byte>> ObjectReader::NextView() {
  return WithCore(core_, [&] { return core_->NextView(); });
}

std::uint64_t ObjectReader::position() const { return core_ ? core_->position() : 0; }

void ObjectReader::Seek(std::uint64_t offset) {
  if (core_) core_->Seek(offset);
}

Result<void> ObjectReader::VerifyWhole() const {
  return WithCore(core_, [&] { return core_->VerifyWhole(); });
}

std::uint64_t ObjectReader::requests() const { return core_ ? core_->requests() : 0; }
std::uint64_t ObjectReader::fetched_bytes() const { return core_ ? core_->fetched_bytes() : 0; }
std::uint64_t ObjectReader::read_ahead_bytes() const { return core_ ? core_->read_ahead_bytes() : 0; }

}  // namespace gcsflux
