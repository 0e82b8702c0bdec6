#include <mutex>
#include <string>
#include <vector>

#include "client.h"
#include "error.h"
#include "gcsflux/flags.h"
#include "gflags/gflags.h"

namespace gcsflux::c {
namespace {

// While it exists, the flags have the values of one client's options; then their defaults again.
class FlagValues {
 public:
  FlagValues() : lock_(mutex()) {}
  FlagValues(const FlagValues&) = delete;
  FlagValues& operator=(const FlagValues&) = delete;
  ~FlagValues() { gflags::ResetFlags(); }

  static Result<void> Set(std::span<const gcsflux_option> options) {
    std::vector<std::string> words{"gcsflux"};
    for (const gcsflux_option& option : options) {
      if (option.name == nullptr || option.value == nullptr) return Misused("an option without a name or a value");
      words.push_back("--" + std::string(option.name) + "=" + option.value);
    }
    std::vector<const char*> line;
    for (const std::string& word : words) line.push_back(word.c_str());
    const auto parsed = ParseFlags(static_cast<int>(line.size()), line.data());
    return parsed ? Result<void>() : parsed.error();
  }

 private:
  static std::mutex& mutex() {
    static auto& mutex = *new std::mutex();
    return mutex;
  }
  std::scoped_lock<std::mutex> lock_;
};

}  // namespace

Result<Settings> ReadSettings(std::span<const gcsflux_option> options) {
  const FlagValues values;
  if (auto set = FlagValues::Set(options); !set) return set.error();
  auto client = ClientOptionsFromFlags();
  if (!client) return client.error();
  auto dataset = DatasetOptionsFromFlags();
  if (!dataset) return dataset.error();
  auto uploads = UploadOptionsFromFlags();
  if (!uploads) return uploads.error();
  auto reads = ObjectReaderOptionsFromFlags();
  if (!reads) return reads.error();
  return Settings{.client = *std::move(client),
                  .downloads = std::move(dataset->download),
                  .uploads = *std::move(uploads),
                  .reads = *std::move(reads),
                  .lists = std::move(dataset->listing)};
}

}  // namespace gcsflux::c
