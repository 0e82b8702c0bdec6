// Calls about many objects: one call of Python for all, without its lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "bindings.h"
#include "calls.h"
#include "gcsflux/download_file.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

using Pairs = std::vector<std::pair<nb::object, nb::object>>;
template <class T>
using Outcomes = std::vector<std::optional<Result<T>>>;

constexpr int kRequests = 64;  // Of calls that wait for the service alone.
constexpr int kFiles = 16;     // At a time: each holds memory.

template <class T>
using WorkOnOne = std::function<Result<T>(std::size_t index, const std::stop_token& stop)>;

// Carries out all. Without `keeps_errors`, the first failure stops the others and is raised.
template <class T>
Outcomes<T> RunAll(const PythonClient& self, std::size_t count, int threads, bool keeps_errors,
                   const WorkOnOne<T>& work) {
  Outcomes<T> outcomes(count);
  const auto run = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
    const auto& outcome = outcomes[index].emplace(work(index, stop));
    return outcome || keeps_errors ? Result<void>() : outcome.error();
  };
  Call([&](const std::stop_token& stop) {
    return internal::RunOnThreads(self.client, count, std::clamp(static_cast<int>(count), 1, threads), run, stop);
  });
  return outcomes;
}

template <class T>
nb::list ToList(Outcomes<T> outcomes) {
  nb::list all;
  for (auto& outcome : outcomes) {
    if (!*outcome) {
      all.append(ToException(outcome->error()));
    } else if constexpr (std::is_void_v<T>) {
      all.append(nb::none());
    } else {
      all.append(nb::cast(std::move(**outcome)));
    }
  }
  return all;
}

std::vector<NamedObject> ToNamedObjects(const nb::typed<nb::iterable, nb::object>& objects) {
  std::vector<NamedObject> all;
  for (const nb::handle object : objects) all.push_back(ToNamedObject(object));
  return all;
}

// ---------------------------------------------------------------------------------------------- reads

using Bound = std::optional<std::int64_t>;

// As Python's slices: from the end if it is negative, within the object.
std::uint64_t Clamped(std::int64_t bound, std::uint64_t size) {
  const auto most = static_cast<std::int64_t>(size);
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(bound < 0 ? bound + most : bound, 0, most));
}

// The sources of a download: the objects, or slices of them. What is not known of an object is requested first.
class Batch {
 public:
  Batch(const PythonClient& self, std::vector<NamedObject> objects, bool keeps_errors)
      : self_(self), objects_(std::move(objects)), keeps_errors_(keeps_errors), failures_(objects_.size()) {
    Resolve();
  }

  void Slice(const std::vector<Bound>& starts, const std::vector<Bound>& ends) {
    if (starts.size() != objects_.size() || ends.size() != objects_.size()) {
      throw nb::value_error("there must be one start and one end for each object");
    }
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (failures_[i]) continue;
      DownloadSource& source = *objects_[i].known;
      const std::uint64_t start = Clamped(starts[i].value_or(0), source.size);
      const std::uint64_t end = Clamped(ends[i].value_or(static_cast<std::int64_t>(source.size)), source.size);
      if (start == 0 && end == source.size) continue;
      source.offset = start;
      source.size = end > start ? end - start : 0;
      source.crc32c.reset();
    }
  }

  [[nodiscard]] std::size_t count() const { return objects_.size(); }
  [[nodiscard]] std::uint64_t SizeOf(std::size_t index) const {
    return failures_[index] ? 0 : objects_[index].known->size;
  }
  [[nodiscard]] const std::optional<Error>& FailureOf(std::size_t index) const { return failures_[index]; }

  /// `memory` has one destination of SizeOf() for each.
  void Download(const std::vector<std::span<std::byte>>& memory) {
    std::vector<DownloadSource> sources;
    std::vector<std::span<std::byte>> destinations;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (failures_[i] || objects_[i].known->size == 0) continue;
      sources.push_back(*objects_[i].known);
      destinations.push_back(memory[i]);
      indices.push_back(i);
    }
    if (sources.empty()) return;
    const Downloader& downloads = keeps_errors_ ? self_.downloads_with_gaps : self_.downloads;
    const auto objects =
        Call([&](const std::stop_token& stop) { return downloads.Download(sources, destinations, stop); });
    for (const DownloadedObject& object : objects) failures_[indices[object.index]] = object.error;
  }

 private:
  void Resolve() {
    std::map<ObjectName, std::size_t> unknown;  // By name: a batch may name an object many times.
    for (const NamedObject& object : objects_) {
      if (!object.known) unknown.emplace(object.name, 0);
    }
    if (unknown.empty()) return;
    std::vector<const ObjectName*> names;
    for (auto& [name, index] : unknown) {
      index = names.size();
      names.push_back(&name);
    }
    const auto found = RunAll<ObjectMetadata>(
        self_, names.size(), kRequests, keeps_errors_, [&](std::size_t index, const std::stop_token& stop) {
          return self_.client.GetObject(*names[index], {.fields = "size,crc32c", .stop = stop});
        });
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (objects_[i].known) continue;
      const Result<ObjectMetadata>& metadata = *found[unknown[objects_[i].name]];
      if (metadata) {
        objects_[i].known = DownloadSources({&*metadata, 1}).front();
      } else {
        failures_[i] = metadata.error();
      }
    }
  }

  const PythonClient& self_;
  std::vector<NamedObject> objects_;
  const bool keeps_errors_;
  std::vector<std::optional<Error>> failures_;
};

