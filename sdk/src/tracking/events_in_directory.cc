#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/messages/local_error.h"
#include "base/process/file_size_signal.h"
#include "formats/events/run_record.h"
#include "tracking/event_destination.h"

namespace gcsflux::internal {
namespace {

Result<void> WriteAll(int file, std::string_view bytes, const std::string& path) {
  const FileSizeSignalBlock no_signal;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return LocalError("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

class LocalDestination : public EventDestination {
 public:
  LocalDestination(Client client, std::string directory)
      : client_(std::move(client)), directory_(std::move(directory)), names_(client_) {}
  ~LocalDestination() override { Close(); }

  Result<void> Append(std::string_view records, const std::stop_token& /*stop*/) override {
    if (file_ < 0) {
      if (auto opened = Open(); !opened) return opened;
    }
    auto written = WriteAll(file_, records, path_);
    if (written) {
      size_ += static_cast<off_t>(records.size());
      return {};
    }
    // Half a record would end what readers see of the file.
    if (::ftruncate(file_, size_) != 0) Close();
    return written;
  }

  Result<void> StoreRunRecord(const std::string& json, const std::stop_token& /*stop*/) override {
    if (auto made = MakeDirectory(); !made) return made;
    const std::string path = directory_ + "/" + kRunRecordName;
    const std::string whole = path + ".new";
    const int file = ::open(whole.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return LocalError("write", whole);
    auto written = WriteAll(file, json, whole);
    ::close(file);
    if (written && ::rename(whole.c_str(), path.c_str()) != 0) written = LocalError("write", path);
    if (!written) ::unlink(whole.c_str());
    return written;
  }

 private:
  [[nodiscard]] Result<void> MakeDirectory() const {
    std::error_code failure;
    std::filesystem::create_directories(directory_, failure);
    if (failure) return LocalError("make the directory", directory_, failure.value());
    return {};
  }

  Result<void> Open() {
    if (auto made = MakeDirectory(); !made) return made;
    path_ = directory_ + "/" + names_.At(number_);
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) return LocalError("make", path_);
    ++number_;
    const std::string first = FirstRecord(client_);
    size_ = 0;
    auto written = WriteAll(file_, first, path_);
    if (written) {
      size_ = static_cast<off_t>(first.size());
      return {};
    }
    Close();
    ::unlink(path_.c_str());
    return written;
  }

  void Close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

  const Client client_;
  const std::string directory_;
  const EventFileNames names_;
  int number_ = 0;
  int file_ = -1;
  off_t size_ = 0;  // Of whole records.
  std::string path_ = {};
};

}  // namespace

std::unique_ptr<EventDestination> EventsInDirectory(Client client, std::string directory) {
  return std::make_unique<LocalDestination>(std::move(client), std::move(directory));
}

}  // namespace gcsflux::internal
