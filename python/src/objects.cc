// What the service says of objects and buckets.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>

#include "arguments.h"
#include "bindings.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;
using std::chrono::system_clock;

// A datetime with the time zone UTC.
nb::object ToDatetime(system_clock::time_point time) {
  const nb::module_ datetime = nb::module_::import_("datetime");
  const double seconds = std::chrono::duration<double>(time.time_since_epoch()).count();
  return datetime.attr("datetime").attr("fromtimestamp")(seconds, datetime.attr("timezone").attr("utc"));
}

std::string Described(const std::string& type, const std::string& uri, std::int64_t generation, std::uint64_t size) {
  return "<" + type + " " + uri + "#" + std::to_string(generation) + ", " + std::to_string(size) + " bytes>";
}

void BindObjectMetadata(nb::module_& module) {
  nb::class_<ObjectMetadata>(module, "ObjectMetadata", "The metadata of one generation of an object.")
      .def_prop_ro("uri",
                   [](const ObjectMetadata& object) {
                     return ToUri({object.bucket, object.name});
                   })
      .def_ro("bucket", &ObjectMetadata::bucket)
      .def_ro("name", &ObjectMetadata::name, "Without the bucket.")
      .def_ro("generation", &ObjectMetadata::generation)
      .def_ro("metageneration", &ObjectMetadata::metageneration)
      .def_ro("size", &ObjectMetadata::size, "In bytes, as stored.")
      .def_ro("crc32c", &ObjectMetadata::crc32c, "As a number; None if the service gave none.")
      .def_ro("md5_hash", &ObjectMetadata::md5_hash, "Base64; empty unless stat() was asked for it.")
      .def_ro("etag", &ObjectMetadata::etag)
      .def_ro("content_type", &ObjectMetadata::content_type)
      .def_ro("content_encoding", &ObjectMetadata::content_encoding)
      .def_ro("content_disposition", &ObjectMetadata::content_disposition)
      .def_ro("content_language", &ObjectMetadata::content_language)
      .def_ro("cache_control", &ObjectMetadata::cache_control)
      .def_ro("storage_class", &ObjectMetadata::storage_class)
      .def_ro("event_based_hold", &ObjectMetadata::event_based_hold)
      .def_ro("temporary_hold", &ObjectMetadata::temporary_hold)
      .def_ro("kms_key_name", &ObjectMetadata::kms_key_name)
      .def_ro("component_count", &ObjectMetadata::component_count)
      .def_ro("metadata", &ObjectMetadata::metadata, "The user's own keys and values.")
      .def_prop_ro("time_created", [](const ObjectMetadata& object) { return ToDatetime(object.time_created); })
      .def_prop_ro("updated", [](const ObjectMetadata& object) { return ToDatetime(object.updated); })
      .def("__repr__", [](const ObjectMetadata& object) {
        return Described("ObjectMetadata", ToUri({object.bucket, object.name}), object.generation, object.size);
      });
}

void BindListedObject(nb::module_& module) {
  using Listed = BucketObject;
  nb::class_<Listed>(module, "ListedObject", "An object of a listing: what is needed to read it.")
      .def_prop_ro("uri",
                   [](const Listed& listed) {
                     return ToUri({listed.bucket, listed.object.name});
                   })
      .def_ro("bucket", &Listed::bucket)
      .def_prop_ro(
          "name", [](const Listed& listed) { return listed.object.name; }, "Without the bucket.")
      .def_prop_ro("generation", [](const Listed& listed) { return listed.object.generation; })
      .def_prop_ro(
          "size", [](const Listed& listed) { return listed.object.size; }, "In bytes, as stored.")
      .def_prop_ro("crc32c", [](const Listed& listed) { return listed.object.crc32c; })
      .def_prop_ro("storage_class", [](const Listed& listed) { return listed.object.storage_class.name(); })
      .def_prop_ro("updated", [](const Listed& listed) { return ToDatetime(listed.object.updated); })
      .def("__repr__", [](const Listed& listed) {
        const auto& [bucket, object] = listed;
        return Described("ListedObject", ToUri({bucket, object.name}), object.generation, object.size);
      });
}

void BindBucketMetadata(nb::module_& module) {
  nb::class_<BucketMetadata>(module, "BucketMetadata", "The metadata of a bucket.")
      .def_ro("name", &BucketMetadata::name)
      .def_ro("location", &BucketMetadata::location)
      .def_ro("storage_class", &BucketMetadata::storage_class)
      .def_ro("metageneration", &BucketMetadata::metageneration)
      .def_ro("has_versioning", &BucketMetadata::has_versioning)
      .def_ro("has_hierarchical_namespace", &BucketMetadata::has_hierarchical_namespace)
      .def_prop_ro("time_created", [](const BucketMetadata& bucket) { return ToDatetime(bucket.time_created); })
      .def_prop_ro("updated", [](const BucketMetadata& bucket) { return ToDatetime(bucket.updated); })
      .def("__repr__", [](const BucketMetadata& bucket) { return "<BucketMetadata gs://" + bucket.name + ">"; });
}

}  // namespace

void BindObjects(nb::module_& module) {
  BindObjectMetadata(module);
  BindListedObject(module);
  BindBucketMetadata(module);
}

}  // namespace gcsflux::python
