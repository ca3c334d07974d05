// Counts what operator new hands out, so that tests can show that a refusal came before any large allocation.
// A test program that uses it has allocation_meter_test.cc among its sources.
#pragma once
#include "base/types.h"

namespace bolide::test {

// The bytes asked for by all threads since the construction.
class AllocationMeter {
 public:
  AllocationMeter();
  u64 bytes() const;

 private:
  u64 start_;
};

}  // namespace bolide::test
