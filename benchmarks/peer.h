#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gcsflux::bench {

/// Path of a program on this machine; nothing if it is not installed.
std::optional<std::string> FindProgram(const std::string& name);

/// The standard output of a shell command.
std::string OutputOf(const std::string& command);

/// A TCP port on loopback that was free before the call, for programs that cannot choose one themselves.
int FreePort();

/// A child process that ends with this one. Its output is discarded.
class Child {
 public:
  explicit Child(const std::vector<std::string>& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

 private:
  pid_t pid_ = -1;
};

/// Returns when a server accepts connections on the port; throws std::runtime_error after 10 s.
void AwaitListener(int port);

/// nginx on loopback that serves the files of one directory, tuned as a fair rival: sendfile, unlimited keep-alive.
class Nginx {
 public:
  struct Options {
    /// PEM files; HTTPS if there are any.
    std::string certificate = {};
    std::string private_key = {};
    std::string server_directives = {};  ///< Further lines of the configuration's server block.
  };
  /// Writes its configuration into `directory` too.
  explicit Nginx(const std::string& directory) : Nginx(directory, Options{}) {}
  Nginx(const std::string& directory, const Options& options);
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  std::string endpoint_;
  std::optional<Child> child_;
};

}  // namespace gcsflux::bench
