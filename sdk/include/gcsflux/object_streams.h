#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>

#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"

namespace gcsflux {

/// A std::ostream over a ObjectWriter. A failure sets badbit; error() tells the cause.
///
/// Close() commits the object. If the stream is destroyed without Close(), for example by an exception in the caller's
/// block, the object does not change. If an insertion has failed, the object does not change either, and Close()
/// returns that error. If failbit or badbit is set, a stream leaves out what is inserted: then Close() commits nothing
/// and returns kLocalIo. An insertion of an empty stream's rdbuf() sets failbit too; clear() it. For one thread at a
/// time.
class ObjectOutputStream : public std::ostream {
 public:
  ObjectOutputStream(Client client, ObjectName object, UploadOptions options = {});  ///< As ObjectWriter().
  ~ObjectOutputStream() override;
  ObjectOutputStream(const ObjectOutputStream&) = delete;
  ObjectOutputStream& operator=(const ObjectOutputStream&) = delete;

  /// Commits what was written. A failure sets badbit.
  Result<ObjectMetadata> Close();
  /// The first failure.
  [[nodiscard]] const std::optional<Error>& error() const;
  [[nodiscard]] UploadReport report() const;  ///< As ObjectWriter::report().

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

/// A seekable std::istream over an ObjectReader. A failure sets badbit; error() tells the cause. It reads ahead while
/// the program reads from front to back. Only reader().VerifyWhole() compares the bytes with the object's CRC32C. For
/// one thread at a time.
class ObjectInputStream : public std::istream {
 public:
  explicit ObjectInputStream(ObjectReader reader);  ///< Takes the reader over.
  ~ObjectInputStream() override;
  ObjectInputStream(const ObjectInputStream&) = delete;
  ObjectInputStream& operator=(const ObjectInputStream&) = delete;

  /// The first failure.
  [[nodiscard]] const std::optional<Error>& error() const;
  [[nodiscard]] const ObjectReader& reader() const;  ///< The reader below the stream.

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace gcsflux