nb::list ReadMany(const PythonClient& self, const nb::typed<nb::iterable, nb::object>& objects,
                  const std::optional<std::vector<Bound>>& starts, const std::optional<std::vector<Bound>>& ends,
                  bool return_errors) {
  Batch batch(self, ToNamedObjects(objects), return_errors);
  if (starts || ends) {
    const std::vector<Bound> open(batch.count());
    batch.Slice(starts.value_or(open), ends.value_or(open));
  }
  std::vector<NewBytes> bytes;
  std::vector<std::span<std::byte>> memory;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    memory.push_back(bytes.emplace_back(NewBytes::OfSize(batch.SizeOf(i))).memory);
  }
  batch.Download(memory);
  nb::list all;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    all.append(batch.FailureOf(i) ? ToException(*batch.FailureOf(i)) : bytes[i].object);
  }
  return all;
}

nb::list ReadManyInto(const PythonClient& self, const nb::typed<nb::iterable, nb::object>& objects,
                      const std::vector<nb::object>& buffers, bool return_errors) {
  Batch batch(self, ToNamedObjects(objects), return_errors);
  if (buffers.size() != batch.count()) throw nb::value_error("there must be one buffer for each object");
  std::vector<Buffer> kept;
  std::vector<std::span<std::byte>> memory;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    const std::span<std::byte> bytes = kept.emplace_back(buffers[i], true).bytes();
    if (bytes.size() < batch.SizeOf(i)) {
      const std::string message = "buffer " + std::to_string(i) + " has " + std::to_string(bytes.size()) +
                                  " bytes, and its object " + std::to_string(batch.SizeOf(i));
      throw nb::value_error(message.c_str());
    }
    memory.push_back(bytes.first(batch.SizeOf(i)));
  }
  batch.Download(memory);
  nb::list all;
  for (std::size_t i = 0; i < batch.count(); ++i) {
    all.append(batch.FailureOf(i) ? ToException(*batch.FailureOf(i)) : nb::int_(batch.SizeOf(i)));
  }
  return all;
}

// ------------------------------------------------------------------------------------- what has no bytes

nb::list StatMany(const PythonClient& self, const nb::typed<nb::iterable, nb::object>& objects, bool return_errors) {
  const auto named = ToNamedObjects(objects);
  return ToList(RunAll<ObjectMetadata>(
      self, named.size(), kRequests, return_errors, [&](std::size_t index, const std::stop_token& stop) {
        return self.client.GetObject(named[index].name, {.generation = named[index].generation(), .stop = stop});
      }));
}

nb::list DeleteMany(const PythonClient& self, const nb::typed<nb::iterable, nb::object>& objects, bool return_errors) {
  const auto named = ToNamedObjects(objects);
  return ToList(
      RunAll<void>(self, named.size(), kRequests, return_errors, [&](std::size_t index, const std::stop_token& stop) {
        return self.client.DeleteObject(named[index].name, {.generation = named[index].generation(), .stop = stop});
      }));
}

nb::list CopyMany(const PythonClient& self, const Pairs& pairs, bool moves, bool return_errors) {
  std::vector<std::pair<NamedObject, ObjectName>> named;
  for (const auto& [source, destination] : pairs) named.emplace_back(ToNamedObject(source), ToName(destination));
  return ToList(RunAll<ObjectMetadata>(
      self, named.size(), kRequests, return_errors, [&](std::size_t index, const std::stop_token& stop) {
        const auto& [source, destination] = named[index];
        if (moves) {
          return self.client.MoveObject(
              source.name, destination,
              {.source_preconditions = {.if_generation_match = source.generation()}, .stop = stop});
        }
        return self.client.RewriteObject(source.name, destination,
                                         {.source_generation = source.generation(), .stop = stop});
      }));
}

// ------------------------------------------------------------------------------------ writes and files

