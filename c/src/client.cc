#include "client.h"

#include "error.h"
#include "gcsflux/version.h"

namespace gcsflux::c {

Result<ObjectName> ObjectOf(const char* uri) {
  auto name = ParseUri(uri);
  if (name && name->name.empty()) return Misused(std::string(uri) + " is a bucket, not an object");
  return name;
}

}  // namespace gcsflux::c

using gcsflux::c::Call;

const char* gcsflux_version(void) { return gcsflux::kVersion; }

gcsflux_error* gcsflux_stop_new(gcsflux_stop** stop) {
  return Call([&]() -> gcsflux::Result<void> {
    *stop = new gcsflux_stop();
    return {};
  });
}

void gcsflux_stop_request(gcsflux_stop* stop) { stop->source.request_stop(); }

void gcsflux_stop_free(gcsflux_stop* stop) { delete stop; }

gcsflux_error* gcsflux_client_new(const gcsflux_option* options, size_t count, gcsflux_client** client) {
  return Call([&]() -> gcsflux::Result<void> {
    auto settings = gcsflux::c::ReadSettings({options, count});
    if (!settings) return settings.error();
    auto made = gcsflux::Client::Create(settings->client);
    if (!made) return made.error();
    gcsflux::Downloader downloader(*made, settings->downloads);
    *client = new gcsflux_client{*std::move(made), *std::move(settings), std::move(downloader)};
    return {};
  });
}

void gcsflux_client_free(gcsflux_client* client) { delete client; }
