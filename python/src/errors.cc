#include "errors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <string>

namespace gcsflux::python {
namespace {

namespace nb = nanobind;

struct ExceptionClass {
  const char* name;
  PyObject** python_base;  // Beside GcsfluxError; null if there is none.
  const char* doc;
};

constexpr std::size_t kBase = 0;
const ExceptionClass kClasses[] = {
    {"GcsfluxError", nullptr,
     "A call of gcsflux failed.\n\n"
     "code: what a program compares, such as \"NOT_FOUND\".\n"
     "outcome: whether a write took effect: \"stored\", \"not_stored\" or \"unknown\".\n"
     "http_status: the status of the answer; 0 if the failure was not an answer.\n"
     "reason: the service's own reason, such as \"conditionNotMet\"; may be empty."},
    {"NotFoundError", &PyExc_FileNotFoundError, "There is no such bucket or object."},
    {"AlreadyExistsError", &PyExc_FileExistsError, "The name is taken, or a precondition did not hold."},
    {"PermissionDeniedError", &PyExc_PermissionError, "The service refused the caller."},
    {"InvalidArgumentError", &PyExc_ValueError, "The call itself is wrong."},
    {"UnavailableError", &PyExc_TimeoutError, "A temporary failure did not pass before the deadline of its retries."},
    {"UnreachableError", &PyExc_ConnectionError, "There is no connection to the service."},
    {"CancelledError", &PyExc_InterruptedError, "The call was stopped."},
    {"CorruptedError", nullptr, "Bytes do not match their checksum or their length."},
};

enum Class { kGcsflux, kNotFound, kExists, kPermission, kArgument, kUnavailable, kUnreachable, kCancelled, kCorrupted };

struct CodeClass {
  ErrorCode code;
  Class exception;
  int number;  // errno, which an OSError has.
};

constexpr CodeClass kOfCodes[] = {
    {ErrorCode::kInvalidArgument, kArgument, EINVAL},
    {ErrorCode::kUnauthenticated, kPermission, EACCES},
    {ErrorCode::kTokenUnavailable, kUnavailable, ETIMEDOUT},
    {ErrorCode::kPermissionDenied, kPermission, EACCES},
    {ErrorCode::kNotFound, kNotFound, ENOENT},
    {ErrorCode::kAlreadyExists, kExists, EEXIST},
    {ErrorCode::kBucketNotEmpty, kGcsflux, ENOTEMPTY},
    {ErrorCode::kPreconditionFailed, kExists, EEXIST},
    {ErrorCode::kOutOfRange, kArgument, EINVAL},
    {ErrorCode::kRateLimited, kUnavailable, ETIMEDOUT},
    {ErrorCode::kUnavailable, kUnavailable, ETIMEDOUT},
    {ErrorCode::kUnreachable, kUnreachable, ECONNREFUSED},
    {ErrorCode::kProxyFailed, kUnreachable, ECONNREFUSED},
    {ErrorCode::kTlsFailed, kUnreachable, ECONNREFUSED},
    {ErrorCode::kTruncated, kCorrupted, EIO},
    {ErrorCode::kCancelled, kCancelled, EINTR},
    {ErrorCode::kCorrupted, kCorrupted, EIO},
    {ErrorCode::kUnverified, kCorrupted, EIO},
    {ErrorCode::kAborted, kGcsflux, ESTALE},
    {ErrorCode::kEmptyPrefix, kNotFound, ENOENT},
};

// Borrowed from the module, which lives as long as the interpreter.
std::array<PyObject*, std::size(kClasses)> made_classes{};

const char* OutcomeName(WriteOutcome outcome) {
  switch (outcome) {
    case WriteOutcome::kStored: return "stored";
    case WriteOutcome::kNotStored: return "not_stored";
    case WriteOutcome::kUnknown: return "unknown";
  }
  return "unknown";
}

}  // namespace

void BindErrors(nb::module_& module) {
  for (std::size_t i = 0; i < std::size(kClasses); ++i) {
    const auto& [name, python_base, doc] = kClasses[i];
    nb::object bases = nb::borrow(i == kBase ? PyExc_OSError : made_classes[kBase]);
    if (python_base != nullptr) bases = nb::make_tuple(bases, nb::borrow(*python_base));
    const std::string full_name = std::string("gcsflux.") + name;
    made_classes[i] = PyErr_NewExceptionWithDoc(full_name.c_str(), doc, bases.ptr(), nullptr);
    if (made_classes[i] == nullptr) throw nb::python_error();
    module.attr(name) = nb::borrow(made_classes[i]);
  }
}

nb::object ToException(const Error& error) {
  const auto* const row = std::ranges::find(kOfCodes, error.code, &CodeClass::code);
  const bool is_known = row != std::end(kOfCodes);
  const nb::handle made(made_classes[is_known ? row->exception : kGcsflux]);
  nb::object exception = made(is_known ? row->number : EIO, nb::str(error.message.data(), error.message.size()));
  const std::string_view code = ErrorCodeName(error.code);
  exception.attr("code") = nb::str(code.data(), code.size());
  exception.attr("outcome") = OutcomeName(error.outcome);
  exception.attr("http_status") = error.http_status;
  exception.attr("reason") = nb::str(error.reason.data(), error.reason.size());
  return exception;
}

void Raise(const Error& error) {
  const nb::object exception = ToException(error);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

}  // namespace gcsflux::python
