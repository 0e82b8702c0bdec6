#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "gcsflux/object.h"
#include "gcsflux/options.h"

namespace gcsflux::bench {

/// The object to read, and the number of reads in flight.
struct Load {
  ClientOptions client = {};
  ObjectName object = {};
  std::int64_t generation = 0;
  std::size_t bytes = 0;
  std::size_t connections = 0;
};

struct Fetched {
  std::string failure = {};  ///< Empty if each read returned the object's bytes, by their CRC32C.
  int threads = 0;           ///< Of this process, during the reads.
};

/// Reads the object this many times. Later calls reuse the connections and threads of the first.
using Fetch = std::function<Fetched(std::size_t reads)>;

/// Of these names; throws std::runtime_error for another one.
///  stream        Downloader::Stream(), each object freed as soon as it was delivered
///  readers       a thread for each read in flight, by Client::ReadObject()
///  bare_loops    two bare libcurl event loops, each read into new memory
///  bare_loops_untouched
///                the same, each into pages that no read has touched before
///  bare_threads  a thread with a bare libcurl handle for each read in flight, each read into new memory
Fetch MakeFetch(const std::string& way, const Load& load);

}  // namespace gcsflux::bench
