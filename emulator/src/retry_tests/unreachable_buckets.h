#pragma once

#include <memory>
#include <string>

#include "faults/tools/firing.h"
#include "middleware/interceptor.h"

namespace gcsflux::emulator {

/// A page of buckets lacks some, and names them as unreachable, as if a region did not answer.
class UnreachableBuckets final : public Interceptor {
 public:
  /// Names of buckets, with or without "projects/_/buckets/" before them, separated by commas.
  UnreachableBuckets(std::string names, std::shared_ptr<Firing> firing)
      : names_(std::move(names)), firing_(std::move(firing)) {}

  void After(HttpResponse& response, const RequestSubject& subject, const RequestContext& context) override;

 private:
  const std::string names_;
  const std::shared_ptr<Firing> firing_;
};

}  // namespace gcsflux::emulator
