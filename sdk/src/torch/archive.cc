#include "gcsflux/torch/archive.h"

#include <c10/util/Exception.h>
#include <torch/serialize/archive.h>

#include <exception>
#include <new>
#include <span>
#include <string>

#include "torch/archive_bytes.h"
#include "torch/archive_source.h"
#include "torch/first_line.h"

namespace gcsflux {
namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

StorageError Undecodable(const ObjectName& object, const std::string& why) {
  return StorageError({.code = ErrorCode::kUndecodable, .message = "Loading " + ToUri(object) + ": " + why});
}

/// Why the bytes are not an archive. If they differ from the stored ones, that is the reason.
[[noreturn]] void ThrowUndecodable(const ArchiveSource& source, const ObjectName& object, const std::string& why) {
  ValueOrThrow(source.VerifyWhole());
  throw Undecodable(object, "not an archive of libtorch (" + why +
                                "); name an object that SaveArchive, SaveCheckpoint or torch::save wrote");
}

/// The archive with all its tensors; the object's bytes are compared with its CRC32C.
InputArchive ReadArchive(ArchiveSource& source, const ObjectName& object) {
  if (const auto begun = source.Begin(); !begun) {
    if (begun.error().code != ErrorCode::kUndecodable) throw StorageError(begun.error());
    ThrowUndecodable(source, object, begun.error().message);
  }
  const auto read = [&](std::uint64_t offset, void* into, std::size_t size) {
    return source.Read(offset, {static_cast<std::byte*>(into), size});
  };
  InputArchive archive;
  try {
    archive.load_from(read, [&] { return static_cast<std::size_t>(source.size()); });
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    if (source.failure()) throw StorageError(*source.failure());
    ThrowUndecodable(source, object, FirstLine(failure));
  }
  if (source.failure()) throw StorageError(*source.failure());
  ValueOrThrow(source.VerifyWhole());
  return archive;
}

}  // namespace

ObjectMetadata SaveArchive(const Client& client, const ObjectName& object,
                           const std::function<void(OutputArchive&)>& fill, const ParallelWriterOptions& options) {
  ParallelWriter writer(client, object, options);
  WriteArchive(fill, ToUri(object), [&writer](std::span<const std::byte> bytes) { return writer.Write(bytes); });
  return ValueOrThrow(writer.Close());
}

void LoadArchive(const Client& client, const ObjectName& object, const std::function<void(InputArchive&)>& use,
                 const ObjectReaderOptions& options) {
  InputArchive archive = [&] {  // The bytes that were fetched ahead are released before `use` runs.
    ArchiveSource source(ValueOrThrow(ObjectReader::Open(client, object, ArchiveSource::ReaderOptions(options))));
    return ReadArchive(source, object);
  }();
  try {
    use(archive);
  } catch (const c10::Error& failure) {
    throw Undecodable(object, FirstLine(failure));
  }
}

}  // namespace gcsflux
