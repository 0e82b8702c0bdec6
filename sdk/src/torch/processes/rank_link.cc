#include "torch/processes/rank_link.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/messages/local_error.h"
#include "base/process/leaf_section.h"
#include "base/process/own_descriptors.h"

namespace gcsflux {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostAtOnce = 1U << 20;  // So that one large message does not hide another rank's end.
constexpr std::chrono::milliseconds kStopPace(20);

struct AddressesDeleter {
  void operator()(addrinfo* addresses) const { ::freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, AddressesDeleter>;

Result<Addresses> Resolve(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (failure == 0) return Addresses(found);
  return Error{ErrorCode::kUnreachable, "host '" + host + "' has no address (" + ::gai_strerror(failure) + ")"};
}

// `open` returns a new descriptor.
template <class Open>
int OwnDescriptor(const Open& open) {
  const internal::LeafSection leaf;
  const int descriptor = open();
  if (descriptor >= 0) internal::AddOwnDescriptor(descriptor);
  return descriptor;
}

int NewSocket(const addrinfo& address) {
  return OwnDescriptor([&] {
    return ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
  });
}

// Messages are short and answered at once.
void SendAtOnce(int descriptor) {
  const int yes = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

struct OwnName {
  std::array<char, NI_MAXHOST> address = {};
  std::array<char, NI_MAXSERV> port = {};
};

OwnName NameOf(int descriptor) {
  OwnName name;
  sockaddr_storage own{};
  socklen_t length = sizeof(own);
  auto* const generic = reinterpret_cast<sockaddr*>(&own);
  if (::getsockname(descriptor, generic, &length) == 0) {
    ::getnameinfo(generic, length, name.address.data(), static_cast<socklen_t>(name.address.size()), name.port.data(),
                  static_cast<socklen_t>(name.port.size()), NI_NUMERICHOST | NI_NUMERICSERV);
  }
  return name;
}

bool MustWait(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

RankSocket::RankSocket(RankSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RankSocket& RankSocket::operator=(RankSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RankSocket::~RankSocket() {
  if (descriptor_ >= 0) internal::CloseOwnDescriptor(descriptor_);
}

Result<RankSocket> RankSocket::Listen(const std::string& host) {
  const auto addresses = Resolve(host, "0");
  if (!addresses) return addresses.error();
  int error = 0;
  for (const addrinfo* one = addresses->get(); one != nullptr; one = one->ai_next) {
    RankSocket made(NewSocket(*one));
    if (made.is_open() && ::bind(made.descriptor_, one->ai_addr, one->ai_addrlen) == 0 &&
        ::listen(made.descriptor_, SOMAXCONN) == 0) {
      return made;
    }
    error = errno;
  }
  return internal::LocalError("listen at", host, error);
}

Result<RankSocket> RankSocket::Connect(const std::string& address, std::uint16_t port) {
  const auto addresses = Resolve(address, std::to_string(port));
  if (!addresses) return addresses.error();
  const addrinfo& one = **addresses;
  RankSocket made(NewSocket(one));
  if (!made.is_open()) return internal::LocalError("connect to", address);
  SendAtOnce(made.descriptor_);
  if (::connect(made.descriptor_, one.ai_addr, one.ai_addrlen) != 0 && errno != EINPROGRESS && errno != EINTR) {
    return Error{ErrorCode::kUnreachable, std::strerror(errno)};
  }
  return made;
}

RankSocket RankSocket::Accept() const {
  RankSocket accepted(
      OwnDescriptor([&] { return ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }));
  if (accepted.is_open()) SendAtOnce(accepted.descriptor_);
  return accepted;
}

std::string RankSocket::address() const { return NameOf(descriptor_).address.data(); }

std::uint16_t RankSocket::port() const {
  return static_cast<std::uint16_t>(std::strtoul(NameOf(descriptor_).port.data(), nullptr, 10));
}

RankLink::RankLink(RankSocket socket, std::uint64_t longest) : socket_(std::move(socket)), longest_(longest) {}

// If bytes that have arrived stay unread, the system drops those that are on their way to the other end.
RankLink::~RankLink() {
  if (!socket_.is_open()) return;
  ::shutdown(socket_.descriptor(), SHUT_WR);
  std::array<char, 4096> unread{};
  for (int i = 0; i < 256 && ::recv(socket_.descriptor(), unread.data(), unread.size(), 0) > 0; ++i) continue;
}

void RankLink::Send(Message message) {
  unsent_.push_back(std::move(message));
  Write();
}

std::optional<std::string> RankLink::Take() {
  auto taken = std::exchange(message_, std::nullopt);
  return taken;
}

short RankLink::events() const {
  const int write = has_unsent() && !is_broken_ ? POLLOUT : 0;
  const int read = !message_ && !has_ended_ ? POLLIN : 0;
  return static_cast<short>(write | read);
}

void RankLink::Move(short events) {
  if ((events & (POLLOUT | POLLERR | POLLHUP)) != 0) Write();
  if ((events & (POLLIN | POLLERR | POLLHUP)) != 0 && !message_) Read();
}

void RankLink::Write() {
  while (has_unsent() && !is_broken_) {
    const std::string& bytes = *unsent_.front();
    if (sent_ == 0) {
      for (std::size_t i = 0; i < kLengthBytes; ++i)
        length_sent_[i] = static_cast<std::uint8_t>(bytes.size() >> (8 * i));
    }
    const bool is_length = sent_ < kLengthBytes;
    const void* const from = is_length ? static_cast<const void*>(length_sent_.data() + sent_)
                                       : static_cast<const void*>(bytes.data() + (sent_ - kLengthBytes));
    const std::size_t size = is_length ? kLengthBytes - sent_ : bytes.size() - (sent_ - kLengthBytes);
    const ssize_t written = ::send(socket_.descriptor(), from, size, MSG_NOSIGNAL | (is_length ? MSG_MORE : 0));
    if (written < 0 && MustWait(errno)) return;
    if (written < 0) {
      is_broken_ = true;  // What has arrived can still be read.
      return;
    }
    sent_ += static_cast<std::size_t>(written);
    if (sent_ < kLengthBytes + bytes.size()) continue;
    unsent_.pop_front();
    sent_ = 0;
  }
}

void RankLink::Read() {
  const bool is_length = received_ < kLengthBytes;
  void* const into = is_length ? static_cast<void*>(length_received_.data() + received_)
                               : static_cast<void*>(incoming_.data() + (received_ - kLengthBytes));
  const std::size_t size =
      is_length ? kLengthBytes - received_ : std::min(incoming_.size() - (received_ - kLengthBytes), kMostAtOnce);
  const ssize_t read = ::recv(socket_.descriptor(), into, size, 0);
  if (read < 0 && MustWait(errno)) return;
  if (read <= 0) {
    has_ended_ = true;
    return;
  }
  received_ += static_cast<std::size_t>(read);
  if (received_ == kLengthBytes) {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) length |= static_cast<std::uint64_t>(length_received_[i]) << (8 * i);
    if (length == 0 || length > longest_) {
      has_ended_ = true;
      return;
    }
    incoming_.resize(static_cast<std::size_t>(length));
  } else if (received_ > kLengthBytes && received_ == kLengthBytes + incoming_.size()) {
    message_ = std::exchange(incoming_, {});
    received_ = 0;
  }
}

Traffic AwaitTraffic(std::span<RankLink* const> links, const RankSocket* listener,
                     std::chrono::steady_clock::time_point until, const std::stop_token& stop) {
  std::vector<pollfd> polled;
  polled.reserve(links.size() + 1);
  for (const RankLink* const link : links) {
    const short events = link == nullptr ? short{0} : link->events();
    // A negative descriptor is passed over: the end of a connection that waits for nothing would wake poll() for ever.
    polled.push_back({.fd = events == 0 ? -1 : link->descriptor(), .events = events, .revents = 0});
  }
  if (listener != nullptr) polled.push_back({.fd = listener->descriptor(), .events = POLLIN, .revents = 0});
  while (true) {
    if (stop.stop_requested()) return Traffic::kStopped;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const auto longest = stop.stop_possible() ? kStopPace : std::chrono::milliseconds(60'000);
    const auto wait = std::clamp(left, std::chrono::milliseconds(0), longest);
    const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    if (ready > 0) break;
    if (left.count() <= 0) return Traffic::kLate;
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (polled[i].revents != 0) links[i]->Move(polled[i].revents);
  }
  return Traffic::kMoved;
}

}  // namespace gcsflux
