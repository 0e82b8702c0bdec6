#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "broken/defect.h"
#include "broken/small_server.h"
#include "http/http.h"

namespace gcsflux::conformance {

/// An endpoint that is another one, but for one defect.
class BrokenProxy {
 public:
  /// `defect` must outlive it; null changes nothing. Throws std::system_error if it cannot listen.
  BrokenProxy(std::string upstream, const Defect* defect);

  [[nodiscard]] const std::string& endpoint() const { return server_.endpoint(); }
  /// How many requests or answers it has changed.
  [[nodiscard]] int fired() const { return fired_; }

 private:
  Response Answer(Transport& upstream, const Request& request);
  Response AnswerWrongly(Transport& upstream, const Request& request);
  Response Count(const Response& right, Response wrong);

  const std::string upstream_;
  const Defect* const defect_;
  std::atomic<int> fired_ = 0;
  std::mutex mutex_;  // guards first_answers_
  std::map<std::string, Response> first_answers_;
  SmallServer server_;
};

}  // namespace gcsflux::conformance
