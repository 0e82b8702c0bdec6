#include "gcsflux/torch/archive.h"

#include <c10/util/Exception.h>
#include <torch/serialize/archive.h>

#include <exception>
#include <new>
#include <span>
#include <string>

#include "torch/archive_source.h"
#include "torch/first_line.h"

namespace gcsflux {
namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

/// Takes libtorch's bytes into a ParallelWriter and never refuses any.
///
/// libtorch finishes an archive in a destructor, so a sink that throws or takes fewer bytes than it was given ends
/// the process. The first failure is kept instead, and thrown when libtorch is out of the way.
class LatchingSink {
 public:
  explicit LatchingSink(ParallelWriter& writer) : writer_(writer) {}

  std::size_t Write(const void* bytes, std::size_t size) noexcept {
    if (failure_ != nullptr) return size;
    try {
      ValueOrThrow(writer_.Write({static_cast<const std::byte*>(bytes), size}));
    } catch (...) {
      failure_ = std::current_exception();
    }
    return size;
  }

  void RethrowFailure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  ParallelWriter& writer_;
  std::exception_ptr failure_;
};

StorageError Undecodable(const ObjectName& object, const std::string& why) {
  return StorageError({.code = ErrorCode::kUndecodable, .message = "Loading " + ToUri(object) + ": " + why});
}

/// Why the bytes are no archive. Where they are not those that were stored, that is the reason.
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
  OutputArchive archive;
  fill(archive);
  ParallelWriter writer(client, object, options);
  LatchingSink sink(writer);
  try {
    archive.save_to([&sink](const void* bytes, std::size_t size) { return sink.Write(bytes, size); });
  } catch (const c10::Error& failure) {
    throw StorageError({.code = ErrorCode::kInvalidArgument,
                        .message = "Saving " + ToUri(object) + ": libtorch: " + FirstLine(failure)});
  }
  sink.RethrowFailure();
  return ValueOrThrow(writer.Close());
}

void LoadArchive(const Client& client, const ObjectName& object, const std::function<void(InputArchive&)>& use,
                 const ObjectReaderOptions& options) {
  InputArchive archive = [&] {  // What was fetched ahead goes before `use` runs.
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
