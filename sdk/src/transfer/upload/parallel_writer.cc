#include "gcsflux/parallel_writer.h"

#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/moved_from.h"
#include "transfer/upload/parts_writer.h"

namespace gcsflux {

ParallelWriter::ParallelWriter(Client client, ObjectName object, ParallelWriterOptions options)
    : writer_(internal::BoundToProcess(
          std::make_unique<internal::PartsWriter>(std::move(client), std::move(object), std::move(options)))) {}
ParallelWriter::ParallelWriter(ParallelWriter&&) noexcept = default;
ParallelWriter& ParallelWriter::operator=(ParallelWriter&&) noexcept = default;
ParallelWriter::~ParallelWriter() = default;

Result<void> ParallelWriter::Write(std::span<const std::byte> data) {
  if (!writer_) return internal::MovedFrom("ParallelWriter");
  return internal::ExceptionsAsErrors([&] { return writer_->Write(data); });
}
Result<ObjectMetadata> ParallelWriter::Close() {
  if (!writer_) return internal::MovedFrom("ParallelWriter");
  return internal::ExceptionsAsErrors([&] { return writer_->Close(); }, WriteOutcome::kUnknown);
}
void ParallelWriter::Cancel() {
  if (writer_) writer_->Cancel();
}
std::uint64_t ParallelWriter::position() const { return writer_ ? writer_->position() : 0; }
ParallelWriterReport ParallelWriter::report() const { return writer_ ? writer_->report() : ParallelWriterReport(); }

}  // namespace gcsflux
