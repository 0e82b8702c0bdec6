#include "torch/archive_bytes.h"

#include <c10/util/Exception.h>

#include <exception>
#include <string>

#include "gcsflux/torch/storage_error.h"
#include "torch/failure.h"

namespace gcsflux {
namespace {

/// Takes libtorch's bytes, and never refuses any.
///
/// libtorch finishes an archive in a destructor. So if a sink throws, or takes fewer bytes than it was given, the
/// process ends. Therefore the first failure is kept, and thrown when libtorch has finished.
class LatchingSink {
 public:
  explicit LatchingSink(const ByteSink& sink) : sink_(sink) {}

  std::size_t Write(const void* bytes, std::size_t size) noexcept {
    if (failure_ != nullptr) return size;
    try {
      ValueOrThrow(sink_({static_cast<const std::byte*>(bytes), size}));
    } catch (...) {
      failure_ = std::current_exception();
    }
    return size;
  }

  void RethrowFailure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  const ByteSink& sink_;
  std::exception_ptr failure_;
};

}  // namespace

void WriteArchive(const std::function<void(torch::serialize::OutputArchive&)>& fill, const std::string& name,
                  const ByteSink& sink) {
  torch::serialize::OutputArchive archive;
  fill(archive);
  LatchingSink latching(sink);
  try {
    archive.save_to([&latching](const void* bytes, std::size_t size) { return latching.Write(bytes, size); });
  } catch (const c10::Error& failure) {
    throw StorageError(
        {.code = ErrorCode::kInvalidArgument, .message = "Saving " + name + ": libtorch: " + FirstLine(failure)});
  }
  latching.RethrowFailure();
}

}  // namespace gcsflux
