// gcsflux.Client: options, buckets, and what is about one object without its bytes.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arguments.h"
#include "bindings.h"
#include "calls.h"
#include "gcsflux/signed_url.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

nb::dict CopyOf(const nb::kwargs& options) { return nb::cast<nb::dict>(options.attr("copy")()); }

Options OptionsOf(const nb::dict& given) {
  Keywords keywords(nb::borrow<nb::kwargs>(given.attr("copy")()));
  Options options = TakeClientOptions(keywords);
  keywords.Finish("Client");
  return options;
}

DownloaderOptions WithGaps(DownloaderOptions options) {
  options.delivers_failures = true;
  return options;
}

std::string BucketOf(nb::handle path) { return ToName(path).bucket; }

void BindBuckets(ClientClass& client) {
  client
      .def(
          "create_bucket",
          [](const PythonClient& self, nb::handle bucket, const nb::kwargs& options) {
            Keywords keywords(options);
            BucketOptions made = TakeBucketOptions(keywords);
            keywords.Finish("create_bucket");
            return Call([&, name = BucketOf(bucket)](const std::stop_token& stop) {
              made.stop = stop;
              return self.client.InsertBucket(name, made);
            });
          },
          "bucket"_a, "options"_a,
          "Makes a bucket. Options: location, storage_class, hierarchical_namespace, soft_delete_retention_s.\n\n"
          "Raises AlreadyExistsError if the name is taken.")
      .def(
          "get_bucket",
          [](const PythonClient& self, nb::handle bucket) {
            return Call([&, name = BucketOf(bucket)](const std::stop_token& stop) {
              return self.client.GetBucket(name, {.stop = stop});
            });
          },
          "bucket"_a, "The metadata of a bucket.")
      .def(
          "list_buckets",
          [](const PythonClient& self, const std::string& prefix) {
            return Call(
                [&](const std::stop_token& stop) { return self.client.ListBuckets({.prefix = prefix, .stop = stop}); });
          },
          "prefix"_a = "", "The buckets of the project.")
      .def(
          "delete_bucket",
          [](const PythonClient& self, nb::handle bucket) {
            Call([&, name = BucketOf(bucket)](const std::stop_token& stop) {
              return self.client.DeleteBucket(name, {.stop = stop});
            });
          },
          "bucket"_a, "Deletes a bucket that is empty.");
}

void BindMetadata(ClientClass& client) {
  client
      .def(
          "stat",
          [](const PythonClient& self, nb::handle object, std::optional<std::int64_t> generation, bool with_md5_hash) {
            const ObjectName name = ToName(object);
            return Call([&](const std::stop_token& stop) {
              return self.client.GetObject(name,
                                           {.with_md5_hash = with_md5_hash, .generation = generation, .stop = stop});
            });
          },
          "object"_a, nb::kw_only(), "generation"_a = nb::none(), "with_md5_hash"_a = false,
          "The metadata of an object, or of one of its generations.")
      .def(
          "patch",
          [](const PythonClient& self, nb::handle object, const nb::kwargs& changes) {
            Keywords keywords(changes);
            const ObjectChanges changed = TakeChanges(keywords);
            const Preconditions preconditions = TakePreconditions(keywords);
            keywords.Finish("patch");
            const ObjectName name = ToName(object);
            return Call([&](const std::stop_token& stop) {
              return self.client.PatchObject(name, changed, {.preconditions = preconditions, .stop = stop});
            });
          },
          "object"_a, "changes"_a,
          "Changes attributes of an object: content_type, content_encoding, content_disposition, content_language,\n"
          "cache_control, event_based_hold, temporary_hold, metadata. In metadata, a value of None removes the key.")
      .def(
          "delete",
          [](const PythonClient& self, nb::handle object, std::optional<std::int64_t> generation) {
            const NamedObject named = ToNamedObject(object);
            if (!generation) generation = named.generation();
            Call([&](const std::stop_token& stop) {
              return self.client.DeleteObject(named.name, {.generation = generation, .stop = stop});
            });
          },
          "object"_a, nb::kw_only(), "generation"_a = nb::none(),
          "Deletes an object; of a listed one exactly the generation that was listed.")
      .def(
          "sign",
          [](const PythonClient& self, nb::handle object, const std::string& method, double lifetime_s,
             std::map<std::string, std::string> headers, std::map<std::string, std::string> query,
             const std::string& service_account) {
            SignedUrlOptions options{.method = method,
                                     .lifetime = std::chrono::seconds(static_cast<std::int64_t>(lifetime_s)),
                                     .headers = std::move(headers),
                                     .query = std::move(query),
                                     .service_account = service_account};
            const ObjectName name = ToName(object);
            return Call([&](const std::stop_token& stop) {
              options.stop = stop;
              return SignUrl(self.client, name, options);
            });
          },
          "object"_a, nb::kw_only(), "method"_a = "GET", "lifetime_s"_a = 900.0,
          "headers"_a = std::map<std::string, std::string>(), "query"_a = std::map<std::string, std::string>(),
          "service_account"_a = "",
          "A URL that allows one kind of request on the object without credentials until it expires. It is a secret.");
}

