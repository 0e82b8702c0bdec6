#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "admin/admin_document.h"
#include "gcsflux/emulator/clock.h"
#include "http/api_error.h"
#include "http/http_message.h"
#include "http/target.h"
#include "journal/journal.h"
#include "journal/request_counters.h"
#include "store/buckets/store.h"

namespace gcsflux::emulator {

/// What the admin endpoints show and change. All of it must outlive them.
struct AdminSubject {
  const Clock& clock;
  Store& store;
  Journal& journal;
  RequestCounters& counters;
  std::function<Outcome<void>()> reset;
  std::function<Outcome<void>(const std::string&)> take_snapshot;  ///< Under this name; replaces one of the same name.
  std::function<Outcome<void>(const std::string&)> restore_snapshot;
  std::function<std::size_t()> count_connections;
  std::filesystem::path seed_root;  ///< Buckets may be seeded from directories below it. If empty, from none.
  std::string token;                ///< Required, but for health. If empty, none is.
  std::vector<AdminDocument> documents = {};
};

/// The emulator's own endpoints, below /_emulator/, where GCS has none. Thread-safe.
///
/// No bucket's name begins with '_', so they hide nothing.
class AdminEndpoints final : public RequestHandler {
 public:
  /// Every other request goes to `next`, which must outlive it.
  AdminEndpoints(AdminSubject subject, RequestHandler& next) : subject_(std::move(subject)), next_(next) {}

  HttpResponse Handle(const HttpRequest& request, RequestBody& body) override;

 private:
  struct Endpoint;
  ApiResult<HttpResponse> Answer(const HttpRequest& request, RequestBody& body);
  [[nodiscard]] bool IsAuthorized(const HttpRequest& request, std::string_view path) const;
  ApiResult<HttpResponse> AnswerDocument(const AdminDocument& document, std::string_view method, RequestBody& body);
  ApiResult<HttpResponse> Health(const Target& target, RequestBody& body);
  ApiResult<HttpResponse> Reset(const Target& target, RequestBody& body);
  ApiResult<HttpResponse> TakeSnapshot(const Target& target, RequestBody& body);
  ApiResult<HttpResponse> RestoreSnapshot(const Target& target, RequestBody& body);
  ApiResult<HttpResponse> Seed(const Target& target, RequestBody& body);
  ApiResult<HttpResponse> ShowCounters(const Target& target, RequestBody& body);
  ApiResult<HttpResponse> ShowJournal(const Target& target, RequestBody& body);
  ApiResult<HttpResponse> ShowAssertions(const Target& target, RequestBody& body);
  ApiResult<HttpResponse> ShowMetrics(const Target& target, RequestBody& body);

  const AdminSubject subject_;
  RequestHandler& next_;
};

}  // namespace gcsflux::emulator
