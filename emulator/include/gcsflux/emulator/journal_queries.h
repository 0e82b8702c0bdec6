#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gcsflux/emulator/clock.h"
#include "gcsflux/emulator/traffic.h"

// What tests ask of a journal: pure functions of Emulator::journal(), or of those of its records that matter. They
// know of no request that the journal has forgotten: see HasForgotten().

namespace gcsflux::emulator {

/// Whether requests are missing at the beginning: EmulatorOptions::journal_size is too small for the question.
[[nodiscard]] bool HasForgotten(const std::vector<RequestRecord>& records);

/// An object's generations, in the order of the requests that made them. A write whose acknowledgement was lost and
/// that was repeated with care has one.
struct CommittedGenerations {
  std::string bucket = {};
  std::string object = {};
  std::vector<std::int64_t> generations = {};
};
/// Of every object that has any, by bucket and name.
[[nodiscard]] std::vector<CommittedGenerations> FindCommits(const std::vector<RequestRecord>& records);
/// Of one object, which may have none.
[[nodiscard]] std::vector<std::int64_t> FindCommits(const std::vector<RequestRecord>& records,
                                                    const std::string& bucket, const std::string& object);

/// Bytes [offset, offset + length) of one generation that were handed to clients more than once.
struct RepeatedRange {
  std::string bucket = {};
  std::string object = {};
  std::int64_t generation = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
/// By bucket, object, generation and offset. What was handed to a connection counts, though the client may have gone.
[[nodiscard]] std::vector<RepeatedRange> FindBytesServedTwice(const std::vector<RequestRecord>& records);

/// The most requests that were in flight at a time, and when that was first.
struct Peak {
  std::size_t requests = 0;
  Clock::Time at = {};
};
[[nodiscard]] Peak FindMostInFlight(const std::vector<RequestRecord>& records);

/// How often one and the same request of a call's attempt arrived. More than once means that it was repeated below the
/// client: by its HTTP library, or by a proxy.
struct Arrivals {
  std::string invocation_id = {};
  int attempt = 0;
  std::string method = {};
  std::string operation = {};
  std::string phase = {};
  std::string bucket = {};
  std::string object = {};
  std::uint64_t offset = 0;  ///< Of the upload's or the object's bytes: an upload's chunks may share one attempt.
  std::size_t count = 0;
};
/// In order of arrival; of requests that say to which call they belong.
[[nodiscard]] std::vector<Arrivals> CountArrivals(const std::vector<RequestRecord>& records);

}  // namespace gcsflux::emulator
