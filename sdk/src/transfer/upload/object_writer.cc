#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/moved_from.h"
#include "gcsflux/upload.h"
#include "transfer/upload/parts_writer.h"

namespace gcsflux {

ObjectWriter::ObjectWriter(Client client, ObjectName object, UploadOptions options)
    : writer_(internal::OwnedByProcess(
          std::make_unique<internal::PartsWriter>(std::move(client), std::move(object), std::move(options)))) {}
ObjectWriter::ObjectWriter(std::shared_ptr<internal::PartsWriter> writer) : writer_(std::move(writer)) {}
ObjectWriter::ObjectWriter(ObjectWriter&&) noexcept = default;
ObjectWriter& ObjectWriter::operator=(ObjectWriter&&) noexcept = default;
ObjectWriter::~ObjectWriter() = default;

Result<ObjectWriter> ObjectWriter::Resume(Client client, std::string_view state, UploadOptions options) {
  return internal::ExceptionsAsErrors([&]() -> Result<ObjectWriter> {
    auto stream = internal::StreamWriter::Resume(client, state, std::move(options));
    if (!stream) return stream.error();
    return ObjectWriter(
        internal::OwnedByProcess(std::make_unique<internal::PartsWriter>(std::move(client), *std::move(stream))));
  });
}

Result<void> ObjectWriter::Write(std::span<const std::byte> data) {
  if (!writer_) return internal::MovedFrom("ObjectWriter");
  return internal::ExceptionsAsErrors([&] { return writer_->Write(data); });
}
Result<ObjectMetadata> ObjectWriter::Close() {
  if (!writer_) return internal::MovedFrom("ObjectWriter");
  return internal::ExceptionsAsErrors([&] { return writer_->Close(); }, WriteOutcome::kUnknown);
}
Result<std::string> ObjectWriter::Suspend() {
  if (!writer_) return internal::MovedFrom("ObjectWriter");
  return internal::ExceptionsAsErrors([&] { return writer_->Suspend(); });
}
void ObjectWriter::Cancel() {
  if (writer_) writer_->Cancel();
}
std::uint64_t ObjectWriter::position() const { return writer_ ? writer_->position() : 0; }
UploadReport ObjectWriter::report() const { return writer_ ? writer_->report() : UploadReport(); }

}  // namespace gcsflux
