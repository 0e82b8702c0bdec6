#include "admin/console.h"

#include <algorithm>
#include <string>

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kPage = "console.html";

std::string_view TypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  return name.ends_with(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
}

}  // namespace

std::optional<HttpResponse> ConsoleResponse(std::string_view path) {
  const std::string_view name = path.empty() ? kPage : path;
  const std::span<const ConsoleFile> files = ConsoleFiles();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const ConsoleFile& file) { return file.name == name; });
  if (found == files.end()) return std::nullopt;
  HttpResponse response;
  response.headers.Add("Content-Type", std::string(TypeOf(name)));
  response.headers.Add("Cache-Control", "no-store");
  // Nothing from elsewhere, no script in the page itself, no frame around it. Previews of images are blobs.
  response.headers.Add(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src blob: data:; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.headers.Add("X-Content-Type-Options", "nosniff");
  response.headers.Add("Referrer-Policy", "same-origin");
  response.body = std::string(found->text);
  return response;
}

}  // namespace gcsflux::emulator
