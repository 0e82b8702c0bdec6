#include "sharding/ranks/host_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <utility>

#include "base/messages/local_error.h"
#include "base/process/file_size_signal.h"

namespace gcsflux::internal {
namespace {

constexpr const char* kOwn = "shared memory";

std::string RandomMark() {
  std::random_device random;
  std::string mark;
  while (mark.size() < HostMemory::kMarkBytes) mark += static_cast<char>(random() & 0xFFU);
  return mark;
}

Error NotTheMemory(const std::string& path) {
  return {ErrorCode::kLocalIo, "'" + path + "' is not the memory of another rank: it is a process of another machine"};
}

}  // namespace

Result<HostMemory> HostMemory::Create() {
  const int descriptor = ::memfd_create("gcsflux", MFD_CLOEXEC);
  if (descriptor < 0) return LocalError("create", kOwn);
  return HostMemory(descriptor, RandomMark());
}

Result<HostMemory> HostMemory::Open(const HostMemoryPlace& place, std::uint64_t size) {
  const std::string path = "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.descriptor);
  // On this host another process may have this number, and its descriptor may be a pipe.
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return LocalError("open", path);
  HostMemory memory(opened, place.mark);
  struct stat status {};
  // Memory behind the end must not be read.
  if (::fstat(opened, &status) != 0) return LocalError("look at", path);
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) < kMarkBytes) return NotTheMemory(path);
  if (static_cast<std::uint64_t>(status.st_size) - kMarkBytes < size) {
    return Error{ErrorCode::kLocalIo, "'" + path + "' has fewer than " + std::to_string(size) + " bytes"};
  }
  if (auto mapped = memory.Map(size, PROT_READ, path); !mapped) return mapped.error();
  if (!memory.HasMark()) return NotTheMemory(path);
  return memory;
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      mark_(std::move(other.mark_)),
      mapped_(std::exchange(other.mapped_, {})) {}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(mark_, other.mark_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

HostMemory::~HostMemory() {
  if (!mapped_.empty()) ::munmap(mapped_.data(), mapped_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> HostMemory::Resize(std::uint64_t size) {
  const FileSizeSignalBlock no_signal;  // The limit on file sizes holds for this memory too.
  if (::ftruncate(descriptor_, static_cast<off_t>(kMarkBytes + size)) != 0) {
    const int why = errno;
    Error error = LocalError("resize", kOwn, why);
    if (why == EFBIG)
      error.message +=
          "; raise the limit on file sizes (ulimit -f), or clear CheckpointRunOptions::reads_once_per_host";
    return error;
  }
  if (auto mapped = Map(size, PROT_READ | PROT_WRITE, kOwn); !mapped) return mapped;
  std::memcpy(mapped_.data(), mark_.data(), kMarkBytes);
  return {};
}

HostMemoryPlace HostMemory::place() const { return {.process = ::getpid(), .descriptor = descriptor_, .mark = mark_}; }

Result<void> HostMemory::Map(std::uint64_t size, int protection, const std::string& what) {
  const auto length = static_cast<std::size_t>(kMarkBytes + size);
  void* const memory = ::mmap(nullptr, length, protection, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) return LocalError("map", what);
  mapped_ = {static_cast<std::byte*>(memory), length};
  return {};
}

bool HostMemory::HasMark() const {
  return mark_.size() == kMarkBytes && std::memcmp(mapped_.data(), mark_.data(), kMarkBytes) == 0;
}

std::string ThisHost(const std::string& proc) {
  std::string boot;
  std::getline(std::ifstream(proc + "/sys/kernel/random/boot_id"), boot);
  std::array<char, 64> processes{};
  const ssize_t length = ::readlink((proc + "/self/ns/pid").c_str(), processes.data(), processes.size());
  if (boot.empty() || length <= 0) return RandomMark();
  return boot + std::string(processes.data(), static_cast<std::size_t>(length)) + "user " + std::to_string(::geteuid());
}

}  // namespace gcsflux::internal
