#include "transfer/listing/name_sets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>

namespace gcsflux::internal::listing {
namespace {

using Names = std::vector<std::string>;

Names Sorted(Names names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string Padded(std::size_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

std::string Hex(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = 16; i != 0; --i, number >>= 4) text[i - 1] = "0123456789abcdef"[number & 15];
  return text;
}

void AddFiles(Names& names, const std::string& directory, std::size_t files) {
  for (std::size_t i = 0; i < files; ++i) names.push_back(directory + Padded(i, 12) + ".jpg");
}

std::string AnyOf(std::mt19937_64& random, const std::vector<std::string_view>& characters, std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += characters[random() % characters.size()];
  return text;
}

}  // namespace

Names HexNames(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(Hex(random()) + Hex(random()));
  return Sorted(std::move(names));
}

Names PaddedSequence(std::size_t count, unsigned) {
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("sample-" + Padded(i, 12) + ".bin");
  return names;
}

Names DatedDirectories(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> size(0, 1);
  std::vector<double> weights(1000);
  double whole = 0;
  for (double& weight : weights) whole += weight = size(random);
  Names names;
  for (std::size_t day = 0; day < weights.size(); ++day) {
    const std::string date =
        Padded(2022 + day / 365, 4) + "-" + Padded(day % 365 / 31 + 1, 2) + "-" + Padded(day % 365 % 31 + 1, 2) + "/";
    AddFiles(names, date, static_cast<std::size_t>(static_cast<double>(count) * weights[day] / whole));
  }
  return names;
}

Names ClassDirectories(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t label = 0; label < 1000; ++label) {
    const bool is_large = label % 20 == random() % 20 || label % 20 == 7;
    AddFiles(names, "n" + Padded(1'440'000 + label * 14'000 + random() % 14'000, 8) + "/",
             is_large ? count / 200 : count / 1900);
  }
  return Sorted(std::move(names));
}

Names HugeDirectory(std::size_t count, unsigned) {
  Names names;
  std::size_t directory = 0;
  const auto add_tiny = [&](std::size_t upto) {
    for (; names.size() < upto; ++directory) AddFiles(names, "batch-" + Padded(directory, 12) + "/", directory % 9 + 1);
  };
  add_tiny(count / 20);
  AddFiles(names, "batch-" + Padded(directory++, 12) + "/", count / 10 * 9);
  add_tiny(count);
  return names;
}

Names MixedUtf8(std::size_t count, unsigned seed) {
  static const std::vector<std::string_view> kCharacters = {
      " ", "-", "7", "A", "Z", "_",  "e",  "n",  "s",  "z",  "ß",  "é",  "ł",      "Ω", "λ", "Д",
      "ж", "я", "ש", "ن", "ก", "ᄀ", "あ", "ン", "中", "文", "語", "한", "\uFFFD", "😀", "🚀", "\U0010FFFD"};
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(AnyOf(random, kCharacters, 5 + random() % 13));
  return Sorted(std::move(names));
}

Names UnpaddedCounter(std::size_t count, unsigned) {
  Names names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back("experiments/vision-transformer/augmented/resolution-224/train/sample-" + std::to_string(i) +
                    ".npy");
  }
  return Sorted(std::move(names));
}

Names DirectoryPerFile(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(Hex(random()) + "/data.bin");
  return Sorted(std::move(names));
}

Names Clusters(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t left = count; left > 0;) {
    const std::size_t size = std::min(left, std::max<std::size_t>(10, left / 3));
    const std::string cluster = Hex(random()).substr(0, 6) + "_";
    for (std::size_t i = 0; i < size; ++i) names.push_back(cluster + Hex(random()).substr(0, 10));
    left -= size;
  }
  return Sorted(std::move(names));
}

Names BurstyTimestamps(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  std::size_t milliseconds = 1'700'000'000'000;
  while (names.size() < count) {
    milliseconds += random() % 40'000'000;
    for (std::size_t i = random() % 4000 + 1; i > 0 && names.size() < count; --i) {
      milliseconds += random() % 30;
      names.push_back("log-" + std::to_string(milliseconds) + "-" + Padded(random() % 1000, 3));
    }
  }
  return Sorted(std::move(names));
}

Names PrefixesOfEachOther(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  while (names.size() < count) {
    const std::string whole = AnyOf(random, {"a", "b", "/", "\x01"}, 1 + random() % 60);
    for (std::size_t length = 1; length <= whole.size(); ++length) names.push_back(whole.substr(0, length));
  }
  return Sorted(std::move(names));
}

Names LongestNames(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string end = std::to_string(random() % (2 * count));
    names.push_back(std::string(1024 - end.size(), 'x') + end);
    if (i % 3 == 0) names.push_back(std::string(1024, 'x').substr(0, 1 + random() % 1024));
  }
  return Sorted(std::move(names));
}

Names EdgesOfUnicode(std::size_t count, unsigned seed) {
  static const std::vector<std::string_view> kCharacters = {
      "\x01",   "\x7F",   "\u0080", "\u07FF",     "\u0800",     "\uD7FF",     "\uE000",
      "\uFFFD", "\uFFFE", "\uFFFF", "\U00010000", "\U0010FFFD", "\U0010FFFE", "\U0010FFFF"};
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(AnyOf(random, kCharacters, 1 + random() % 12));
  return Sorted(std::move(names));
}

Names OnlySlashes(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name(1 + i % 1000, '/');
    if (i % 2 == 1) name += std::to_string(random() % 100);
    names.push_back(std::move(name));
  }
  return Sorted(std::move(names));
}

Names RandomBytesOfAscii(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Names names;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name;
    for (std::size_t left = 1 + random() % 30; left > 0; --left) name += static_cast<char>(' ' + random() % 95);
    names.push_back(std::move(name));
  }
  return Sorted(std::move(names));
}

const std::vector<NameSet>& CommonNameSets() {
  static const std::vector<NameSet> kSets = {{"a_hex", HexNames},
                                             {"b_padded", PaddedSequence},
                                             {"c_dated", DatedDirectories},
                                             {"d_classes", ClassDirectories},
                                             {"e_huge", HugeDirectory},
                                             {"f_utf8", MixedUtf8},
                                             {"g_unpadded", UnpaddedCounter},
                                             {"h_per_file", DirectoryPerFile},
                                             {"i_clusters", Clusters},
                                             {"j_timestamps", BurstyTimestamps}};
  return kSets;
}

const std::vector<NameSet>& NastyNameSets() {
  static const std::vector<NameSet> kSets = {{"prefixes_of_each_other", PrefixesOfEachOther},
                                             {"longest_names", LongestNames},
                                             {"edges_of_unicode", EdgesOfUnicode},
                                             {"only_slashes", OnlySlashes},
                                             {"random_ascii", RandomBytesOfAscii}};
  return kSets;
}

}  // namespace gcsflux::internal::listing
