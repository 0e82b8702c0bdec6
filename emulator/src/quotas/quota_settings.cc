#include "quotas/quota_settings.h"

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>

#include "settings/settings_field.h"

namespace gcsflux::emulator {
namespace {

// From one request in eleven days to more than any machine serves.
constexpr double kLeastRate = 1e-6;
constexpr double kMostRate = 1e9;

using Field = SettingsField<Quotas>;
constexpr std::array kFields = {
    Field{"reads_per_second", &Quotas::reads_per_second, kLeastRate, kMostRate},
    Field{"writes_per_second", &Quotas::writes_per_second, kLeastRate, kMostRate},
    Field{"range_reads_per_second", &Quotas::range_reads_per_second, kLeastRate, kMostRate},
    Field{"range_writes_per_second", &Quotas::range_writes_per_second, kLeastRate, kMostRate},
    Field{"ramp_speed", &Quotas::ramp_speed, 0.001, 1e6},
    Field{"object_mutations_per_second", &Quotas::object_mutations_per_second, kLeastRate, kMostRate},
    Field{"bucket_updates_per_second", &Quotas::bucket_updates_per_second, kLeastRate, kMostRate},
    Field{"egress_mbps", &Quotas::egress_mbps, kLeastRate, 1e6},
    Field{"depth_ms", &Quotas::depth_ms, 0, 86'400'000},
    Field{"refused_count", &Quotas::refused_count},
    Field{"retry_after_s", &Quotas::retry_after_s, 0, 86'400},
    Field{"latency_growth_ms", &Quotas::latency_growth_ms, 0, 3'600'000},
    Field{"latency_growth_from", &Quotas::latency_growth_from, 0, 0.999},
};

std::span<const Field> Fields() { return kFields; }

}  // namespace

Quotas QuotasProfile(std::string_view profile) {
  if (profile == "none") return {};
  if (profile != "gcs") throw std::invalid_argument("profile: '" + std::string(profile) + "' is neither none nor gcs");
  return {
      // "Buckets have an initial IO capacity of approximately 1,000 object write requests per second [...] and 5,000
      // object read requests per second", which is split by ranges of the index of names:
      // https://cloud.google.com/storage/docs/request-rate
      .reads_per_second = 5000,
      .writes_per_second = 1000,
      .range_reads_per_second = 5000,
      .range_writes_per_second = 1000,
      // https://cloud.google.com/storage/quotas#objects and #buckets: one write per second to the same object's name,
      // one update per second of a bucket's metadata.
      .object_mutations_per_second = 1,
      .bucket_updates_per_second = 1,
      // https://cloud.google.com/storage/quotas#bandwidth: 200 Gb/s per project and region by default.
      .egress_mbps = 25'000,
      // The same page on request rates says that latency grows before errors do, but not by how much (unverified).
      .latency_growth_ms = 100,
  };
}

bool SetField(Quotas& quotas, std::string_view field, std::string_view text) {
  return AssignField(Fields(), quotas, field, text);
}

Quotas ParseQuotas(std::string_view json) { return ParseFields(Fields(), json, QuotasProfile); }
void CheckQuotas(const Quotas& quotas) { CheckFields(Fields(), quotas); }

std::string RenderQuotas(const Quotas& quotas, const QuotaCounters& counters) {
  const nlohmann::json shown = {{"admitted", counters.admitted},
                                {"refused",
                                 {{"reads", counters.refused_reads},
                                  {"writes", counters.refused_writes},
                                  {"range_reads", counters.refused_range_reads},
                                  {"range_writes", counters.refused_range_writes},
                                  {"object_mutations", counters.refused_object_mutations},
                                  {"bucket_updates", counters.refused_bucket_updates},
                                  {"egress", counters.refused_egress}}},
                                {"ranges", counters.ranges}};
  return "{" + RenderFields(Fields(), quotas) + ",\"counters\":" + shown.dump() + "}";
}

}  // namespace gcsflux::emulator
