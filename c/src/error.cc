#include "error.h"

#include "retry/remedy.h"

namespace gcsflux::c {
namespace {

// Made while the library is loaded; gcsflux_error_free() leaves it alone.
gcsflux_error* const kNoMemory = new gcsflux_error{{ErrorCode::kLocalIo, "out of memory"}, ""};

}  // namespace

gcsflux_error* Wrap(const Error& error) noexcept {
  try {
    const bool is_unknown = error.outcome == WriteOutcome::kUnknown;
    return new gcsflux_error{error, std::string(internal::Remedy(error, error.message, is_unknown))};
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  }
}

}  // namespace gcsflux::c

const char* gcsflux_error_code(const gcsflux_error* error) {
  return gcsflux::ErrorCodeName(error->error.code).data();  // A literal, with its null byte.
}

const char* gcsflux_error_message(const gcsflux_error* error) { return error->error.message.c_str(); }

const char* gcsflux_error_remedy(const gcsflux_error* error) { return error->remedy.c_str(); }

const char* gcsflux_error_outcome(const gcsflux_error* error) {
  switch (error->error.outcome) {
    case gcsflux::WriteOutcome::kStored: return "stored";
    case gcsflux::WriteOutcome::kUnknown: return "unknown";
    case gcsflux::WriteOutcome::kNotStored: break;
  }
  return "not stored";
}

int gcsflux_error_http_status(const gcsflux_error* error) { return error->error.http_status; }

void gcsflux_error_free(gcsflux_error* error) {
  if (error != gcsflux::c::kNoMemory) delete error;
}
