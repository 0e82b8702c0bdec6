#include "sharding/announcement.h"

namespace gcsflux::internal {

template <SameAs<AnnouncedSave> Self>
auto FieldsOf(Self& save) {
  return std::tie(save.host, save.uri, save.step, save.mode);
}

std::string FormatAnnouncement(const AnnouncedSave& save, std::span<const TensorPart> parts) {
  MessageWriter writer;
  writer.Put(kAnnouncementVersion, save, parts.size());
  for (const TensorPart& part : parts) writer.Put(part.name, part.dtype, part.shape, part.offsets, part.sizes);
  return writer.Take();
}

std::string FormatRefusal(const std::string& host, const Error& why) {
  return MessageWriter().Put(kRefusal, host, why).Take();
}

AnnouncementHead TakeHead(MessageReader& reader) {
  AnnouncementHead head{.version = reader.Number()};
  if (reader && head.version == kRefusal) {
    reader.Take(head.save.host, head.refusal);
    return head;
  }
  if (head.version == kAnnouncementVersion) reader.Take(head.save);
  return head;
}

}  // namespace gcsflux::internal
