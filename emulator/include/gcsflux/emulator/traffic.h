#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

/// One request. The journal has it from its arrival on. Requests below /_emulator/ are not kept.
struct RequestRecord {
  std::uint64_t number = 0;  ///< In order of arrival, from 1. Reset() starts from 1 again.
  std::string method = {};
  std::string target = {};     ///< As it arrived, without its origin. The values of secret parameters read REDACTED.
  std::string operation = {};  ///< "storage.objects.insert", say; "unknown" if the request was not understood.
  std::string phase = {};      ///< For an upload in several requests: "start", "chunk", "final", "status" and so on.
  std::string bucket = {};
  std::string object = {};                ///< Also for the requests of an upload session.
  std::int64_t committed_generation = 0;  ///< The generation of the object that it made; 0 if it made none.
  std::int64_t read_generation = 0;       ///< The generation whose stored bytes it was answered with, or 0.
  std::uint64_t offset = 0;               ///< The first byte of the object, or of the upload, that it moved.
  std::string invocation_id = {};  ///< From x-goog-api-client: one for all attempts of a call; empty if it is not sent.
  int attempt = 0;                 ///< From 1; 0 if it is not sent.
  int status = 0;                  ///< 0 until it is answered. It stays 0 if no byte of an answer was sent.
  bool is_replayed = false;        ///< Not carried out: it got the first answer of its idempotency token.
  std::vector<std::string> faults = {};  ///< The rules of the fault plan that fired for it.
  std::uint64_t bytes_in = 0;            ///< Of the request's body; known when it is answered.
  std::uint64_t bytes_out = 0;           ///< Of the answer's body: bytes that were handed to the connection.
  Clock::Time start = {};                ///< When the head had arrived.
  std::size_t in_flight = 0;             ///< The number of requests in flight then, with this one.
  std::chrono::nanoseconds duration{0};  ///< Until the end of the answer, or until now.
  bool is_finished = false;              ///< The connection is done with it. The client may have gone before.
};

/// The answers of one operation with one status.
struct OperationCount {
  std::string operation = {};
  int status = 0;
  std::uint64_t requests = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// What was answered since the start or since the last Reset(), whatever the journal's size.
struct Counters {
  std::uint64_t requests = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::vector<OperationCount> operations = {};  ///< By operation, then by status.
};

}  // namespace gcsflux::emulator
