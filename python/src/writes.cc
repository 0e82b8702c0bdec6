// Writes of one object.
#include <nanobind/stl/string.h>

#include <string>

#include "arguments.h"
#include "bindings.h"
#include "calls.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

ObjectMetadata Write(const PythonClient& self, nb::handle object, nb::handle data, const nb::kwargs& given) {
  const ObjectName name = ToName(object);
  Keywords keywords(given);
  UploadOptions options = TakeUploadOptions(keywords, self.options.upload);
  keywords.Finish("write");
  const Buffer buffer(data, false);
  return Call([&](const std::stop_token& stop) {
    options.stop = stop;
    return UploadObject(self.client, name, buffer.bytes(), options);
  });
}

ObjectMetadata UploadFrom(const PythonClient& self, nb::handle path, nb::handle object, const nb::kwargs& given) {
  const std::string local = ToLocalPath(path);
  const ObjectName name = ToName(object);
  Keywords keywords(given);
  UploadOptions options = TakeUploadOptions(keywords, self.options.upload);
  keywords.Finish("upload_file");
  return Call([&](const std::stop_token& stop) {
           options.stop = stop;
           return UploadFile(self.client, local, name, options);
         })
      .object;
}

}  // namespace

void BindWrites(ClientClass& client) {
  client
      .def("write", Write, "object"_a, "data"_a, "options"_a,
           "Stores a buffer as one object, whole or not at all. Options: mode (\"overwrite\", \"create\", or "
           "\"replace\"\n"
           "with the generation that it replaces), content_type, content_encoding, content_disposition,\n"
           "content_language, cache_control, storage_class, metadata, kms_key_name, write_path, part_bytes and "
           "others.\n\n"
           "Retries cannot store twice. GcsfluxError.outcome says whether a write that failed was stored.")
      .def("upload_file", UploadFrom, "path"_a, "object"_a, "options"_a,
           "Stores a regular file, over many connections. The options are those of write().");
}

}  // namespace gcsflux::python
