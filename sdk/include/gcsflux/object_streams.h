#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>

#include "gcsflux/object_reader.h"
#include "gcsflux/parallel_writer.h"

namespace gcsflux {

/// A std::ostream over a ParallelWriter. A failure sets badbit, and error() says what it was.
///
/// Nothing is committed before Close(): a stream that is destroyed without it, by an exception in the caller's block
/// for example, leaves the name as it was. So does one on which an insertion has failed: Close() returns that error.
/// For one thread at a time.
class ObjectOutputStream : public std::ostream {
 public:
  ObjectOutputStream(Client client, ObjectName object, ParallelWriterOptions options = {});
  ~ObjectOutputStream() override;
  ObjectOutputStream(const ObjectOutputStream&) = delete;
  ObjectOutputStream& operator=(const ObjectOutputStream&) = delete;

  /// Commits what was written. On failure it sets badbit.
  Result<ObjectMetadata> Close();
  /// The first failure.
  [[nodiscard]] const std::optional<Error>& error() const;
  [[nodiscard]] ParallelWriterReport report() const;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

/// A seekable std::istream over an ObjectReader. A failure sets badbit, and error() says what it was. It reads ahead
/// while it is read from front to back. The bytes are compared with the object's CRC32C by reader().VerifyWhole() only.
/// For one thread at a time.
class ObjectInputStream : public std::istream {
 public:
  explicit ObjectInputStream(ObjectReader reader);
  ~ObjectInputStream() override;
  ObjectInputStream(const ObjectInputStream&) = delete;
  ObjectInputStream& operator=(const ObjectInputStream&) = delete;

  /// The first failure.
  [[nodiscard]] const std::optional<Error>& error() const;
  [[nodiscard]] const ObjectReader& reader() const;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace gcsflux
