#include "cli/copy/upload_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/copy/suspended_upload.h"
#include "client/client_core.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux::cli {
namespace {

constexpr std::uint64_t kBlock = 1U << 20;

// Identifies the content of a file. Empty if the file cannot be examined.
std::string Fingerprint(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return std::to_string(found.st_size) + " " + std::to_string(found.st_mtim.tv_sec) + "." +
         std::to_string(found.st_mtim.tv_nsec);
}

// A key for each pair of a file and an object of a service, and each way to store it.
std::string KeyOf(const Client& client, const std::string& path, const ObjectName& object,
                  const UploadOptions& options) {
  std::error_code error;
  return CoreOf(client).endpoint() + "\n" + ToUri(object) + "\n" + std::filesystem::absolute(path, error).string() +
         "\n" + std::to_string(static_cast<int>(options.mode)) + "\n" + options.attributes.content_type;
}

// The upload of a file over a session whose state is saved.
class ResumableUpload {
 public:
  ResumableUpload(const Client& client, const ObjectName& object, const UploadOptions& options,
                  const internal::UploadSource& source, const SuspendedUpload& suspended, std::string fingerprint)
      : client_(client),
        object_(object),
        options_(options),
        source_(source),
        suspended_(suspended),
        fingerprint_(std::move(fingerprint)) {}

  Result<std::uint64_t> Run() {
    if (const auto state = suspended_.Load(fingerprint_)) {
      auto resumed = RunFrom(*state);
      const bool is_usable = resumed || (resumed.error().code != ErrorCode::kSessionLost &&
                                         resumed.error().code != ErrorCode::kInvalidArgument &&
                                         resumed.error().code != ErrorCode::kCorrupted);
      if (is_usable) return resumed;
    }
    constexpr int kSessions = 3;
    for (int i = 1;; ++i) {
      // The state is saved from the beginning, because a killed process cannot save it later.
      auto state = ObjectWriter(client_, object_, options_).Suspend();
      if (!state) return state.error();
      static_cast<void>(suspended_.Save(fingerprint_, *state));
      auto stored = RunFrom(*state);
      if (stored || stored.error().code != ErrorCode::kSessionLost || i == kSessions) return stored;
    }
  }

 private:
  Result<std::uint64_t> RunFrom(const std::string& state) {
    auto writer = ObjectWriter::Resume(client_, state, options_);
    if (!writer) {
      Error error = writer.error();
      // An earlier run may have stored it. This run compared the destination before it began, and is a separate write.
      if (error.code == ErrorCode::kOutcomeUnknown) error.code = ErrorCode::kSessionLost;
      return Leave(error);
    }
    const std::uint64_t kept_bytes = writer->position();
    auto done = Feed(*writer);
    if (done) {
      suspended_.Forget();
      return kept_bytes;
    }
    if (auto left = writer->Suspend()) {
      static_cast<void>(suspended_.Save(fingerprint_, *left));
      return done.error();
    }
    return Leave(done.error());
  }

  Result<void> Feed(ObjectWriter& writer) {
    std::vector<std::byte> room;
    for (std::uint64_t at = writer.position(); at < source_.size(); at = writer.position()) {
      const auto data = source_.Read(at, static_cast<std::size_t>(std::min(kBlock, source_.size() - at)), room);
      if (!data) return GiveUp(writer, data.error());
      if (auto written = writer.Write(*data); !written) return written;
    }
    if (auto unchanged = source_.CheckUnchanged(); !unchanged) return GiveUp(writer, unchanged.error());
    if (const auto stored = writer.Close(); !stored) return stored.error();
    return {};
  }

  // The sent bytes are useless.
  static Error GiveUp(ObjectWriter& writer, const Error& error) {
    writer.Cancel();
    return error;
  }

  // A state is useful only after a temporary failure.
  Error Leave(const Error& error) {
    const bool may_pass = error.code == ErrorCode::kCancelled || error.code == ErrorCode::kUnavailable ||
                          error.code == ErrorCode::kUnreachable || error.code == ErrorCode::kRateLimited ||
                          error.code == ErrorCode::kTokenUnavailable || error.code == ErrorCode::kProxyFailed;
    if (!may_pass) suspended_.Forget();
    return error;
  }

  const Client& client_;
  const ObjectName& object_;
  const UploadOptions& options_;
  const internal::UploadSource& source_;
  const SuspendedUpload& suspended_;
  const std::string fingerprint_;
};

}  // namespace

Result<std::uint64_t> UploadResumably(const Client& client, const std::string& path, const ObjectName& object,
                                      const UploadOptions& options) {
  const auto in_one_go = [&]() -> Result<std::uint64_t> {
    if (const auto stored = UploadFile(client, path, object, options); !stored) return stored.error();
    return std::uint64_t{0};
  };
  const auto source = internal::FileSource(path);
  if (!source) return source.error();
  if ((*source)->size() <= options.chunk_bytes) return in_one_go();
  const auto suspended = SuspendedUpload::Open(KeyOf(client, path, object, options));
  if (!suspended) return in_one_go();
  return ResumableUpload(client, object, options, **source, *suspended, Fingerprint(path)).Run();
}

}  // namespace gcsflux::cli
