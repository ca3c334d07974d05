#include <cstdio>

#include "app/vector_replay.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  auto r = bolide::app::replay_vectors(argv[1]);
  if (!r) {
    std::printf("%s\n", r.error().message.c_str());
    return 1;
  }
  std::printf("%lu\n", static_cast<unsigned long>(*r));
  return 0;
}
