#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gcsflux/emulator/clock.h"
#include "gcsflux/emulator/traffic.h"

// Questions that tests ask of a journal: pure functions of the records of Emulator::journal(), or of some of them. They
// know nothing of requests that the journal has forgotten: see HasForgotten().

namespace gcsflux::emulator {

/// Whether requests are missing at the beginning. If so, EmulatorOptions::journal_size is too small for the question.
[[nodiscard]] bool HasForgotten(const std::vector<RequestRecord>& records);

/// An object's generations, in the order of the requests that made them. If a write's acknowledgement was lost and the
/// client repeated the write with care, there is one.
struct CommittedGenerations {
  std::string bucket = {};
  std::string object = {};
  std::vector<std::int64_t> generations = {};
};
/// For every object that has any, by bucket and name.
[[nodiscard]] std::vector<CommittedGenerations> FindCommits(const std::vector<RequestRecord>& records);
/// Those of one object; it may have none.
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
/// By bucket, object, generation and offset. Bytes that were handed to a connection count, even if the client had gone.
[[nodiscard]] std::vector<RepeatedRange> FindBytesServedTwice(const std::vector<RequestRecord>& records);

/// The largest number of requests in flight at a time, and when it was first reached.
struct Peak {
  std::size_t requests = 0;
  Clock::Time at = {};
};
[[nodiscard]] Peak FindMostInFlight(const std::vector<RequestRecord>& records);

/// How often the same request of one attempt arrived. More than once means that something below the client repeated it:
/// its HTTP library or a proxy.
struct Arrivals {
  std::string invocation_id = {};
  int attempt = 0;
  std::string method = {};
  std::string operation = {};
  std::string phase = {};
  std::string bucket = {};
  std::string object = {};
  std::uint64_t offset =
      0;  ///< Of the bytes of the upload or the object. The chunks of an upload may share one attempt.
  std::size_t count = 0;
};
/// In order of arrival. Only requests that name their call are counted.
[[nodiscard]] std::vector<Arrivals> CountArrivals(const std::vector<RequestRecord>& records);

}  // namespace gcsflux::emulator
