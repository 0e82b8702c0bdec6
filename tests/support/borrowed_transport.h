#pragma once

#include <stop_token>

#include "http/transport.h"

namespace gcsflux::testing {

/// Shares another transport, which must outlive it: a ClientCore owns its own.
class BorrowedTransport : public internal::Transport {
 public:
  explicit BorrowedTransport(Transport& other) : other_(other) {}
  Result<internal::HttpResponse> Perform(const internal::HttpRequest& request, internal::BodyReceiver* receiver,
                                         const std::stop_token& stop) override {
    return other_.Perform(request, receiver, stop);
  }

 private:
  Transport& other_;
};

}  // namespace gcsflux::testing
