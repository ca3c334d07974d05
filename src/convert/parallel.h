// Independent pieces of work on several threads.
#pragma once
#include <functional>

#include "base/result.h"
#include "base/types.h"

namespace bolide::convert {

// Runs task(0) .. task(n_tasks - 1), each once, begun in that order, on `n_threads` threads (at least one; the caller's
// is one of them). After a failure no further task begins. Returns the failure of the lowest task that failed.
Status run_tasks(u64 n_tasks, u32 n_threads, const std::function<Status(u64 task)>& task);

}  // namespace bolide::convert
