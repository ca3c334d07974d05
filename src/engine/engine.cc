#include "engine/engine.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <unistd.h>

#include "engine/generation.h"
#include "engine/timeline.h"
#include "engine/worker.h"

namespace bolide::engine {
namespace {

// Tokens whose state fits into half of the machine's memory: the forwards keep every row (model/state.h).
u64 context_that_fits(const model::Config& config) {
  const u64 memory = static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGE_SIZE));
  const u64 window = u64{config.n_layers + config.draft.n_stages} * model::kWindowRowBytes;
  const u64 caches = config.kv_source_layers.size() * (model::kCompressedRowBytes + model::kIndexRowBytes);
  const u64 bytes_per_token = window + caches + 2 * u64{config.tap_width()} + sizeof(u32);
  return memory / 2 / bytes_per_token;
}

// Hands over the logits from a position on, until the receiver has enough.
class EvaluationObserver : public model::StepObserver {
 public:
  EvaluationObserver(u64 first, const Engine::LogitsSink& sink) : first_(first), sink_(sink) {}
  bool wants_logits(u64 position) override { return !stopped_ && position >= first_; }
  void logits(u64 position, std::span<const float> logits) override { stopped_ = !sink_(position, logits); }
  bool stopped() const { return stopped_; }

 private:
  u64 first_;
  const Engine::LogitsSink& sink_;
  bool stopped_ = false;
};

Status check_ids(std::span<const u32> ids, u32 vocab_size, u64 context, std::string_view what) {
  if (ids.empty()) return Error{fmt::format("{} is empty; at least one token is needed", what)};
  if (ids.size() > context) {
    return Error{fmt::format("{} has {} tokens, but the context has room for {}", what, ids.size(), context)};
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < vocab_size) continue;
    return Error{fmt::format("{}: token {} is {}, but the vocabulary has only {} ids", what, i, ids[i], vocab_size)};
  }
  return {};
}

}  // namespace

struct Engine::Core {
  Core(std::unique_ptr<OpenModel> opened, const GenerationLimits& the_limits)
      : open(std::move(opened)), limits(the_limits), timeline(*open) {}

  const model::Config& config() const { return open->model.config; }
  Status check(std::span<const u32> ids, std::string_view what) const {
    return check_ids(ids, config().vocab_size, limits.context, what);
  }

  const std::unique_ptr<OpenModel> open;
  const GenerationLimits limits;
  Timeline timeline;  // the engine thread's

  std::mutex mutex;
  RequestId next_id = 1;
  std::map<RequestId, std::shared_ptr<Ticket>> tickets;  // not finished yet

  Worker worker;  // last: its thread ends before the rest goes
};

Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions& options) {
  Result<std::unique_ptr<OpenModel>> open = open_model(options.model_path, options.arithmetic, options.draft_path);
  if (!open) return open.error();
  const model::Config& config = (*open)->model.config;
  const u64 fits = std::min(config.max_position, context_that_fits(config));
  if (options.context > fits) {
    return Error{fmt::format("a context of {} tokens is too large: the model and this machine's memory allow {}",
                             options.context, fits)};
  }
  const GenerationLimits limits{options.context == 0 ? fits : options.context, std::max<u64>(options.prefill_chunk, 1)};
  return std::unique_ptr<Engine>(new Engine(std::make_unique<Core>(std::move(*open), limits)));
}

Engine::Engine(std::unique_ptr<Core> core) : core_(std::move(core)) {}

Engine::~Engine() {
  const std::lock_guard lock(core_->mutex);
  for (auto& [id, ticket] : core_->tickets) ticket->cancelled = true;
}

const std::string& Engine::model_path() const {
  return core_->open->path;
}
const model::Config& Engine::config() const {
  return core_->config();
}
const text::Tokenizer& Engine::tokenizer() const {
  return core_->open->tokenizer;
}
u64 Engine::context() const {
  return core_->limits.context;
}

Result<RequestId> Engine::submit(Request request, std::shared_ptr<TokenSink> sink) {
  if (Status status = core_->check(request.prompt, "the prompt"); !status) return status.error();
  if (Status status = session::check_sampling(request.sampling); !status) return status.error();
  auto ticket = std::make_shared<Ticket>();
  ticket->request = std::move(request);
  ticket->sink = std::move(sink);
  {
    const std::lock_guard lock(core_->mutex);
    ticket->id = core_->next_id++;
    core_->tickets.emplace(ticket->id, ticket);
  }
  core_->worker.post([core = core_.get(), ticket] {
    generate(*ticket, core->timeline, core->limits, core->config().vocab_size);
    const std::lock_guard lock(core->mutex);
    core->tickets.erase(ticket->id);
  });
  return ticket->id;
}

void Engine::cancel(RequestId id) {
  const std::lock_guard lock(core_->mutex);
  if (const auto found = core_->tickets.find(id); found != core_->tickets.end()) found->second->cancelled = true;
}

Status Engine::evaluate(std::span<const u32> ids, u64 first_position, const LogitsSink& sink) {
  if (Status status = core_->check(ids, "the token list"); !status) return status;
  Status result;
  core_->worker.run([&] {
    Timeline timeline(*core_->open);
    EvaluationObserver observer(first_position, sink);
    while (result && !observer.stopped() && timeline.position() < ids.size()) {
      const std::span<const u32> rest = ids.subspan(timeline.position());
      result = timeline.feed(rest.first(std::min<u64>(core_->limits.prefill_chunk, rest.size())), observer);
    }
  });
  return result;
}

Result<std::vector<Fingerprint>> Engine::fingerprints(std::span<const u32> ids, std::span<const u64> at,
                                                      bool with_streams) {
  if (Status status = core_->check(ids, "the token list"); !status) return status.error();
  Result<std::vector<Fingerprint>> result = std::vector<Fingerprint>();
  u64 previous = 0;
  for (const u64 p : at) {
    if (p <= previous || p > ids.size()) {
      return Error{fmt::format("fingerprints are taken at ascending lengths from 1 to {}, not at {} after {}",
                               ids.size(), p, previous)};
    }
    previous = p;
  }
  core_->worker.run([&] {
    Timeline timeline(*core_->open);
    for (const u64 p : at) {
      Result<Fingerprint> next = advance_to(timeline, ids.first(p), core_->limits.prefill_chunk, with_streams);
      if (!next) {
        result = next.error();
        return;
      }
      result->push_back(std::move(*next));
    }
  });
  return result;
}

}  // namespace bolide::engine
