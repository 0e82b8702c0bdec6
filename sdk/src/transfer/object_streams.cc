#include "gcsflux/object_streams.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace gcsflux {
namespace {

constexpr std::size_t kBufferBytes = 64U << 10;

// A stream sets badbit for what its buffer throws, and throws it on only where it is asked to.
[[noreturn]] void Throw(const Error& error) { throw std::runtime_error(error.message); }

std::span<const std::byte> BytesAt(const char* first, std::size_t count) {
  return std::as_bytes(std::span(first, count));
}

}  // namespace

class ObjectOutputStream::Buffer : public std::streambuf {
 public:
  Buffer(Client client, ObjectName object, UploadOptions options)
      : writer_(std::move(client), std::move(object), std::move(options)) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  // After a failure that is the stream's own, such as that of seekp(), insertions have left their text out.
  Result<ObjectMetadata> Close(bool has_failed) {
    if (has_failed && !error_ && !is_stored_) {
      writer_.Cancel();
      Note({ErrorCode::kLocalIo,
            "an insertion into the stream failed, so that text may be missing; the object is as it was"});
    }
    if (!Flush()) return *error_;
    auto stored = writer_.Close();
    if (!stored) Note(stored.error());
    is_stored_ = is_stored_ || stored.ok();
    return stored;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] UploadReport report() const { return writer_.report(); }

 protected:
  int_type overflow(int_type character) override {
    if (!Flush()) Throw(*error_);
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    *pptr() = traits_type::to_char_type(character);
    pbump(1);
    return character;
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (count < epptr() - pptr()) {
      std::memcpy(pptr(), text, static_cast<std::size_t>(count));
      pbump(static_cast<int>(count));
      return count;
    }
    if (!Flush() || !Write(BytesAt(text, static_cast<std::size_t>(count)))) Throw(*error_);
    return count;
  }
  int sync() override { return Flush() ? 0 : -1; }
  // Where it stands, and nothing else: an object is written from front to back.
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode /*mode*/) override {
    if (offset != 0 || from != std::ios_base::cur) return off_type(-1);
    return static_cast<off_type>(writer_.position()) + (pptr() - pbase());
  }

 private:
  bool Flush() {
    const auto count = static_cast<std::size_t>(pptr() - pbase());
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return Write(BytesAt(buffer_.data(), count));
  }
  bool Write(std::span<const std::byte> bytes) {
    if (error_) return false;
    if (const auto written = writer_.Write(bytes); !written) Note(written.error());
    return !error_;
  }
  void Note(const Error& error) {
    if (!error_) error_ = error;
  }

  ObjectWriter writer_;
  std::optional<Error> error_;
  bool is_stored_ = false;
  std::array<char, kBufferBytes> buffer_ = {};
};

ObjectOutputStream::ObjectOutputStream(Client client, ObjectName object, UploadOptions options)
    : std::ostream(nullptr),
      buffer_(std::make_unique<Buffer>(std::move(client), std::move(object), std::move(options))) {
  rdbuf(buffer_.get());
}
ObjectOutputStream::~ObjectOutputStream() = default;

Result<ObjectMetadata> ObjectOutputStream::Close() {
  auto stored = buffer_->Close(fail());
  if (!stored) setstate(std::ios_base::badbit);
  return stored;
}
const std::optional<Error>& ObjectOutputStream::error() const { return buffer_->error(); }
UploadReport ObjectOutputStream::report() const { return buffer_->report(); }

class ObjectInputStream::Buffer : public std::streambuf {
 public:
  explicit Buffer(ObjectReader reader) : reader_(std::move(reader)) { Forget(); }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] const ObjectReader& reader() const { return reader_; }

 protected:
  int_type underflow() override {
    const std::size_t count = Read(buffer_.data(), buffer_.size());
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }
  std::streamsize xsgetn(char* text, std::streamsize count) override {
    const std::streamsize held = std::min<std::streamsize>(count, egptr() - gptr());
    std::memcpy(text, gptr(), static_cast<std::size_t>(held));
    gbump(static_cast<int>(held));
    if (held == count) return count;
    if (count - held < static_cast<std::streamsize>(buffer_.size())) {
      if (traits_type::eq_int_type(underflow(), traits_type::eof())) return held;
      return held + xsgetn(text + held, std::min<std::streamsize>(count - held, egptr() - gptr()));
    }
    Forget();
    return held + static_cast<std::streamsize>(Read(text + held, static_cast<std::size_t>(count - held)));
  }
  std::streamsize showmanyc() override {
    const std::uint64_t left = reader_.size() - std::min(reader_.size(), Position());
    return left == 0 ? -1 : static_cast<std::streamsize>(left);
  }
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode mode) override {
    const std::uint64_t base = from == std::ios_base::beg   ? 0
                               : from == std::ios_base::end ? reader_.size()
                                                            : Position();
    const auto begin = static_cast<off_type>(base);
    if (offset > std::numeric_limits<off_type>::max() - begin) return off_type(-1);
    return seekpos(begin + offset, mode);
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode /*mode*/) override {
    const off_type offset = position;
    if (offset < 0 || static_cast<std::uint64_t>(offset) > reader_.size()) return off_type(-1);
    const auto wanted = static_cast<std::uint64_t>(offset);
    const std::uint64_t begin = reader_.position() - static_cast<std::uint64_t>(egptr() - eback());
    if (wanted >= begin && wanted <= reader_.position()) {
      setg(eback(), eback() + (wanted - begin), egptr());
    } else {
      Forget();
      reader_.Seek(wanted);
    }
    return position;
  }

 private:
  // Of the next character.
  [[nodiscard]] std::uint64_t Position() const {
    return reader_.position() - static_cast<std::uint64_t>(egptr() - gptr());
  }
  void Forget() { setg(buffer_.data(), buffer_.data(), buffer_.data()); }
  std::size_t Read(char* first, std::size_t count) {
    const auto read = reader_.ReadNext(std::as_writable_bytes(std::span(first, count)));
    if (read) return *read;
    if (!error_) error_ = read.error();
    Throw(read.error());
  }

  ObjectReader reader_;
  std::optional<Error> error_;
  std::array<char, kBufferBytes> buffer_ = {};
};

ObjectInputStream::ObjectInputStream(ObjectReader reader)
    : std::istream(nullptr), buffer_(std::make_unique<Buffer>(std::move(reader))) {
  rdbuf(buffer_.get());
}
ObjectInputStream::~ObjectInputStream() = default;

const std::optional<Error>& ObjectInputStream::error() const { return buffer_->error(); }
const ObjectReader& ObjectInputStream::reader() const { return buffer_->reader(); }

}  // namespace gcsflux
