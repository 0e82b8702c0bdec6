#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "operations/fired_faults.h"

namespace gcsflux::emulator {

/// What is known about a request, for the journal and the counters.
struct RequestSubject {
  std::string_view operation = "unknown";  ///< "storage.objects.insert", say; never destroyed.
  std::string_view phase = {};  ///< For an upload in several requests: "start", "chunk" and so on. Never destroyed.
  std::string bucket = {};
  std::string object = {};
  std::int64_t committed_generation = 0;           ///< The generation of the object that it made; 0 if it made none.
  std::int64_t read_generation = 0;                ///< The generation whose stored bytes it was answered with, or 0.
  std::uint64_t offset = 0;                        ///< The first byte of the object, or of the upload, that it moved.
  std::shared_ptr<const FiredFaults> faults = {};  ///< The faults that fired for it; null if there cannot be any.
  bool is_replayed = false;        ///< It was not carried out: it got the answer to an earlier request with its token.
  std::uint64_t listed_items = 0;  ///< Items and prefixes on the page that answered it.
};

}  // namespace gcsflux::emulator
