#pragma once

#include <functional>
#include <future>
#include <memory>

#include "http/curl_transport.h"
#include "loop/event_loops.h"

namespace gcsflux::testing {

/// A transport over libcurl whose exchanges run on an event loop. The calling thread waits.
class LoopTransport final : public internal::Transport {
 public:
  explicit LoopTransport(const internal::CurlOptions& options) : transport_(internal::MakeCurlTransport(options)) {}

  Result<internal::HttpResponse> Perform(const internal::HttpRequest& request, internal::BodyReceiver* receiver,
                                         const std::stop_token& stop) override {
    return OnLoop([&] { return transport_->Perform(request, receiver, stop); });
  }
  Result<internal::HttpResponse> PerformWatched(const internal::HttpRequest& request, internal::BodyReceiver* receiver,
                                                internal::Watch& watch, const std::stop_token& stop) override {
    return OnLoop([&] { return transport_->PerformWatched(request, receiver, watch, stop); });
  }

 private:
  using Outcome = Result<internal::HttpResponse>;
  Outcome OnLoop(const std::function<Outcome()>& call) {
    std::promise<Outcome> outcome;
    loops_.Spawn([&] { outcome.set_value(call()); });
    return outcome.get_future().get();
  }

  const std::unique_ptr<internal::Transport> transport_;
  internal::EventLoops loops_{1};  // Last: it ends before the transport.
};

/// The two ways to drive exchanges: by the waiting thread, or by an event loop.
enum class Driving { kThread, kLoop };

inline std::unique_ptr<internal::Transport> MakeTransport(Driving driving, const internal::CurlOptions& options) {
  if (driving == Driving::kThread) return internal::MakeCurlTransport(options);
  return std::make_unique<LoopTransport>(options);
}

#define GCSFLUX_DRIVEN_BOTH_WAYS(suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(                                                                 \
      Driven, suite, ::testing::Values(testing::Driving::kThread, testing::Driving::kLoop), \
      [](const auto& way) { return way.param == testing::Driving::kLoop ? "ByALoop" : "ByAThread"; })

}  // namespace gcsflux::testing
