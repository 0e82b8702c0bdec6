#include "http/curl_loop.h"

#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "base/leaf_stop_callback.h"
#include "base/process/leaf_section.h"
#include "base/process/no_time_limit.h"
#include "base/process/own_descriptors.h"

namespace gcsflux::internal {
namespace {

std::uint32_t EventsOf(int what) {
  const std::uint32_t in = (what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U;
  const std::uint32_t out = (what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U;
  return in | out;
}

int SelectOf(std::uint32_t events) {
  int select = 0;
  if ((events & (EPOLLIN | EPOLLHUP)) != 0) select |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) select |= CURL_CSELECT_OUT;
  if ((events & EPOLLERR) != 0) select |= CURL_CSELECT_ERR;
  return select;
}

}  // namespace

CurlLoop::CurlLoop(EventLoop& loop, const CurlSettings& settings, bool is_first)
    : loop_(loop), is_first_(is_first), settings_(settings), timer_(*this) {}

// If memory is short, libcurl gives no handle. The next request tries again.
bool CurlLoop::HasMulti() {
  if (multi_.get() != nullptr) return true;
  multi_ = MultiHandle::Make();
  CURLM* const multi = multi_.get();
  if (multi == nullptr) return false;
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &CurlLoop::OnSocket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &CurlLoop::OnTimer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  return true;
}

// The loop has ended before.
CurlLoop::~CurlLoop() {
  is_ending_ = true;
  if (multi_.get() == nullptr) return;
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, nullptr);
}

Result<HttpResponse> CurlLoop::Run(const HttpRequest& request, BodyReceiver* receiver, Watch* watch,
                                   const std::stop_token& stop) {
  EasyHandle easy = HasMulti() ? TakeHandle() : nullptr;
  if (!easy) return Error{ErrorCode::kUnavailable, "libcurl could not make a handle"};
  Pause pause;
  const LeafStopCallback on_stop(stop, [&pause] { pause.Wake(); });
  Result<HttpResponse> result = [&]() -> Result<HttpResponse> {
    CurlDrive drive({.multi = multi_.get(), .settings = settings_, .sockets = this, .waiter = &pause}, receiver, watch);
    drive.Start(easy.get(), request);
    while (true) {
      if (auto decided = drive.Poll()) return *std::move(decided);
      if (stop.stop_requested()) return drive.Cancel();
      pause.WaitFor(drive.Patience());
    }
  }();
  // After a failure the handle and its connection are destroyed.
  if (result) {
    Return(std::move(easy));
  } else {
    --running_;
  }
  return result;
}

EasyHandle CurlLoop::TakeHandle() {
  EasyHandle easy;
  if (idle_.empty()) {
    easy = MakeEasy();
  } else {
    easy = std::move(idle_.back());
    idle_.pop_back();
  }
  if (easy && ++running_ > most_) {
    // If a multi handle may keep fewer connections than it has exchanges, it closes and opens connections all the time.
    most_ = running_;
    const std::size_t kept = std::max(most_, settings_.options().max_idle_connections);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(kept));
  }
  return easy;
}

// A handle holds its receive buffer only while its request is in flight.
EasyHandle CurlLoop::MakeEasy() {
  constexpr long kSmallBufferBytes = 16L << 10;
  EasyHandle easy = settings_.MakeEasy(this);
  if (easy && !is_first_) curl_easy_setopt(easy.get(), CURLOPT_BUFFERSIZE, kSmallBufferBytes);
  return easy;
}

void CurlLoop::Return(EasyHandle easy) {
  --running_;
  idle_.push_back(std::move(easy));
}

int CurlLoop::OnSocket(CURL* easy, curl_socket_t descriptor, int what, void* self, void*) {
  try {
    static_cast<CurlLoop*>(self)->WatchSocket(easy, descriptor, what);
  } catch (const std::bad_alloc&) {
    return -1;  // libcurl ends the exchanges of this multi handle.
  }
  return 0;
}

void CurlLoop::WatchSocket(CURL* easy, int descriptor, int what) {
  Socket& socket = SocketOf(descriptor);
  if (what == CURL_POLL_REMOVE) {
    socket.easy = nullptr;
    // Other descriptors, such as that of a name look-up, are closed without a notice.
    if (!socket.is_connection) loop_.Forget(socket, /*is_closed=*/false);
    return;
  }
  socket.easy = easy;
  loop_.Watch(socket, EventsOf(what));
  Note(easy);
}

CurlLoop::Socket& CurlLoop::SocketOf(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  if (index >= sockets_.size()) sockets_.resize(index + 1);
  auto& socket = sockets_[index];
  if (!socket) socket = std::make_unique<Socket>(*this, descriptor);
  return *socket;
}

// A connection that libcurl gives up before it is made is closed without a notice: what is known of this number is of
// an earlier descriptor, which epoll has removed.
void CurlLoop::OnOpen(int descriptor) {
  Socket& socket = SocketOf(descriptor);
  loop_.Forget(socket, /*is_closed=*/true);
  socket.easy = nullptr;
  socket.is_connection = true;
}

void CurlLoop::OnClose(int descriptor) {
  if (is_ending_) return;
  const auto index = static_cast<std::size_t>(descriptor);
  if (index >= sockets_.size() || !sockets_[index]) return;
  // While a child process of fork() or posix_spawn() has a copy of it, close() would leave it in epoll.
  loop_.Forget(*sockets_[index], /*is_closed=*/false);
  try {
    closed_.push_back(std::move(sockets_[index]));
  } catch (const std::bad_alloc&) {
    sockets_[index]->easy = nullptr;  // It stays, for the next connection of this number.
  }
}

int CurlLoop::OnTimer(CURLM*, long milliseconds, void* self) {
  CurlLoop& curl = *static_cast<CurlLoop*>(self);
  if (milliseconds < 0) {
    curl.loop_.timers().Remove(curl.timer_);
    return 0;
  }
  try {
    curl.loop_.timers().Set(curl.timer_, std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds));
  } catch (const std::bad_alloc&) {
    return -1;
  }
  return 0;
}

void CurlLoop::OnEvents(Socket& socket, std::uint32_t events) {
  // Between two requests: the service has closed the connection. libcurl notices it at the next use.
  if (socket.easy == nullptr) return loop_.Forget(socket, /*is_closed=*/false);
  Note(socket.easy);
  Act(socket.descriptor(), SelectOf(events));
}

void CurlLoop::Note(CURL* easy) try { moved_.push_back(easy); } catch (const std::bad_alloc&) {
  // A standstill of it is noticed later.
}

void CurlLoop::Act(curl_socket_t descriptor, int events) {
  {
    const LeafSection leaf;
    int running = 0;
    curl_multi_socket_action(multi_.get(), descriptor, events, &running);
  }
  CurlDrive::TakeMessages(multi_.get());
  closed_.clear();
  for (CURL* const easy : moved_) {
    CurlDrive* const drive = CurlDrive::Of(easy);
    if (drive == nullptr) continue;
    const auto patience = drive->Patience();
    if (patience < kNoTimeLimit) drive->waiter()->Expedite(std::chrono::steady_clock::now() + patience);
  }
  moved_.clear();
}

}  // namespace gcsflux::internal
