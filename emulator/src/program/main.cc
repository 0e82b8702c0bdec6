// gcsflux-emulator: Google Cloud Storage in memory or in a directory, as a process of its own.

#include <gflags/gflags.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "gcsflux/emulator/emulator.h"
#include "program/standard_streams.h"
#include "program/traffic_flags.h"

DEFINE_string(host, "127.0.0.1",
              "Address to listen on. Change it only on a network that you trust: every client that reaches it may read "
              "and write everything.");
DEFINE_uint32(port, 0, "Port to listen on; 0 takes any free port. Set it if clients are configured in advance.");
DEFINE_string(tls_cert, "",
              "File with the server's certificate chain in PEM. With it, the emulator serves HTTPS only. Requires "
              "--tls_key. Set it for clients that require TLS.");
DEFINE_string(tls_key, "", "File with that certificate's private key in PEM, without a passphrase.");
DEFINE_string(tls_client_ca, "",
              "File with the authorities, in PEM, that sign the certificates of clients. Other clients are refused. "
              "Requires --tls_cert. Set it to try mutual TLS.");
DEFINE_string(
    auth_config, "",
    "JSON file with identities and what they may do (docs/emulator/identity.md). With it, the emulator serves the "
    "endpoints that exchange credentials for tokens, and a metadata server. Set it to try real credentials.");
DEFINE_string(
    allowed_hosts, "",
    "More names by which clients reach the emulator, separated by commas: gcs.my-company.com, .my-company.com "
    "for all below it, or * for any. Other names of the public DNS are refused with 403, in a request's Host "
    "and Origin, so that pages of sites with such names do not reach the emulator. Addresses, names without a dot, and "
    "names as .localhost, .test and .internal always pass.");
DEFINE_string(admin_token_file, "",
              "File with a token that requests to /_emulator/ need, as \"Authorization: Bearer TOKEN\". "
              "GET /_emulator/health does not. Set it if several people share an emulator.");
DEFINE_bool(
    require_auth, false,
    "Refuse requests without a valid token (401) or without the role that they need (403). Requires --auth_config.");
DEFINE_string(
    virtual_buckets, "",
    "Buckets of computed objects, which take no memory: name:count:size:pattern[:seed],... The size is in bytes, KiB, "
    "MiB, GiB or TiB, or lognormal(MEDIAN,SIGMA). The pattern of names is (a) 32 hexadecimal digits, (b) zero-padded "
    "sequence, (c) 1,000 dated directories of uneven size, (d) 1,000 class directories of which 50 hold half, (e) one "
    "huge directory beside many tiny ones, (f) UTF-8 of one to four bytes, (g) long common prefix and unpadded "
    "counter, or (h) a directory per file. Set it to list or read more than fits into memory: big:20000000:100KiB:a");
DEFINE_string(project, gcsflux::emulator::EmulatorOptions().project,
              "Project of requests that make or list buckets and name no project. If it is empty, they are refused, as "
              "by GCS. Every project sees the same buckets.");
DEFINE_uint64(default_soft_delete, 0,
              "Seconds for which new buckets that set no soft-delete policy keep what was deleted: 0 (off), or 604800 "
              "to 7776000. The service has 604800. Set it to test restoring; what is kept takes memory.");
DEFINE_string(
    data_dir, "",
    "Directory for buckets, objects and uploads, so that they survive the process, however it ends. It is made "
    "if it does not exist. Without it they are in memory. Set it to continue later where you were "
    "(docs/emulator/persistence.md).");
DEFINE_bool(
    data_sync, gcsflux::emulator::EmulatorOptions().data_sync,
    "What is acknowledged survives a loss of power too, not only the end of the process. Each change then waits "
    "for the disk. Requires --data_dir. Set it if the data matter.");
DEFINE_uint64(journal_size, gcsflux::emulator::EmulatorOptions().journal_size,
              "How many requests /_emulator/journal shows, the last ones; 0 keeps none. Raise it to look further back. "
              "One takes about 0.5 KiB. At most 10000000.");
DEFINE_double(
    client_patience_s, std::chrono::duration<double>(gcsflux::emulator::EmulatorOptions().client_patience).count(),
    "Seconds, 0.01 to 86400, that a client may make no progress within a request: it sends nothing, does not complete "
    "the head, or moves less than 1 KiB of a body. Then its connection is closed. Waiting between requests does not "
    "count. Lower it to see how a client takes a 408; raise it if a client is stopped in a debugger.");
