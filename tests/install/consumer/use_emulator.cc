#include <gcsflux/emulator/emulator.h>

int main() {
  const gcsflux::emulator::Emulator emulator;
  return emulator.endpoint().starts_with("http://127.0.0.1:") ? 0 : 1;
}
