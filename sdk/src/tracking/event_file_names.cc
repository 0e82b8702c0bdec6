#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "checkpoints/run_identity.h"
#include "client/client_core.h"
#include "formats/events/event_messages.h"
#include "formats/events/event_records.h"
#include "tracking/event_destination.h"

namespace gcsflux::internal {
namespace {

std::chrono::duration<double> SinceEpoch(const Client& client) {
  return CoreOf(client).timing().SystemNow().time_since_epoch();
}

// Hosts may be called anything.
std::string FileNamePart(std::string host) {
  for (char& c : host) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!is_plain) c = '-';
  }
  return host;
}

}  // namespace

EventFileNames::EventFileNames(const Client& client) {
  const RunIdentity identity = MakeRunIdentity();
  const auto seconds = static_cast<long long>(SinceEpoch(client).count());
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%010lld", seconds);
  begin_ = std::string("events.out.tfevents.") + digits.data() + "." + FileNamePart(identity.host) + "." +
           std::to_string(identity.process) + ".";
}

std::string EventFileNames::At(int number) const {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%06d", number);
  return begin_ + digits.data();
}

std::string FirstRecord(const Client& client) {
  std::string record;
  AppendRecord(record, VersionEvent(SinceEpoch(client).count()));
  return record;
}

}  // namespace gcsflux::internal