DEFINE_double(idempotency_window_s,
              std::chrono::duration<double>(gcsflux::emulator::EmulatorOptions().idempotency_window).count(),
              "Seconds, 0 to 86400, for which a change is remembered by its request's x-goog-gcs-idempotency-token. A "
              "repeated request gets the first answer. Set it to 0 to see what a client does if the service forgets.");
DEFINE_string(
    faults, "",
    "JSON file with a fault plan (docs/emulator/faults.md): which faults happen to which requests. Set it to see how "
    "a client copes.");
DEFINE_string(seed_dir, "",
              "Files to start with: bucket=DIRECTORY[,...]. Every file below the directory becomes an object, named by "
              "its relative path. Symbolic links are left out.");
DEFINE_string(allow_seed, "",
              "Lets POST /_emulator/seed store files from below this directory. Set it only if every client that "
              "reaches the emulator may read them.");

namespace {

enum ExitStatus { kOk = 0, kFailed = 1, kWrongUsage = 2 };

// The program's own flags, which are defined in this folder; those of gflags are not. Sorted by file and name.
std::vector<gflags::CommandLineFlagInfo> OwnFlags() {
  // By its last two names: the path before them may be absolute or relative, even in one program, if a compiler's cache
  // holds both.
  const auto folder = [](const std::filesystem::path& file) {
    const std::filesystem::path path = file.parent_path();
    return path.parent_path().filename() / path.filename();
  };
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  std::erase_if(flags, [&](const auto& flag) { return folder(flag.filename) != folder(__FILE__); });
  return flags;
}

int PrintHelp() {
  std::cout << "gcsflux-emulator: Google Cloud Storage in memory, for tests and for work without a network.\n"
               "Prints its address when it is ready, and stops on SIGINT or SIGTERM. --version prints the version.\n";
  std::string file;
  for (const gflags::CommandLineFlagInfo& flag : OwnFlags()) {
    if (!file.empty() && file != flag.filename) {
      std::cout << "\nDelays and quotas. An empty value means the value of the profile:\n";
    }
    if (file != flag.filename) std::cout << "\n";
    file = flag.filename;
    std::cout << "  --" << flag.name << "=" << flag.default_value << "\n      " << flag.description << "\n";
  }
  return kOk;
}

int PrintVersion() {
  std::cout << "gcsflux-emulator " GCSFLUX_VERSION "\n";
  return kOk;
}

// In one write, so that lines of several programs do not mix.
void Say(const std::string& what) { std::cerr << "gcsflux-emulator: " + what + "\n"; }

// Reads bucket=DIRECTORY,... Throws std::invalid_argument.
std::vector<gcsflux::emulator::SeedOptions> ParseSeedDirs(std::string_view text) {
  std::vector<gcsflux::emulator::SeedOptions> seeds;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const std::size_t equals = std::min(item.find('='), item.size());
    if (equals == 0 || equals + 1 >= item.size()) {
      throw std::invalid_argument("'" + std::string(item) + "' is not bucket=DIRECTORY");
    }
    seeds.push_back({.bucket = std::string(item.substr(0, equals)), .directory = item.substr(equals + 1)});
  }
  return seeds;
}

// Not gflags' own parser: it ends the process with status 1 and has flags besides ours. Throws std::invalid_argument.
void ParseArguments(int argc, char** argv) {
  const auto own = OwnFlags();
  for (int i = 1; i < argc; ++i) {
    const std::string argument(argv[i]);
    const std::size_t dashes = std::min(argument.find_first_not_of('-'), argument.size());
    const std::size_t equals = std::min(argument.find('='), argument.size());
    if (dashes == 0 || dashes > 2) throw std::invalid_argument("unexpected argument '" + argument + "'");
    const std::string name = argument.substr(dashes, equals - dashes);
    const auto flag = std::ranges::find(own, name, &gflags::CommandLineFlagInfo::name);
    if (flag == own.end()) throw std::invalid_argument("unknown flag '" + argument + "'");
    std::string value = "true";
    if (equals != argument.size()) {
      value = argument.substr(equals + 1);
    } else if (flag->type != "bool") {
      if (++i == argc) throw std::invalid_argument("--" + name + " needs a value");
      value = argv[i];
    }
    if (gflags::SetCommandLineOption(name.c_str(), value.c_str()).empty()) {
      throw std::invalid_argument("'" + value + "' is not a valid value for --" + name);
    }
  }
}

