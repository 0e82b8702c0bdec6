#include "arguments.h"

#include <nanobind/stl/string.h>

#include <string_view>
#include <utility>

#include "errors.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;

std::string_view WithoutScheme(std::string_view text) {
  for (const std::string_view scheme : {"gs://", "gcs://", "gcsflux://"}) {
    if (text.starts_with(scheme)) return text.substr(scheme.size());
  }
  return text;
}

}  // namespace

std::string ToText(nb::handle path) {
  const nb::object text = nb::steal(PyOS_FSPath(path.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  if (nb::isinstance<nb::str>(text)) {
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 == nullptr) throw nb::python_error();
    return {utf8, static_cast<std::size_t>(size)};
  }
  const nb::bytes bytes(text);
  return {bytes.c_str(), bytes.size()};
}

ObjectName ToName(nb::handle path) { return ValueOf(ParseUri("gs://" + std::string(WithoutScheme(ToText(path))))); }

NamedObject ToNamedObject(nb::handle object) {
  if (nb::isinstance<BucketObject>(object)) {
    const auto& [bucket, listed] = nb::cast<const BucketObject&>(object);
    auto source = DownloadSources(bucket, {&listed, 1}).front();
    return {source.object, source};
  }
  if (nb::isinstance<ObjectMetadata>(object)) {
    auto source = DownloadSources({&nb::cast<const ObjectMetadata&>(object), 1}).front();
    return {source.object, source};
  }
  return {ToName(object)};
}

Buffer::Buffer(nb::handle owner, bool is_written) {
  const int flags = is_written ? PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_C_CONTIGUOUS;
  if (PyObject_GetBuffer(owner.ptr(), &view_, flags) == 0) return;
  if (PyErr_ExceptionMatches(PyExc_BufferError) == 0) throw nb::python_error();
  PyErr_Clear();
  PyErr_Format(PyExc_BufferError, "the memory of a '%s' must be contiguous%s", Py_TYPE(owner.ptr())->tp_name,
               is_written ? " and writable" : "");
  throw nb::python_error();
}

Buffer::Buffer(Buffer&& other) noexcept : view_(std::exchange(other.view_, Py_buffer{})) {}

Buffer::~Buffer() {
  if (view_.obj != nullptr) PyBuffer_Release(&view_);
}

NewBytes NewBytes::OfSize(std::size_t size) {
  nb::object bytes = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!bytes.is_valid()) throw nb::python_error();
  auto* const memory = reinterpret_cast<std::byte*>(PyBytes_AS_STRING(bytes.ptr()));
  return {std::move(bytes), {memory, size}};
}

}  // namespace gcsflux::python
