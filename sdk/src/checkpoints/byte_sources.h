#pragma once

#include <memory>
#include <string>

#include "gcsflux/formats.h"
#include "gcsflux/object_reader.h"

namespace gcsflux {

/// A source over the object that the reader has opened. Ranges are read at the same time.
ByteSource SourceOf(const std::shared_ptr<const ObjectReader>& reader);

/// A source over a local file. The file must not change while it is read. Thread-safe.
Result<ByteSource> SourceOfFile(const std::string& path);

}  // namespace gcsflux
