#include "shaping/shaping_settings.h"

#include <array>
#include <span>
#include <stdexcept>
#include <string>

#include "settings/settings_field.h"

namespace gcsflux::emulator {
namespace {

// Below it a stream would take too long for any test. Above it the arithmetic would describe no machine.
constexpr double kLeastRate = 1e-6;

using Field = SettingsField<Shaping>;
constexpr std::array kFields = {
    Field{"read_first_byte_ms", &Shaping::read_first_byte_ms},
    Field{"write_first_byte_ms", &Shaping::write_first_byte_ms},
    Field{"list_first_byte_ms", &Shaping::list_first_byte_ms},
    Field{"compose_first_byte_ms", &Shaping::compose_first_byte_ms},
    Field{"delete_first_byte_ms", &Shaping::delete_first_byte_ms},
    Field{"list_item_us", &Shaping::list_item_us},
    Field{"stream_read_mbps", &Shaping::stream_read_mbps, kLeastRate, 1e6},
    Field{"stream_write_mbps", &Shaping::stream_write_mbps, kLeastRate, 1e6},
    Field{"bucket_read_mbps", &Shaping::bucket_read_mbps, kLeastRate, 1e6},
    Field{"bucket_write_mbps", &Shaping::bucket_write_mbps, kLeastRate, 1e6},
    Field{"seed", &Shaping::seed},
};

std::span<const Field> Fields() { return kFields; }

}  // namespace

Shaping ShapingProfile(std::string_view profile) {
  if (profile == "none") return {};
  if (profile != "gcs") throw std::invalid_argument("profile: '" + std::string(profile) + "' is neither none nor gcs");
  return {
      // Small reads of Standard storage in the same region: tens of milliseconds to the first byte, with a tail that
      // Google's own benchmarks of clients show too. The distribution is not published: both figures are chosen, not
      // measured.
      .read_first_byte_ms = Distribution::LogNormal(50, 200),
      // Chosen, not measured. Small uploads take longer than small reads, because they are made durable first.
      .write_first_byte_ms = 80,
      // Chosen, not measured: a page of 1000 names takes 130 ms, one of 5000 takes 410.
      .list_first_byte_ms = 60,
      .compose_first_byte_ms = 100,  // unverified
      .delete_first_byte_ms = 40,    // unverified
      .list_item_us = 70,
      // One stream of a checkpoint, read and written: published figures about checkpoints on Google's service.
      .stream_read_mbps = 250,
      .stream_write_mbps = 100,
  };
}

bool SetField(Shaping& shaping, std::string_view field, std::string_view text) {
  return AssignField(Fields(), shaping, field, text);
}

Shaping ParseShaping(std::string_view json) { return ParseFields(Fields(), json, ShapingProfile); }
void CheckShaping(const Shaping& shaping) { CheckFields(Fields(), shaping); }
std::string RenderShaping(const Shaping& shaping) { return "{" + RenderFields(Fields(), shaping) + "}"; }

}  // namespace gcsflux::emulator