// Throws std::invalid_argument unless the value is right.
void Require(bool is_right, const std::string& flag, const std::string& what) {
  if (is_right) return;
  throw std::invalid_argument("--" + flag + "=" + gflags::GetCommandLineFlagInfoOrDie(flag.c_str()).current_value +
                              " is not " + what);
}

// Adds the flag to what `parse` throws.
template <class Value>
Value Parsed(const std::string& flag, const std::string& text, Value (*parse)(std::string_view)) {
  try {
    return parse(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("--" + flag + ": " + error.what());
  }
}

void RequireTogether(bool is_right, const std::string& what) {
  if (!is_right) throw std::invalid_argument(what);
}

// Throws std::runtime_error.
std::string ReadFile(const std::string& flag, const std::string& path) {
  constexpr std::size_t kMost = std::size_t{64} << 20;  // as of a document for /_emulator/
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> piece;
  while (text.size() <= kMost && (file.read(piece.data(), piece.size()) || file.gcount() > 0)) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (text.empty()) throw std::runtime_error("--" + flag + "=" + path + " cannot be read or is empty");
  if (text.size() > kMost) throw std::runtime_error("--" + flag + "=" + path + " is longer than 64 MiB");
  return text;
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    if (!name.empty()) names.emplace_back(name);
    text.remove_prefix(std::min(name.size() + 1, text.size()));
  }
  return names;
}

// Throws std::runtime_error.
std::string ReadToken(const std::string& flag, const std::string& path) {
  std::istringstream text(ReadFile(flag, path));
  std::string token;
  if (!(text >> token)) throw std::runtime_error("--" + flag + "=" + path + " has no token");
  return token;
}

// Throws std::runtime_error, which names the file.
gcsflux::emulator::FaultPlan ReadFaultPlan(const std::string& path) {
  const std::string text = ReadFile("faults", path);
  try {
    return gcsflux::emulator::ParseFaultPlan(text);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error("--faults=" + path + ": " + error.what());
  }
}

