#include "sharding/announcement.h"

namespace gcsflux::internal {

std::string FormatAnnouncement(const AnnouncedSave& save, std::span<const TensorPart> parts) {
  MessageWriter writer;
  writer.Number(kAnnouncementVersion);
  writer.Text(save.host);
  writer.Text(save.uri);
  writer.Number(static_cast<std::uint64_t>(save.step));
  writer.Number(static_cast<std::uint64_t>(save.mode));
  writer.Number(parts.size());
  for (const TensorPart& part : parts) {
    writer.Text(part.name);
    writer.Number(static_cast<std::uint64_t>(part.dtype));
    writer.Sizes(part.shape);
    writer.Sizes(part.offsets);
    writer.Sizes(part.sizes);
  }
  return writer.Take();
}

std::string FormatRefusal(const std::string& host, const Error& why) {
  MessageWriter writer;
  writer.Number(kRefusal);
  writer.Text(host);
  PutError(writer, why);
  return writer.Take();
}

AnnouncementHead TakeHead(MessageReader& reader) {
  AnnouncementHead head{.version = reader.Number()};
  if (reader && head.version == kRefusal) {
    head.save.host = reader.String();
    head.refusal = TakeError(reader);
    return head;
  }
  if (head.version != kAnnouncementVersion) return head;
  head.save.host = reader.String();
  head.save.uri = reader.String();
  head.save.step = static_cast<std::int64_t>(reader.Number());
  head.save.mode = static_cast<CommitMode>(reader.Number());
  return head;
}

}  // namespace gcsflux::internal
