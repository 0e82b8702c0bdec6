#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::testing {

/// A fault, with the name that a failed expectation shows.
struct NamedFault {
  std::string name;
  emulator::FaultAction action;
};

using NamedFaults = std::vector<NamedFault>;
NamedFaults operator+(NamedFaults faults, const NamedFaults& more);

/// Instead of the answer, before the operation runs: transient failures.
NamedFaults FailuresInPlaceOfAnswer();
/// Of an answer whose operation has run.
NamedFaults LostAnswers();
/// A 204 has no body to cut.
NamedFaults LostAnswer();
/// Of a body of `size` bytes of an answer: at its first byte, in the middle and at its last one.
NamedFaults BrokenBodies(std::size_t size);

/// A store with an object of 3 MB and a small one, with one fault at a time.
class FaultMatrix : public ::testing::Test {
 protected:
  static constexpr auto kBucket = "my-bucket";
  /// Of "object"; that of "small" is "bytes".
  static const std::string& Content();

  /// Runs it for each fault, which acts on the first matching request, or on `count` of them: in a new store, with a
  /// client that has no connection yet. The fault must have fired, and each attempt of a call have arrived once. Only a
  /// GET whose connection the fault ended before the answer may arrive twice.
  void ForEach(const NamedFaults& faults, const emulator::FaultMatch& match, const std::function<void()>& run,
               std::uint64_t count = 1);

  /// A new one, with connections of its own.
  [[nodiscard]] Client MakeClient() const;

  /// Exactly one generation of it was made, with these bytes.
  void ExpectStoredOnce(const std::string& name, const std::string& bytes);
  void ExpectNeverStored(const std::string& name);

  /// Options of the next clients, in addition to short retries.
  ClientOptions client_options_ = {};
  /// It remembers no tokens: the test observes the client, not the service's deduplication.
  emulator::Emulator emulator_{{.idempotency_window = std::chrono::seconds(0)}};
  std::optional<Client> client_;

 private:
  void SetUpStore();
  void ExpectAttemptsArrivedOnce(std::uint64_t ended_connections);
};

}  // namespace gcsflux::testing
