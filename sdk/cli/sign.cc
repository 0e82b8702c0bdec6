#include <gflags/gflags.h>

#include "cli/arguments/duration.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "gcsflux/signed_url.h"

DECLARE_bool(json);
DECLARE_string(content_type);
DEFINE_string(duration, "1h", "How long the URL works: 10m, 1h, 7d (the most).");
DEFINE_string(method, "GET", "What the URL allows: GET, HEAD, PUT, DELETE, or POST (starts a resumable upload).");
DEFINE_string(as_account, "", "E-mail of the service account that signs. If empty, the credential's own.");

namespace gcsflux::cli {
namespace {

Result<void> Sign(const Client& client, const std::vector<std::string>& uris) {
  const auto lifetime = DurationOfFlag("duration", FLAGS_duration);
  if (!lifetime) return lifetime.error();
  SignedUrlOptions options{
      .method = FLAGS_method, .lifetime = *lifetime, .service_account = FLAGS_as_account, .stop = StopOnSignal()};
  if (!FLAGS_content_type.empty()) options.headers["Content-Type"] = FLAGS_content_type;
  const auto objects = ObjectsOf(client, uris, options.stop);
  if (!objects) return objects.error();
  for (const NamedObject& named : *objects) {
    options.query.clear();
    if (named.generation) options.query["generation"] = std::to_string(*named.generation);
    const auto url = SignUrl(client, named.object, options);
    if (!url) return url.error();
    PrintLine(FLAGS_json ? JsonObject().Add("uri", UriOf(named)).Add("url", *url).text() : *url);
  }
  return {};
}

constexpr CommandFlag kSignFlags[] = {{"duration", "d"},
                                      {"method"},
                                      {"content_type", "", "The Content-Type that the request must have."},
                                      {"as_account"},
                                      {"json"}};

}  // namespace

constinit const Command kSign = {
    .name = "sign",
    .arguments = "gs://BUCKET/OBJECT...",
    .summary = "Print URLs that allow one kind of request without credentials.",
    .details = "Anyone who has a URL can use it until it expires. The credential needs a service account.\n",
    .flags = kSignFlags,
    .run = Sign,
};

}  // namespace gcsflux::cli
