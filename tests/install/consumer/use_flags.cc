#include <gcsflux/flags.h>

int main() {
  const char* const line[] = {"consumer", "--endpoint=http://127.0.0.1:1", "rest"};
  const auto rest = gcsflux::ParseFlags(3, line);
  const auto options = gcsflux::ClientOptionsFromFlags();
  return rest && rest->size() == 1 && options && options->endpoint == "http://127.0.0.1:1" ? 0 : 1;
}
