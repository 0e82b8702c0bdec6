#include "peer.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace gcsflux::bench {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool CanConnect(int port) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  const bool connected = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return connected;
}

}  // namespace

std::optional<std::string> FindProgram(const std::string& name) {
  for (const char* directory : {"/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/"}) {
    if (access((directory + name).c_str(), X_OK) == 0) return directory + name;
  }
  return std::nullopt;
}

std::string OutputOf(const std::string& command) {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close_range(3, ~0U, 0);  // libcurl's sockets are inherited, and wrk accepts no descriptor above some hundred
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  std::array<char, 4096> block{};
  for (ssize_t count = 0; (count = read(ends[0], block.data(), block.size())) > 0;) {
    output.append(block.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return output;
}

int FreePort() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool bound = bind(probe, generic, length) == 0 && getsockname(probe, generic, &length) == 0;
  close(probe);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

Child::Child(const std::vector<std::string>& command) : pid_(fork()) {
  if (pid_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, standard);
  close_range(3, ~0U, 0);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

Child::~Child() {
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

void AwaitListener(int port) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (CanConnect(port)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("nothing listens on port " + std::to_string(port));
}

Nginx::Nginx(const std::string& directory, const Options& options) {
  const std::string file = directory + "/nginx.conf";
  const int port = FreePort();
  const bool is_https = !options.certificate.empty();
  endpoint_ = (is_https ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port);
  // Two workers for two cores; run as the owner of the directory, so that it may read the files.
  std::ofstream(file) << (geteuid() == 0 ? "user root;\n" : "")
                      << "daemon off;\nworker_processes 2;\nerror_log /dev/null;\n"
                      << "pid " << directory << "/nginx.pid;\nevents { worker_connections 1024; }\nhttp {\n"
                      << "  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on;\n"
                      << "  keepalive_timeout 600s; keepalive_requests 1000000000;\n"
                      << "  client_body_temp_path " << directory << "/body; proxy_temp_path " << directory
                      << "/proxy;\n"
                      << "  fastcgi_temp_path " << directory << "/fastcgi; uwsgi_temp_path " << directory << "/uwsgi;\n"
                      << "  scgi_temp_path " << directory << "/scgi;\n"
                      << "  server { listen 127.0.0.1:" << port << " backlog=1024" << (is_https ? " ssl" : "")
                      << "; root " << directory << ";\n"
                      << (is_https ? "    ssl_certificate " + options.certificate + "; ssl_certificate_key " +
                                         options.private_key + ";\n"
                                   : "")
                      << options.server_directives << "  }\n}\n";
  child_.emplace(
      std::vector<std::string>{FindProgram("nginx").value(), "-p", directory, "-c", file, "-e", "/dev/null"});
  AwaitListener(port);
}

}  // namespace gcsflux::bench
