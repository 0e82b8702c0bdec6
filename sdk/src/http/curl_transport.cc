#include "http/curl_transport.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/leaf_stop_callback.h"
#include "base/process/keep_openssl.h"
#include "base/process/leaf_section.h"
#include "base/process/mutex.h"
#include "base/process/own_descriptors.h"
#include "base/process/owner_process.h"
#include "http/curl_drive.h"
#include "http/curl_loop.h"
#include "http/curl_settings.h"
#include "http/curl_sockets.h"
#include "http/header_text.h"
#include "loop/event_loop.h"

namespace gcsflux::internal {
namespace {

// Exchanges of one multi handle of a loop. For each request libcurl searches all connections of its multi handle, those
// in use too: with 2,048 connections that took a third of the time.
constexpr std::size_t kMostExchanges = 128;

// A thread drives its easy handle through its own multi handle, because only a multi handle can be woken from another
// thread (curl_easy_perform notices a cancellation up to 0.8 s late). The multi handle owns the connection.
struct Handle {
  MultiHandle multi;
  EasyHandle easy;
};

// User code that libcurl calls is in a UserCodeSection.
bool Advance(CURLM* multi) {
  const LeafSection leaf;
  int running = 0;
  return curl_multi_perform(multi, &running) == CURLM_OK;
}

// Drives the one request of a thread, which waits for it.
Result<HttpResponse> Drive(CURLM* multi, CurlDrive& drive, const std::stop_token& stop) {
  constexpr std::chrono::nanoseconds kLongest = std::chrono::seconds(1);  // libcurl checks its own time-outs then.
  const LeafStopCallback wake(stop, [multi] { curl_multi_wakeup(multi); });
  while (true) {
    if (!Advance(multi)) return Error{ErrorCode::kUnavailable, "libcurl failed"};
    CurlDrive::TakeMessages(multi);
    if (auto decided = drive.Poll()) return *std::move(decided);
    if (stop.stop_requested()) return drive.Cancel();
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(std::clamp(drive.Patience(), {}, kLongest));
    curl_multi_poll(multi, nullptr, 0, static_cast<int>(wait.count()), nullptr);
  }
}

class CurlTransport : public Transport {
 public:
  explicit CurlTransport(const CurlOptions& options) : settings_(options) {
    KeepOpenSsl();
    const LeafSection leaf;
    // A static is initialised once, by one thread, before the first handle. libcurl keeps it until the process ends.
    static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
    static_cast<void>(kReady);
  }

  Result<HttpResponse> Perform(const HttpRequest& request, BodyReceiver* receiver,
                               const std::stop_token& stop) override {
    return Run(request, receiver, nullptr, stop);
  }

  Result<HttpResponse> PerformWatched(const HttpRequest& request, BodyReceiver* receiver, Watch& watch,
                                      const std::stop_token& stop) override {
    return Run(request, receiver, &watch, stop);
  }

 private:
  Result<HttpResponse> Run(const HttpRequest& request, BodyReceiver* receiver, Watch* watch,
                           const std::stop_token& stop) {
    if (!owner_.IsCurrent()) return owner_.Refuse("the request");
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled before it was sent"};
    if (auto checked = CheckHeaders(request.headers); !checked) return checked.error();
    if (Fiber::Current() != nullptr) return OfThisLoop().Run(request, receiver, watch, stop);
    return RunHere(request, receiver, watch, stop);
  }

  Result<HttpResponse> RunHere(const HttpRequest& request, BodyReceiver* receiver, Watch* watch,
                               const std::stop_token& stop) {
    Handle handle = TakeHandle();
    CURLM* const multi = handle.multi.get();
    if (!handle.easy || multi == nullptr) return Error{ErrorCode::kUnavailable, "libcurl could not make a handle"};
    const UsesOwnDescriptors uses;
    auto response = [&] {
      CurlDrive drive({.multi = multi, .settings = settings_}, receiver, watch);
      drive.Start(handle.easy.get(), request);
      return Drive(multi, drive, stop);
    }();
    // After a failure the handle and its connection are destroyed.
    if (!response) return response;
    Return(std::move(handle));
    return response;
  }

  // The first one of this loop that has room, because its connections are warm.
  CurlLoop& OfThisLoop() {
    EventLoop& loop = *EventLoop::Current();
    const MutexLock lock(mutex_);
    auto& of_loop = loops_[&loop];
    const auto free =
        std::find_if(of_loop.begin(), of_loop.end(), [](const auto& curl) { return curl->running() < kMostExchanges; });
    if (free != of_loop.end()) return **free;
    return *of_loop.emplace_back(std::make_unique<CurlLoop>(loop, settings_, of_loop.empty()));
  }

  // The handle that was returned last is the warmest.
  Handle TakeHandle() {
    {
      const MutexLock lock(mutex_);
      if (!idle_.empty()) {
        Handle handle = std::move(idle_.back());
        idle_.pop_back();
        return handle;
      }
    }
    return {.multi = MultiHandle::Make(), .easy = settings_.MakeEasy()};
  }

  void Return(Handle handle) {
    const MutexLock lock(mutex_);
    if (idle_.size() < settings_.options().max_idle_connections) idle_.push_back(std::move(handle));
  }

  const CurlSettings settings_;
  const OwnerProcess owner_;
  LeafMutex mutex_;
  std::vector<Handle> idle_ GUARDED_BY(mutex_);
  std::map<EventLoop*, std::vector<std::unique_ptr<CurlLoop>>> loops_ GUARDED_BY(mutex_);
};

}  // namespace

std::string_view MethodName(Method method) {
  switch (method) {
    case Method::kGet: return "GET";
    case Method::kPost: return "POST";
    case Method::kPut: return "PUT";
    case Method::kPatch: return "PATCH";
    case Method::kDelete: return "DELETE";
  }
  return "GET";
}

void ReserveHeld(std::string& body, const Headers& headers) {
  constexpr std::size_t kBelieved = 16 << 20;
  constexpr std::size_t kPastTheEnd = 64;
  const std::string_view text = FindHeader(headers, "content-length");
  std::size_t announced = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), announced).ec != std::errc{}) return;
  body.reserve(std::min(announced, kBelieved) + kPastTheEnd);
}

std::unique_ptr<Transport> MakeCurlTransport(const CurlOptions& options) {
  return std::make_unique<CurlTransport>(options);
}

}  // namespace gcsflux::internal
