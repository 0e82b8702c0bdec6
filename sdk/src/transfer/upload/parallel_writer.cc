#include "gcsflux/parallel_writer.h"

#include <utility>

#include "transfer/upload/parts_writer.h"

namespace gcsflux {

ParallelWriter::ParallelWriter(Client client, ObjectName object, ParallelWriterOptions options)
    : writer_(internal::BoundToProcess(
          std::make_unique<internal::PartsWriter>(std::move(client), std::move(object), std::move(options)))) {}
ParallelWriter::ParallelWriter(ParallelWriter&&) noexcept = default;
ParallelWriter& ParallelWriter::operator=(ParallelWriter&&) noexcept = default;
ParallelWriter::~ParallelWriter() = default;

Result<void> ParallelWriter::Write(std::span<const std::byte> data) { return writer_->Write(data); }
Result<ObjectMetadata> ParallelWriter::Close() { return writer_->Close(); }
void ParallelWriter::Cancel() { writer_->Cancel(); }
std::uint64_t ParallelWriter::position() const { return writer_->position(); }
ParallelWriterReport ParallelWriter::report() const { return writer_->report(); }

}  // namespace gcsflux
