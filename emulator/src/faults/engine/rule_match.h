#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gcsflux/emulator/faults.h"
#include "http/http_message.h"
#include "middleware/request_preview.h"
#include "operations/request_subject.h"
#include "store/listing/glob.h"

namespace gcsflux::emulator {

/// The bytes of an object that a request is about: [first, end).
struct CoveredBytes {
  std::uint64_t first = 0;
  std::uint64_t end = UINT64_MAX;
};

/// By its headers. Nothing if the request moves no bytes of an object, or does not say which.
std::optional<CoveredBytes> CoveredBy(const HttpRequest& request, const RequestPreview& preview);

/// A request as rules see it. Valid as long as what it was made of.
struct MatchedRequest {
  const RequestSubject& subject;
  std::string_view method = {};
  int attempt = 0;
  std::optional<CoveredBytes> covered = {};
  std::span<const std::string> deleted = {};  ///< See RequestPreview.
};

/// A FaultMatch that has been checked. Pure.
class RuleMatch {
 public:
  explicit RuleMatch(FaultMatch match);

  /// Whether the request meets the rule's conditions.
  [[nodiscard]] bool Concerns(const MatchedRequest& request) const;
  /// Whether the request is chosen among those that meet the conditions: it is the `number`th of them, from 1, with
  /// `chance` in [0, 1).
  [[nodiscard]] bool Chooses(std::uint64_t number, double chance) const;

 private:
  [[nodiscard]] bool ConcernsObject(std::string_view name) const;
  [[nodiscard]] bool ConcernsAny(const MatchedRequest& request) const;

  const FaultMatch match_;
  std::optional<Glob> glob_;
};

}  // namespace gcsflux::emulator
