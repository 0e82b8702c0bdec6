#include "gcsflux/torch/archive.h"

#include <c10/util/Exception.h>
#include <torch/serialize/archive.h>

#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "torch/first_line.h"

namespace gcsflux {
namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

/// Takes libtorch's bytes into an ObjectWriter and never refuses any.
///
/// libtorch finishes an archive in a destructor, so a sink that throws or takes fewer bytes than it was given ends
/// the process. The first failure is kept instead, and thrown when libtorch is out of the way.
class LatchingSink {
 public:
  explicit LatchingSink(ObjectWriter& writer) : writer_(writer) {}

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
  ObjectWriter& writer_;
  std::exception_ptr failure_;
};

StorageError Undecodable(const ObjectName& object, const std::string& why) {
  return StorageError({.code = ErrorCode::kUndecodable, .message = "Loading " + ToUri(object) + ": " + why});
}

struct ObjectBytes {
  std::unique_ptr<char[]> bytes;
  std::size_t size;
};

/// The live object, whole and checked. Its size is asked for first, so that the bytes are stored once.
ObjectBytes ReadWhole(const Client& client, const ObjectName& object) {
  const ObjectMetadata metadata = ValueOrThrow(client.GetObject(object));
  ObjectBytes read{std::make_unique_for_overwrite<char[]>(metadata.size), metadata.size};
  const auto buffer = std::as_writable_bytes(std::span(read.bytes.get(), read.size));
  ValueOrThrow(client.ReadObject(object, buffer, {.generation = metadata.generation}));
  return read;
}

InputArchive ParseArchive(const ObjectName& object, const ObjectBytes& read) {
  try {
    InputArchive archive;
    archive.load_from(read.bytes.get(), read.size);
    return archive;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    throw Undecodable(object, "not an archive of libtorch (" + FirstLine(failure) +
                                  "); name an object that SaveArchive, SaveCheckpoint or torch::save wrote");
  }
}

}  // namespace

ObjectMetadata SaveArchive(const Client& client, const ObjectName& object,
                           const std::function<void(OutputArchive&)>& fill, const UploadOptions& options) {
  OutputArchive archive;
  fill(archive);
  ObjectWriter writer(client, object, options);
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

void LoadArchive(const Client& client, const ObjectName& object, const std::function<void(InputArchive&)>& use) {
  InputArchive archive = ParseArchive(object, ReadWhole(client, object));  // The bytes go when it has its tensors.
  try {
    use(archive);
  } catch (const c10::Error& failure) {
    throw Undecodable(object, FirstLine(failure));
  }
}

}  // namespace gcsflux
