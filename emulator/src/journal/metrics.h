#pragma once

#include <cstdint>
#include <string>

#include "journal/request_counters.h"

namespace gcsflux::emulator {

/// The present state, beside what was counted.
struct Gauges {
  std::uint64_t buckets = 0;
  std::uint64_t objects = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t connections = 0;
};

/// In Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/
std::string RenderMetrics(const RequestCounters::Table& answers, const Gauges& gauges);

}  // namespace gcsflux::emulator
