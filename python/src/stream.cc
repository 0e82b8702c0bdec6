// gcsflux.Writer and gcsflux.Reader: one object as a stream.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "arguments.h"
#include "bindings.h"
#include "calls.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

[[noreturn]] void RaiseClosed() { throw nb::value_error("I/O operation on closed stream"); }

// Writes one object from front to back. Calls of several threads take turns.
class Writer {
 public:
  Writer(const Client& client, const ObjectName& object, UploadOptions options) {
    options.stop = stop_.get_token();
    writer_.emplace(client, object, std::move(options));
  }
  ~Writer() {
    ReleaseUnlocked([this] { writer_.reset(); });  // Gives up an upload that was not closed.
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  std::size_t Write(nb::handle data) {
    const Buffer buffer(data, false);
    const bool is_open = Take([&](ObjectWriter& writer) { return writer.Write(buffer.bytes()); });
    if (!is_open) RaiseClosed();
    return buffer.bytes().size();
  }

  ObjectMetadata Close() {
    Take([&](ObjectWriter& writer) -> Result<void> {
      auto stored = writer.Close();
      if (!stored) return stored.error();
      stored_ = *std::move(stored);
      writer_.reset();
      return {};
    });
    if (!stored_) RaiseClosed();
    return *stored_;
  }

  void Abort() {
    std::stop_source never;
    RunUnlocked(never, [this] {
      const std::scoped_lock turn(turn_);
      if (!writer_) return;
      writer_->Cancel();
      writer_.reset();
    });
  }

  std::uint64_t position() {
    std::uint64_t position = 0;
    const bool is_open = Take([&](ObjectWriter& writer) { return position = writer.position(), Result<void>(); });
    if (!is_open && !stored_) RaiseClosed();
    return is_open ? position : stored_->size;
  }

  [[nodiscard]] bool is_closed() const {
    const Unlocked unlocked;
    const std::scoped_lock turn(turn_);
    return !writer_;
  }

 private:
  // False if it is closed.
  template <class Work>
  bool Take(const Work& work) {
    bool is_open = false;
    CallWith(stop_, [&](const std::stop_token&) -> Result<void> {
      const std::scoped_lock turn(turn_);
      is_open = writer_.has_value();
      return is_open ? work(*writer_) : Result<void>();
    });
    return is_open;
  }

  std::stop_source stop_;
  mutable std::mutex turn_;
  std::optional<ObjectWriter> writer_;  // Guarded by turn_; none after the end.
  std::optional<ObjectMetadata> stored_;
};

// Reads one generation of an object, at any place or from front to back. Thread-safe; calls that use the position take
// turns.
class Reader {
 public:
  Reader(const PythonClient& client, const NamedObject& object, std::optional<std::int64_t> generation)
      : client_(client.client), options_(client.options.reader) {
    options_.generation = generation;
    const auto opened = std::make_shared<Opened>();
    Call([&](const std::stop_token& stop) -> Result<void> {
      const std::stop_callback pass_on(stop, [&] { opened->stop.request_stop(); });
      options_.stop = opened->stop.get_token();
      auto reader = object.known ? ObjectReader::Open(client_, *object.known, options_)
                                 : ObjectReader::Open(client_, object.name, options_);
      if (!reader) return reader.error();
      opened->reader.emplace(*std::move(reader));
      return {};
    });
    source_ = opened->reader->source();
    opened_ = opened;
  }
  ~Reader() {
    ReleaseUnlocked([this] { opened_.reset(); });
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const DownloadSource& source() const { return source_; }

  std::size_t ReadAt(std::uint64_t offset, std::span<std::byte> into) {
    std::size_t count = 0;
    Take([&](ObjectReader& reader) { return Counted(reader.ReadAt(offset, into), count); });
    return count;
  }

  std::size_t ReadNext(std::span<std::byte> into) {
    std::size_t count = 0;
    Take([&](ObjectReader& reader) -> Result<void> {
      const std::scoped_lock turn(turn_);
      reader.Seek(position_);
      while (count < into.size()) {
        std::size_t got = 0;
        if (auto read = Counted(reader.ReadNext(into.subspan(count)), got); !read) return read;
        if (got == 0) break;
        count += got;
      }
      position_ += count;
      return {};
    });
    return count;
  }

  void Verify() {
    Take([](ObjectReader& reader) { return reader.VerifyWhole(); });
  }

  std::uint64_t position() {
    if (is_closed()) RaiseClosed();
    const Unlocked unlocked;
    const std::scoped_lock turn(turn_);
    return position_;
  }

  std::uint64_t Seek(std::int64_t offset, int whence) {
    if (whence < 0 || whence > 2) throw nb::value_error("whence must be 0, 1 or 2");
    const auto size = static_cast<std::int64_t>(source_.size);
    const std::int64_t start = whence == 0 ? 0 : whence == 1 ? static_cast<std::int64_t>(position()) : size;
    if (is_closed()) RaiseClosed();
    if (offset < -start) throw nb::value_error("the position cannot be before the object");
    const Unlocked unlocked;
    const std::scoped_lock turn(turn_);
    position_ = static_cast<std::uint64_t>(start + offset);
    return position_;
  }

  void Close() {
    std::shared_ptr<Opened> last;
    {
      const Unlocked unlocked;
      const std::scoped_lock lock(mutex_);
      last = std::exchange(opened_, nullptr);
    }
    ReleaseUnlocked([&] { last.reset(); });
  }

  [[nodiscard]] bool is_closed() const {
    const Unlocked unlocked;
    const std::scoped_lock lock(mutex_);
    return opened_ == nullptr;
  }

 private:
  struct Opened {
    std::stop_source stop;
    std::optional<ObjectReader> reader;
  };

  static Result<void> Counted(const Result<std::size_t>& read, std::size_t& count) {
    if (!read) return read.error();
    count = *read;
    return {};
  }

  template <class Work>
  void Take(const Work& work) {
    const std::shared_ptr<Opened> opened = Usable();
    if (opened == nullptr) RaiseClosed();
    CallWith(opened->stop, [&](const std::stop_token&) -> Result<void> { return work(*opened->reader); });
  }

  // After a call that was interrupted the reader begins again. That makes no request, since the generation is known.
  std::shared_ptr<Opened> Usable() {
    const Unlocked unlocked;
    const std::scoped_lock lock(mutex_);
    if (opened_ == nullptr || !opened_->stop.stop_requested()) return opened_;
    auto next = std::make_shared<Opened>();
    options_.stop = next->stop.get_token();
    auto reader = ObjectReader::Open(client_, source_, options_);
    if (!reader) return opened_;  // Its calls tell why.
    next->reader.emplace(*std::move(reader));
    return opened_ = next;
  }

  const Client client_;
  ObjectReaderOptions options_;
  DownloadSource source_;
  mutable std::mutex mutex_;
  std::shared_ptr<Opened> opened_;  // Guarded by mutex_; null after Close().
  std::mutex turn_;
  std::uint64_t position_ = 0;  // Guarded by turn_.
};

template <class Object>
Object& Itself(Object& self) {
  return self;
}

nb::object ReadAtMost(Reader& self, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t size = self.source().size;
  const NewBytes bytes = NewBytes::OfSize(offset < size ? std::min(length, size - offset) : 0);
  self.ReadAt(offset, bytes.memory);
  return bytes.object;
}

nb::object ReadNextBytes(Reader& self, std::optional<std::int64_t> length) {
  const std::uint64_t position = self.position();
  std::uint64_t left = position < self.source().size ? self.source().size - position : 0;
  if (length && *length >= 0) left = std::min(left, static_cast<std::uint64_t>(*length));
  const NewBytes bytes = NewBytes::OfSize(left);
  if (self.ReadNext(bytes.memory) != left) Raise({ErrorCode::kAborted, "several threads read from one position"});
  return bytes.object;
}

void BindWriter(nb::module_& module) {
  nb::class_<Writer>(module, "Writer",
                     "Writes one object from front to back, in bounded memory, over many connections. The object is\n"
                     "visible after close(), whole. If a with block ends by an exception, nothing is stored.")
      .def("write", &Writer::Write, "data"_a, "Sends or keeps the bytes of a buffer, and returns their number.")
      .def("close", &Writer::Close, "Sends the rest and makes the object visible. A second call returns the same.")
      .def("abort", &Writer::Abort, "Gives up: nothing is stored. After close() it does nothing.")
      .def("tell", &Writer::position, "Bytes written so far.")
      .def("writable", [](const Writer&) { return true; })
      .def(
          "flush", [](const Writer&) {}, "Does nothing: bytes are visible after close().")
      .def_prop_ro("closed", &Writer::is_closed)
      .def("__enter__", Itself<Writer>, nb::rv_policy::reference)
      .def(
          "__exit__",
          [](Writer& self, nb::handle type, nb::handle, nb::handle) {
            if (!type.is_none()) return self.Abort();
            if (!self.is_closed()) self.Close();
          },
          nb::arg().none(), nb::arg().none(), nb::arg().none());
}

void BindReader(nb::module_& module) {
  nb::class_<Reader>(module, "Reader",
                     "Reads one generation of an object over many connections, at any place or from front to back.\n"
                     "A binary file for those who read files. Thread-safe.")
      .def_prop_ro("size", [](const Reader& self) { return self.source().size; })
      .def_prop_ro("generation", [](const Reader& self) { return self.source().generation; })
      .def("read_at", ReadAtMost, "offset"_a, "length"_a, "The bytes of a range, shortened at the object's end.")
      .def(
          "read_at_into",
          [](Reader& self, std::uint64_t offset, nb::handle into) {
            const Buffer buffer(into, true);
            return self.ReadAt(offset, buffer.bytes());
          },
          "offset"_a, "buffer"_a, "Fills a buffer from offset on, and returns the number of bytes.")
      .def("read", ReadNextBytes, "length"_a = nb::none(), "The next bytes, read ahead; all that is left by default.")
      .def(
          "readinto",
          [](Reader& self, nb::handle into) {
            const Buffer buffer(into, true);
            return self.ReadNext(buffer.bytes());
          },
          "buffer"_a, "Fills a buffer with the next bytes, and returns their number.")
      .def("seek", &Reader::Seek, "offset"_a, "whence"_a = 0)
      .def("tell", &Reader::position)
      .def("verify", &Reader::Verify,
           "Compares all bytes with the object's CRC32C; reads those that were not read yet. Raises CorruptedError.")
      .def("readable", [](const Reader&) { return true; })
      .def("seekable", [](const Reader&) { return true; })
      .def("close", &Reader::Close)
      .def_prop_ro("closed", &Reader::is_closed)
      .def("__enter__", Itself<Reader>, nb::rv_policy::reference)
      .def(
          "__exit__", [](Reader& self, nb::handle, nb::handle, nb::handle) { self.Close(); }, nb::arg().none(),
          nb::arg().none(), nb::arg().none());
}

}  // namespace

void BindStreams(nb::module_& module, ClientClass& client) {
  BindWriter(module);
  BindReader(module);
  client
      .def(
          "open_writer",
          [](const PythonClient& self, nb::handle object, const nb::kwargs& given) {
            Keywords keywords(given);
            UploadOptions options = TakeUploadOptions(keywords, self.options.upload);
            keywords.Finish("open_writer");
            return std::make_unique<Writer>(self.client, ToName(object), std::move(options));
          },
          "object"_a, "options"_a, "A stream into an object. The options are those of write().")
      .def(
          "open_reader",
          [](const PythonClient& self, nb::handle object, std::optional<std::int64_t> generation) {
            return std::make_unique<Reader>(self, ToNamedObject(object), generation);
          },
          "object"_a, nb::kw_only(), "generation"_a = nb::none(), "A stream from an object.");
}

}  // namespace gcsflux::python
