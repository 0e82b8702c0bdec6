#include "sharding/host_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <utility>

#include "base/messages/local_error.h"

namespace gcsflux::internal {
namespace {

constexpr const char* kOwn = "shared memory";

}  // namespace

Result<HostMemory> HostMemory::Create() {
  const int descriptor = ::memfd_create("gcsflux", MFD_CLOEXEC);
  if (descriptor < 0) return LocalError("create", kOwn);
  return HostMemory(descriptor);
}

Result<HostMemory> HostMemory::Open(std::int64_t process, int descriptor, std::uint64_t size) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return LocalError("open", path);
  HostMemory memory(opened);
  struct stat status {};
  // What lies behind the end must not be touched.
  if (::fstat(opened, &status) != 0) return LocalError("look at", path);
  if (static_cast<std::uint64_t>(status.st_size) < size) {
    return Error{ErrorCode::kLocalIo, "'" + path + "' has fewer than " + std::to_string(size) + " bytes"};
  }
  if (auto mapped = memory.Map(size, PROT_READ, path); !mapped.ok()) return mapped.error();
  return memory;
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(std::exchange(other.bytes_, {})) {}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

HostMemory::~HostMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> HostMemory::Resize(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return LocalError("resize", kOwn);
  return Map(size, PROT_READ | PROT_WRITE, kOwn);
}

Result<void> HostMemory::Map(std::uint64_t size, int protection, const std::string& what) {
  if (size == 0) return {};
  void* const memory = ::mmap(nullptr, static_cast<std::size_t>(size), protection, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) return LocalError("map", what);
  bytes_ = {static_cast<std::byte*>(memory), static_cast<std::size_t>(size)};
  return {};
}

std::string ThisHost() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  std::array<char, 64> processes{};
  const ssize_t length = ::readlink("/proc/self/ns/pid", processes.data(), processes.size());
  if (length > 0) boot += std::string(processes.data(), static_cast<std::size_t>(length));
  return boot + "user " + std::to_string(::geteuid());
}

}  // namespace gcsflux::internal