void BindCopies(ClientClass& client) {
  client
      .def(
          "copy",
          [](const PythonClient& self, nb::handle source, nb::handle destination, const nb::kwargs& options) {
            Keywords keywords(options);
            CopyObjectOptions copy{.preconditions = TakePreconditions(keywords)};
            keywords.Finish("copy");
            const NamedObject from = ToNamedObject(source);
            const ObjectName to = ToName(destination);
            copy.source_generation = from.generation();
            return Call([&](const std::stop_token& stop) {
              copy.stop = stop;
              return self.client.RewriteObject(from.name, to, copy);
            });
          },
          "source"_a, "destination"_a, "options"_a,
          "Copies an object at the service. Options: if_generation_match and the other preconditions, of the\n"
          "destination. Retried only with if_generation_match, unless idempotency says otherwise.")
      .def(
          "move",
          [](const PythonClient& self, nb::handle source, nb::handle destination) {
            const NamedObject from = ToNamedObject(source);
            const ObjectName to = ToName(destination);
            CopyObjectOptions options{.source_preconditions = {.if_generation_match = from.generation()}};
            return Call([&](const std::stop_token& stop) {
              options.stop = stop;
              return self.client.MoveObject(from.name, to, options);
            });
          },
          "source"_a, "destination"_a, "Gives an object another name in its bucket, in one step.")
      .def(
          "compose",
          [](const PythonClient& self, const std::vector<std::string>& sources, nb::handle destination,
             const std::string& content_type, std::optional<std::int64_t> if_generation_match) {
            const ObjectName to = ToName(destination);
            std::vector<ComposeSource> parts;
            for (const std::string& source : sources) {
              const ObjectName from = ToName(nb::str(source.data(), source.size()));
              if (from.bucket != to.bucket) {
                Raise({ErrorCode::kInvalidArgument, ToUri(from) + " and " + ToUri(to) + " must be in one bucket"});
              }
              parts.push_back({.name = from.name});
            }
            ComposeObjectsOptions options{.preconditions = {.if_generation_match = if_generation_match},
                                          .attributes = {.content_type = content_type}};
            return Call([&](const std::stop_token& stop) {
              options.stop = stop;
              return self.client.ComposeObjects(parts, to, options);
            });
          },
          "sources"_a, "destination"_a, nb::kw_only(), "content_type"_a = "application/octet-stream",
          "if_generation_match"_a = nb::none(), "Joins 1 to 32 objects of one bucket without moving their bytes.");
}

nb::dict CountersOf(const PythonClient& self) {
  const Counters counters = self.client.counters();
  nb::dict all;
  all["calls"] = counters.calls;
  all["failures"] = counters.failures;
  all["requests"] = counters.requests;
  all["class_a_operations"] = counters.class_a_operations;
  all["class_b_operations"] = counters.class_b_operations;
  all["retries"] = counters.retries;
  all["throttled"] = counters.throttled;
  all["stalls"] = counters.stalls;
  all["hedges"] = counters.hedges;
  all["reads_resumed"] = counters.reads_resumed;
  all["unverified_reads"] = counters.unverified_reads;
  all["bytes_sent"] = counters.bytes_sent;
  all["bytes_received"] = counters.bytes_received;
  return all;
}

}  // namespace

PythonClient::PythonClient(const nb::kwargs& keywords)
    : given(CopyOf(keywords)),
      options(OptionsOf(given)),
      handles_([this] {
        Client made = ValueOf(Client::Create(options.client));
        return std::make_unique<const Handles>(made, Downloader(made, options.download),
                                               Downloader(made, WithGaps(options.download)));
      }()),
      client(handles_->client),
      downloads(handles_->downloads),
      downloads_with_gaps(handles_->downloads_with_gaps) {}

PythonClient::~PythonClient() {
  ReleaseUnlocked([this] { handles_.reset(); });  // It may wait for what is being deleted.
}

ClientClass BindClient(nb::module_& module) {
  ClientClass client(
      module, "Client",
      "Google Cloud Storage. Options are keywords with the names of the command's flags: endpoint, credentials,\n"
      "project, max_concurrency, download_retry_deadline_s and others; docs/python/README.md has all.\n\n"
      "Makes no request. Objects are named by str, bytes or os.PathLike, as gs://bucket/name or bucket/name; where a\n"
      "call takes an object, also by what a listing returned. Thread-safe. All calls release Python's lock, and "
      "Ctrl-C\n"
      "stops them. A client can be pickled, and works in a child of fork(), with connections of its own.");
  client.def(
      "__init__", [](PythonClient* self, const nb::kwargs& options) { new (self) PythonClient(options); }, "options"_a);
  client.def("__getstate__", [](const PythonClient& self) { return self.given; });
  client.def("__setstate__", [](PythonClient& self, const nb::dict& state) {
    new (&self) PythonClient(nb::borrow<nb::kwargs>(state));
  });
  client.def("counters", CountersOf, "What this client has done so far in this process.");
  BindBuckets(client);
  BindMetadata(client);
  BindCopies(client);
  return client;
}

}  // namespace gcsflux::python
