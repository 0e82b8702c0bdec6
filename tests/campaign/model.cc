#include "campaign/model.h"

#include "campaign/fault_mix.h"

namespace gcsflux::campaign {
namespace {

// Corruption is detected, never repaired. So the reader tries again.
constexpr int kTries = 100;

struct Found {
  std::optional<ObjectMetadata> metadata = {};
  std::string bytes = {};
};

Result<Found> ReadOnce(const Client& client, const ObjectName& object) {
  auto metadata = client.GetObject(object);
  if (!metadata && metadata.error().code == ErrorCode::kNotFound) return Found{};
  if (!metadata) return metadata.error();
  auto bytes = client.ReadObject(object, {.generation = metadata->generation});
  if (!bytes) return bytes.error();
  return Found{*std::move(metadata), *std::move(bytes)};
}

Found ReadSurely(const Client& client, const ObjectName& object) {
  std::string last;
  for (int i = 0; i < kTries; ++i) {
    auto found = ReadOnce(client, object);
    if (found) return *std::move(found);
    last = found.error().message;
  }
  throw Violation(ToUri(object) + " cannot be read: " + last);
}

bool Is(const Found& found, const State& state) {
  if (!found.metadata || !state) return !found.metadata && !state;
  const auto tag = found.metadata->metadata.find("tag");
  return tag != found.metadata->metadata.end() && tag->second == state->tag && found.bytes == state->content.Render();
}

std::string Describe(const Found& found, const Slot& slot) {
  std::string text = ToUri(slot.object) + " is none of what it may be; ";
  if (!found.metadata) return text + "there is no object";
  const auto tag = found.metadata->metadata.find("tag");
  text += "it has the tag " + (tag == found.metadata->metadata.end() ? "(none)" : tag->second);
  for (const State& state : slot.may_be) {
    text += state ? "; of version " + state->tag + ": " + DescribeDifference(found.bytes, state->content.Render())
                  : "; it may be absent";
  }
  return text;
}

}  // namespace

bool Slot::is_checked() const { return object.name.ends_with(kCheckedSuffix); }

void CheckMetadata(const ObjectMetadata& found, const Version& wanted) {
  const auto tag = found.metadata.find("tag");
  const bool is_same = found.size == wanted.content.size() && tag != found.metadata.end() && tag->second == wanted.tag;
  if (is_same) return;
  throw Violation(ToUri({found.bucket, found.name}) + " has " + std::to_string(found.size) + " bytes and the tag '" +
                  (tag == found.metadata.end() ? "" : tag->second) + "', not " + std::to_string(wanted.content.size()) +
                  " and '" + wanted.tag + "'");
}

void CheckBytes(const ObjectName& object, std::string_view found, const Content& content, std::size_t offset,
                std::size_t length) {
  const std::string all = content.Render();
  const std::string_view wanted = std::string_view(all).substr(offset, length);
  if (found == wanted) return;
  throw Violation(ToUri(object) + " from byte " + std::to_string(offset) + " on: " + DescribeDifference(found, wanted));
}

std::size_t Find(const Client& client, Slot& slot) {
  const Found found = ReadSurely(client, slot.object);
  for (std::size_t i = 0; i < slot.may_be.size(); ++i) {
    State& state = slot.may_be[i];
    if (!Is(found, state)) continue;
    if (state) {
      state->generation = found.metadata->generation;
      state->metageneration = found.metadata->metageneration;
    }
    return i;
  }
  throw Violation(Describe(found, slot));
}

}  // namespace gcsflux::campaign
