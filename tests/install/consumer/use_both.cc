#include <gcsflux/client.h>
#include <gcsflux/emulator/emulator.h>
#include <gcsflux/upload.h>

int main() {
  gcsflux::emulator::Emulator emulator;
  const auto client = gcsflux::Client::Create({.endpoint = emulator.endpoint()});
  if (!client || !client->InsertBucket("consumer")) return 1;
  if (!gcsflux::UploadObject(*client, {"consumer", "hello"}, gcsflux::AsBytes("world"))) return 1;
  const auto content = client->ReadObject({"consumer", "hello"});
  return content && *content == "world" ? 0 : 1;
}
