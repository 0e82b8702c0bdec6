#include "network/refusal.h"

#include <variant>

#include "http/json_error.h"

namespace gcsflux::emulator {

std::string RenderRefusal(std::string_view status, const ApiError& error) {
  const HttpResponse response = ErrorResponse(error);
  const auto& body = std::get<std::string>(response.body);
  return "HTTP/1.1 " + std::string(status) +
         "\r\nConnection: close\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace gcsflux::emulator
