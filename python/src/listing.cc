// Listings.
#include "gcsflux/listing.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arguments.h"
#include "bindings.h"
#include "calls.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

nb::list List(const PythonClient& self, nb::handle prefix, const nb::kwargs& given) {
  const ObjectName name = ToName(prefix);
  Keywords keywords(given);
  ParallelListOptions options;
  keywords.Take("start_offset", options.start_offset);
  keywords.Take("end_offset", options.end_offset);
  keywords.Take("limit", options.limit);
  keywords.Take("max_concurrency", options.max_concurrency);
  keywords.Take("include_directory_markers", options.include_directory_markers);
  keywords.Take("skip_composites", options.skip_composites);
  keywords.Finish("list");
  Listing listing = Call([&](const std::stop_token& stop) {
    options.stop = stop;
    return ListInParallel(self.client, name, options);
  });
  nb::list all;
  for (ListedObject& object : listing.objects) all.append(BucketObject{name.bucket, std::move(object)});
  return all;
}

std::pair<std::vector<ObjectMetadata>, std::vector<std::string>> ListDirectory(const PythonClient& self,
                                                                               nb::handle prefix,
                                                                               const nb::kwargs& given) {
  const ObjectName name = ToName(prefix);
  Keywords keywords(given);
  ListOptions options{.delimiter = "/"};
  keywords.Take("delimiter", options.delimiter);
  keywords.Take("start_offset", options.start_offset);
  keywords.Take("end_offset", options.end_offset);
  keywords.Take("match_glob", options.match_glob);
  keywords.Take("versions", options.versions);
  keywords.Take("max_results", options.max_results);
  keywords.Finish("list_directory");
  ObjectListing listing = Call([&](const std::stop_token& stop) {
    options.stop = stop;
    return ListPrefix(self.client, name, options);
  });
  return {std::move(listing.objects), std::move(listing.prefixes)};
}

}  // namespace

void BindListing(ClientClass& client) {
  client
      .def("list", List, "prefix"_a, "options"_a,
           "All objects under a prefix, in order of their names, by many calls at the same time. Options:\n"
           "start_offset, end_offset, limit, max_concurrency, include_directory_markers, skip_composites.")
      .def("list_directory", ListDirectory, "prefix"_a, "options"_a,
           "The objects and the prefixes of one directory level: the prefix ends with \"/\", or is a bucket. Options:\n"
           "delimiter (\"\" lists all levels), start_offset, end_offset, match_glob, versions, max_results of a page.");
}

}  // namespace gcsflux::python
