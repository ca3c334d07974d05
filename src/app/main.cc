#include <cstdio>

int main() {
  std::puts("bolide");
  return 0;
}
