#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaign/content.h"
#include "gcsflux/client.h"

namespace gcsflux::campaign {

/// A forbidden behaviour of the SDK or the emulator.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One version of an object: its bytes, and the value of its metadata's key "tag".
struct Version {
  Content content = {};
  std::string tag = {};
  std::int64_t generation = 0;  ///< As reported by the service.
  std::int64_t metageneration = 0;
};

/// The content of a name: nothing, or a version.
using State = std::optional<Version>;

/// A name and its content.
struct Slot {
  ObjectName object = {};
  /// One; two if a write was cancelled and the service may still carry it out.
  std::vector<State> may_be = {State()};

  [[nodiscard]] const State& state() const { return may_be.front(); }
  [[nodiscard]] bool is_there() const { return state().has_value(); }
  /// Its reads may be corrupted, so that only its checksum detects it.
  [[nodiscard]] bool is_checked() const;
};

inline ObjectAttributes AttributesOf(const Version& version) {
  return {.content_type = "text/x-campaign", .metadata = {{"tag", version.tag}}};
}

/// Throws Violation if the metadata is not that of the version.
void CheckMetadata(const ObjectMetadata& found, const Version& wanted);
/// Throws Violation if bytes [offset, ...) are not those of the content.
void CheckBytes(const ObjectName& object, std::string_view found, const Content& content, std::size_t offset,
                std::size_t length);
inline void CheckBytes(const ObjectName& object, std::string_view found, const Content& content) {
  CheckBytes(object, found, content, 0, content.size());
}

/// The content of the slot's name, read whole and retried until it succeeds: which of `may_be` it is. Its generations
/// are recorded there. Throws Violation if it is none of them.
std::size_t Find(const Client& client, Slot& slot);

}  // namespace gcsflux::campaign
