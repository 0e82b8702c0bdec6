// Stores, lists and reads an object: in an emulator inside this process, or, as `quickstart BUCKET`, in a bucket of
// yours. Flags say who to be, what to log, how to retry and so on: `quickstart --help`.
#include <iostream>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/flags.h"
#include "gcsflux/listing.h"
#include "standard_streams.h"

namespace {

int Fail(const gcsflux::Error& error) {
  std::cerr << error.message + "\n";
  return 1;
}

int StoreListAndRead(const gcsflux::Client& client, const std::string& bucket) {
  const auto stored = client.InsertObject({bucket, "notes/hello.txt"}, gcsflux::AsBytes("Hello, bucket!"));
  if (!stored) return Fail(stored.error());
  const auto listing = gcsflux::ListPrefix(client, {bucket, "notes/"});
  if (!listing) return Fail(listing.error());
  for (const gcsflux::ObjectMetadata& object : listing->objects) {
    const auto text = client.ReadObject({object.bucket, object.name});
    if (!text) return Fail(text.error());
    std::cout << object.name << ", " << object.size << " bytes: " << *text << "\n";
  }
  return 0;
}

int RunInEmulator(gcsflux::ClientOptions options) {
  const gcsflux::emulator::Emulator emulator;
  options.endpoint = emulator.endpoint();
  const auto client = gcsflux::Client::Create(options);
  if (!client) return Fail(client.error());
  if (const auto bucket = client->InsertBucket("my-bucket"); !bucket) return Fail(bucket.error());
  return StoreListAndRead(*client, "my-bucket");
}

int Run(int argc, char** argv) {
  const auto arguments = gcsflux::ParseFlags(argc, argv);
  if (!arguments) return Fail(arguments.error());
  if (gcsflux::HelpRequested()) {
    std::cout << "quickstart [flags] [BUCKET]\n" << gcsflux::FlagsHelp(__FILE__);
    return 0;
  }
  const auto options = gcsflux::ClientOptionsFromFlags();
  if (!options) return Fail(options.error());
  if (arguments->empty()) return RunInEmulator(*options);
  const auto client = gcsflux::Client::Create(*options);
  return client ? StoreListAndRead(*client, arguments->front()) : Fail(client.error());
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  return examples::FlushOutput("quickstart", Run(argc, argv));
}