// Throws std::invalid_argument if a flag is wrong, and std::runtime_error if a file is.
gcsflux::emulator::EmulatorOptions OptionsFromFlags() {
  using gcsflux::emulator::kMaxJournalSize;
  const std::uint64_t soft_delete = FLAGS_default_soft_delete;
  std::error_code unknown;
  Require(FLAGS_port <= std::numeric_limits<std::uint16_t>::max(), "port", "0 to 65535");
  Require(soft_delete == 0 || (soft_delete >= 604'800 && soft_delete <= 7'776'000), "default_soft_delete",
          "0, or 604800 to 7776000");
  Require(FLAGS_journal_size <= kMaxJournalSize, "journal_size", "0 to " + std::to_string(kMaxJournalSize));
  Require(FLAGS_idempotency_window_s >= 0 && FLAGS_idempotency_window_s <= 86'400, "idempotency_window_s",
          "0 to 86400");
  Require(FLAGS_client_patience_s >= 0.01 && FLAGS_client_patience_s <= 86'400, "client_patience_s", "0.01 to 86400");
  Require(FLAGS_allow_seed.empty() || std::filesystem::is_directory(FLAGS_allow_seed, unknown), "allow_seed",
          "a directory");
  RequireTogether(FLAGS_tls_cert.empty() == FLAGS_tls_key.empty(), "--tls_cert and --tls_key go together");
  RequireTogether(!FLAGS_tls_cert.empty() || FLAGS_tls_client_ca.empty(), "--tls_client_ca requires --tls_cert");
  RequireTogether(!FLAGS_data_sync || !FLAGS_data_dir.empty(), "--data_sync requires --data_dir");
  RequireTogether(!FLAGS_require_auth || !FLAGS_auth_config.empty(), "--require_auth requires --auth_config");
  static_cast<void>(Parsed("seed_dir", FLAGS_seed_dir, ParseSeedDirs));
  const gcsflux::emulator::TrafficSettings traffic = gcsflux::emulator::TrafficFromFlags();
  gcsflux::emulator::EmulatorOptions options{
      .host = FLAGS_host,
      .port = static_cast<std::uint16_t>(FLAGS_port),
      .project = FLAGS_project,
      .default_soft_delete = std::chrono::seconds(soft_delete),
      .data_dir = FLAGS_data_dir,
      .data_sync = FLAGS_data_sync,
      .journal_size = FLAGS_journal_size,
      .seed_root = FLAGS_allow_seed,
      .client_patience = std::chrono::milliseconds(std::llround(FLAGS_client_patience_s * 1000)),
      .idempotency_window = std::chrono::milliseconds(std::llround(FLAGS_idempotency_window_s * 1000))};
  options.virtual_buckets = Parsed("virtual_buckets", FLAGS_virtual_buckets, gcsflux::emulator::ParseVirtualBuckets);
  options.shaping = traffic.shaping;
  options.quotas = traffic.quotas;
  if (!FLAGS_tls_cert.empty()) {
    options.tls = {.certificate_chain = ReadFile("tls_cert", FLAGS_tls_cert),
                   .private_key = ReadFile("tls_key", FLAGS_tls_key)};
    if (!FLAGS_tls_client_ca.empty()) {
      options.tls->client_authorities = ReadFile("tls_client_ca", FLAGS_tls_client_ca);
    }
  }
  if (!FLAGS_auth_config.empty()) {
    options.auth = {.config = ReadFile("auth_config", FLAGS_auth_config), .is_required = FLAGS_require_auth};
  }
  options.allowed_hosts = SplitNames(FLAGS_allowed_hosts);
  if (!FLAGS_admin_token_file.empty()) {
    options.admin_token = ReadToken("admin_token_file", FLAGS_admin_token_file);
  }
  if (!FLAGS_faults.empty()) options.faults = ReadFaultPlan(FLAGS_faults);
  options.log = [](const std::string& line) { Say("warning: " + line); };
  return options;
}

bool IsLoopback(std::string_view host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

// Throws what Emulator::Seed() throws.
void Start(gcsflux::emulator::Emulator& emulator) {
  for (const auto& seed : ParseSeedDirs(FLAGS_seed_dir)) emulator.Seed(seed);
  if (!IsLoopback(FLAGS_host) && !FLAGS_require_auth) {
    Say("warning: " + FLAGS_host + " is reachable from outside, and no credentials are asked for");
  }
  std::cout << "gcsflux-emulator listening on " << emulator.endpoint() << std::endl;
}

// Serves until one of these signals, which all threads block. They end its start too.
int ServeUntil(const sigset_t& signals, gcsflux::emulator::EmulatorOptions options) {
  gcsflux::emulator::Emulator emulator(std::move(options));
  std::atomic<bool> has_signal = false;
  std::thread stopper([&] {
    int received = 0;
    sigwait(&signals, &received);
    has_signal = true;
    emulator.Stop();
  });
  int status = kOk;
  try {
    Start(emulator);
  } catch (const std::exception& error) {
    if (!has_signal) status = kFailed;
    if (!has_signal) Say(error.what());
  }
  // Without its output, no client can know the address.
  if (status != kOk || !std::cout) pthread_kill(stopper.native_handle(), SIGTERM);
  stopper.join();
  return status;
}

int Run(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (argument == "--help" || argument == "-h") return PrintHelp();
    if (argument == "--version") return PrintVersion();
  }
  gcsflux::emulator::EmulatorOptions options;
  try {
    ParseArguments(argc, argv);
    options = OptionsFromFlags();  // A signal ends the program meanwhile.
  } catch (const std::invalid_argument& error) {
    Say(std::string(error.what()) + "; see --help");
    return kWrongUsage;
  }
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGINT);
  sigaddset(&stop_signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);  // Before any thread starts: threads inherit it.
  return ServeUntil(stop_signals, std::move(options));
}

// What only an environment that refuses to serve throws.
int RunAndCatch(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::bad_alloc&) {
    Say("there is not enough memory to start");
  } catch (const std::exception& error) {
    Say(error.what());
  }
  return kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  // glibc keeps small freed chunks apart from their neighbours. When a reset gives memory back, one of them at the end
  // of an arena would keep all of that arena.
  ::mallopt(M_MXFAST, 0);
  // A file that reaches the limit of its size is a full disk, not the end of the process.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  gcsflux::emulator::OpenClosedDescriptors();
  return gcsflux::emulator::FlushOutput("gcsflux-emulator", RunAndCatch(argc, argv));
}