nb::list WriteMany(const PythonClient& self, const Pairs& pairs, bool return_errors, const nb::kwargs& given) {
  Keywords keywords(given);
  const UploadOptions options = TakeUploadOptions(keywords, self.options.upload);
  keywords.Finish("write_many");
  std::vector<std::pair<ObjectName, Buffer>> named;
  for (const auto& [object, data] : pairs) named.emplace_back(ToName(object), Buffer(data, false));
  return ToList(RunAll<ObjectMetadata>(
      self, named.size(), kRequests, return_errors, [&](std::size_t index, const std::stop_token& stop) {
        UploadOptions its = options;
        its.stop = stop;
        return UploadObject(self.client, named[index].first, named[index].second.bytes(), its);
      }));
}

// Many files share the connections and the memory that one would have.
int ShareOf(int all, std::size_t files) { return std::max(1, all / std::clamp(static_cast<int>(files), 1, kFiles)); }

nb::list UploadFiles(const PythonClient& self, const Pairs& pairs, bool return_errors, const nb::kwargs& given) {
  Keywords keywords(given);
  UploadOptions options = TakeUploadOptions(keywords, self.options.upload);
  keywords.Finish("upload_files");
  options.max_concurrency = ShareOf(options.max_concurrency, pairs.size());
  options.part_memory_bytes = std::max<std::uint64_t>(
      options.part_bytes, options.part_memory_bytes / std::clamp<std::uint64_t>(pairs.size(), 1, kFiles));
  std::vector<std::pair<std::string, ObjectName>> named;
  for (const auto& [path, object] : pairs) named.emplace_back(ToLocalPath(path), ToName(object));
  return ToList(RunAll<ObjectMetadata>(self, named.size(), kFiles, return_errors,
                                       [&](std::size_t index, const std::stop_token& stop) -> Result<ObjectMetadata> {
                                         UploadOptions its = options;
                                         its.stop = stop;
                                         auto stored =
                                             UploadFile(self.client, named[index].first, named[index].second, its);
                                         if (!stored) return stored.error();
                                         return std::move(stored->object);
                                       }));
}

nb::list DownloadFiles(const PythonClient& self, const Pairs& pairs, bool return_errors) {
  std::vector<std::pair<NamedObject, std::string>> named;
  for (const auto& [object, path] : pairs) named.emplace_back(ToNamedObject(object), ToLocalPath(path));
  const int connections = ShareOf(DownloadFileOptions().max_concurrency, named.size());
  return ToList(RunAll<std::uint64_t>(self, named.size(), kFiles, return_errors,
                                      [&](std::size_t index, const std::stop_token& stop) -> Result<std::uint64_t> {
                                        const auto& [object, path] = named[index];
                                        const DownloadFileOptions options{.max_concurrency = connections, .stop = stop};
                                        const auto read =
                                            object.known ? DownloadListed(self.client, *object.known, path, options)
                                                         : DownloadFile(self.client, object.name, path, options);
                                        if (!read) return read.error();
                                        return read->bytes;
                                      }));
}

}  // namespace

void BindBatches(ClientClass& client) {
  client
      .def("read_many", ReadMany, "objects"_a, nb::kw_only(), "starts"_a = nb::none(), "ends"_a = nb::none(),
           "return_errors"_a = false,
           "The bytes of many objects, or of object[start:end] for each. What a listing returned is read in one\n"
           "request; for a name, size and generation are requested first. With return_errors, an exception stands in\n"
           "the place of what failed; otherwise the first failure is raised.")
      .def("read_many_into", ReadManyInto, "objects"_a, "buffers"_a, nb::kw_only(), "return_errors"_a = false,
           "Reads whole objects into buffers that are large enough, and returns the sizes.")
      .def("stat_many", StatMany, "objects"_a, nb::kw_only(), "return_errors"_a = false, "The metadata of each.")
      .def("delete_many", DeleteMany, "objects"_a, nb::kw_only(), "return_errors"_a = false,
           "Deletes objects; of a listed one exactly the generation that was listed.")
      .def(
          "copy_many",
          [](const PythonClient& self, const Pairs& pairs, bool return_errors) {
            return CopyMany(self, pairs, false, return_errors);
          },
          "pairs"_a, nb::kw_only(), "return_errors"_a = false, "Copies each (source, destination) at the service.")
      .def(
          "move_many",
          [](const PythonClient& self, const Pairs& pairs, bool return_errors) {
            return CopyMany(self, pairs, true, return_errors);
          },
          "pairs"_a, nb::kw_only(), "return_errors"_a = false, "Gives objects other names in their bucket.")
      .def("write_many", WriteMany, "pairs"_a, nb::kw_only(), "return_errors"_a = false, "options"_a,
           "Stores each (object, data). The options are those of write().")
      .def("upload_files", UploadFiles, "pairs"_a, nb::kw_only(), "return_errors"_a = false, "options"_a,
           "Stores each (path, object). The options are those of write().")
      .def("download_files", DownloadFiles, "pairs"_a, nb::kw_only(), "return_errors"_a = false,
           "Downloads each (object, path), and returns the numbers of bytes fetched.");
}

}  // namespace gcsflux::python
