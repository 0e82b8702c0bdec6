// One bug for each sanitizer, by the program's argument. A build with sanitizers that reports none of them proves
// nothing.
#include <climits>
#include <cstring>
#include <iostream>
#include <thread>

namespace {

int UseFreedMemory() {
  auto* const number = new int(1);
  volatile int* const freed = number;
  delete number;
  return *freed;
}

int LoseMemory() {
  static volatile char* lost = nullptr;
  lost = new char[1'000];
  lost = nullptr;
  return 0;
}

int OverflowAnInteger() {
  volatile int most = INT_MAX;
  return most + 1;
}

int RaceForANumber() {
  int number = 0;
  std::thread other([&] { ++number; });
  ++number;
  other.join();
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  struct Bug {
    const char* name;
    int (*make)();
  };
  for (const Bug& bug : {Bug{"address", UseFreedMemory}, Bug{"leak", LoseMemory}, Bug{"undefined", OverflowAnInteger},
                         Bug{"thread", RaceForANumber}}) {
    if (argc == 2 && std::strcmp(argv[1], bug.name) == 0) std::cout << "made: " << bug.make() << "\n";
  }
  return 0;
}
