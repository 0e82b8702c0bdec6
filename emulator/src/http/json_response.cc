#include "http/json_response.h"

#include <utility>

namespace gcsflux::emulator {

HttpResponse JsonResponse(std::string json) {
  HttpResponse response;
  response.headers.Add("Content-Type", "application/json; charset=UTF-8");
  response.headers.Add("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
  response.body = std::move(json);
  return response;
}

}  // namespace gcsflux::emulator
