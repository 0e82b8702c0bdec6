// Counts what a process does to the world outside of it, and kills it at one of these places. Linked into a program, or
// loaded before any other by LD_PRELOAD, its functions stand before those of the C library. Environment:
//   GCSFLUX_DIE_AT=N      SIGKILL at the Nth place, from 1
//   GCSFLUX_EFFECTS=FILE  a line for each place
// A request over a socket has three places: before its first byte is sent, after its head is sent, and when the first
// byte of its answer has come, which the program does not see any more. A change of a file has two: before and after.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

std::atomic<int> places = 0;

void WriteLine(const std::string& line) {
  static const char* const path = std::getenv("GCSFLUX_EFFECTS");
  if (path == nullptr) return;
  const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ::syscall(SYS_write, file, line.data(), line.size());
  ::syscall(SYS_close, file);
}

void Reach(const char* when, std::string_view what) {
  static const char* const wanted = std::getenv("GCSFLUX_DIE_AT");
  static const int die_at = wanted == nullptr ? 0 : std::atoi(wanted);
  const int place = ++places;
  WriteLine(std::string(when) + " " + std::string(what) + "\n");
  if (place != die_at) return;
  ::kill(::getpid(), SIGKILL);
  ::pause();
}

template <class Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool IsFile(int descriptor) {
  struct stat found = {};
  return ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

// "POST /upload/storage/v1/b/bkt/o" of a request's head; empty for other bytes.
std::string_view RequestIn(std::string_view bytes) {
  constexpr std::array<std::string_view, 5> kMethods = {"GET /", "POST /", "PUT /", "PATCH /", "DELETE /"};
  for (const std::string_view method : kMethods) {
    if (bytes.starts_with(method)) return bytes.substr(0, bytes.find_first_of("? \r", method.size()));
  }
  return {};
}

// A call that changes a file, between its two places.
template <class Call>
auto Change(const char* what, bool is_file, const Call& call) {
  if (is_file) Reach("before", what);
  const auto result = call();
  if (is_file) Reach("after", what);
  return result;
}

}  // namespace

extern "C" {

ssize_t send(int socket, const void* data, size_t size, int flags) {
  static auto* const next = Next<ssize_t(int, const void*, size_t, int)>("send");
  const std::string_view request = RequestIn({static_cast<const char*>(data), size});
  if (!request.empty()) Reach("before", request);
  const ssize_t sent = next(socket, data, size, flags);
  if (!request.empty()) Reach("after the head of", request);
  return sent;
}

ssize_t recv(int socket, void* data, size_t size, int flags) {
  static auto* const next = Next<ssize_t(int, void*, size_t, int)>("recv");
  const ssize_t received = next(socket, data, size, flags);
  const std::string_view bytes(static_cast<const char*>(data), received > 0 ? static_cast<size_t>(received) : 0);
  if (bytes.starts_with("HTTP/1.")) Reach("at the answer", bytes.substr(9, 3));
  return received;
}

ssize_t write(int file, const void* data, size_t size) {
  static auto* const next = Next<ssize_t(int, const void*, size_t)>("write");
  return Change("write", IsFile(file), [&] { return next(file, data, size); });
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  static auto* const next = Next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return Change("pwrite", IsFile(file), [&] { return next(file, data, size, offset); });
}

ssize_t writev(int file, const iovec* pieces, int count) {
  static auto* const next = Next<ssize_t(int, const iovec*, int)>("writev");
  return Change("writev", IsFile(file), [&] { return next(file, pieces, count); });
}

int ftruncate(int file, off_t size) noexcept {
  static auto* const next = Next<int(int, off_t)>("ftruncate");
  return Change("ftruncate", IsFile(file), [&] { return next(file, size); });
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = Next<int(const char*, const char*)>("rename");
  return Change("rename", true, [&] { return next(from, to); });
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned int flags) noexcept {
  static auto* const next = Next<int(int, const char*, int, const char*, unsigned int)>("renameat2");
  return Change("renameat2", true, [&] { return next(from_directory, from, to_directory, to, flags); });
}

int unlink(const char* path) noexcept {
  static auto* const next = Next<int(const char*)>("unlink");
  return Change("unlink", true, [&] { return next(path); });
}

}  // extern "C"
