// Stores, lists and reads an object, here in an emulator inside this process.
#include <iostream>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"

namespace {

int Fail(const gcsflux::Error& error) {
  std::cerr << error.message << "\n";
  return 1;
}

}  // namespace

int main() {
  const gcsflux::emulator::Emulator emulator;  // For the real service: a Client without .endpoint, and your bucket.
  const auto client = gcsflux::Client::Create({.endpoint = emulator.endpoint()});
  if (!client) return Fail(client.error());
  if (const auto bucket = client->InsertBucket("my-bucket"); !bucket) return Fail(bucket.error());

  const auto stored = client->InsertObject({"my-bucket", "notes/hello.txt"}, gcsflux::AsBytes("Hello, bucket!"));
  if (!stored) return Fail(stored.error());
  const auto listing = gcsflux::ListPrefix(*client, {"my-bucket", "notes/"});
  if (!listing) return Fail(listing.error());
  for (const gcsflux::ObjectMetadata& object : listing->objects) {
    const auto text = client->ReadObject({object.bucket, object.name});
    if (!text) return Fail(text.error());
    std::cout << object.name << ", " << object.size << " bytes: " << *text << "\n";
  }
}
