#include "app/plan_report.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <map>

#include "app/text_table.h"

namespace bolide::app {
namespace {

using boost::json::array;
using boost::json::object;
using ops::Cost;
using ops::Op;

void add(Cost& sum, const Cost& cost) {
  sum.weight_bytes += cost.weight_bytes;
  sum.integer_operations += cost.integer_operations;
  sum.float_operations += cost.float_operations;
}

Cost total_cost(const ops::Plan& plan) {
  Cost total;
  for (const Op& op : plan.ops) add(total, op.cost);
  return total;
}

void append_cost(std::vector<std::string>& cells, const Cost& cost) {
  for (const u64 number : {cost.weight_bytes, cost.integer_operations, cost.float_operations})
    cells.push_back(number == 0 ? "-" : grouped(number));
}

std::string sums_by_kind(const ops::Plan& plan) {
  struct Sum {
    u64 count = 0;
    Cost cost;
  };
  std::map<ops::OpKind, Sum> sums;
  for (const Op& op : plan.ops) {
    Sum& sum = sums[op.kind];
    ++sum.count;
    add(sum.cost, op.cost);
  }
  TextTable table("lrrrr", {"operation", "times", "weight bytes", "integer operations", "float operations"});
  const auto row = [&table](std::string_view name, u64 count, const Cost& cost) {
    std::vector<std::string> cells = {std::string(name), grouped(count)};
    append_cost(cells, cost);
    table.row(std::move(cells));
  };
  for (const auto& [kind, sum] : sums) row(ops::name(kind), sum.count, sum.cost);
  table.rule();
  row("total", plan.ops.size(), total_cost(plan));
  return table.str();
}

std::string operands(const Op& op) {
  std::string text(ops::name(op.in[0]));
  if (op.in[1] != ops::Buffer::kNothing) text += fmt::format(", {}", ops::name(op.in[1]));
  return fmt::format("{} -> {}", text, ops::name(op.out));
}

std::string all_operations(const ops::Plan& plan) {
  TextTable table("rlllrrr",
                  {"layer", "operation", "weights", "rows", "weight bytes", "integer operations", "float operations"});
  for (const Op& op : plan.ops) {
    std::vector<std::string> cells = {op.layer == model::kNone ? "-" : fmt::format("{}", op.layer),
                                      fmt::format("{} ({})", ops::name(op.kind), operands(op)),
                                      std::string(ops::name(op.weight)),
                                      fmt::format("{}-{}", op.rows.first, op.rows.end - 1)};
    append_cost(cells, op.cost);
    table.row(std::move(cells));
  }
  return table.str();
}

object cost_json(const Cost& cost) {
  return {{"weight_bytes", cost.weight_bytes},
          {"integer_operations", cost.integer_operations},
          {"float_operations", cost.float_operations}};
}

object op_json(const Op& op) {
  object json = cost_json(op.cost);
  json["kind"] = ops::name(op.kind);
  if (op.layer == model::kNone) {
    json["layer"] = nullptr;
  } else {
    json["layer"] = op.layer;
  }
  json["weight"] = nullptr;
  if (op.weight != ops::Weight::kNone) json["weight"] = ops::name(op.weight);
  json["rows"] = array{op.rows.first, op.rows.end};
  array in;
  for (const ops::Buffer buffer : op.in) {
    if (buffer != ops::Buffer::kNothing) in.emplace_back(ops::name(buffer));
  }
  json["in"] = std::move(in);
  json["out"] = ops::name(op.out);
  json["place"] = op.place;
  return json;
}

}  // namespace

std::string text_plan(const ops::Plan& plan) {
  return fmt::format(
      "A step of {} row{}: {} operations\n\n"
      "By kind (experts: the most that the rows can use; what grows with the context is not counted)\n{}\n"
      "In order\n{}",
      plan.rows, plan.rows == 1 ? "" : "s", grouped(plan.ops.size()), sums_by_kind(plan), all_operations(plan));
}

std::string json_plan(const ops::Plan& plan) {
  array list;
  for (const Op& op : plan.ops) list.push_back(op_json(op));
  return boost::json::serialize(
             object{{"rows", plan.rows}, {"totals", cost_json(total_cost(plan))}, {"ops", std::move(list)}}) +
         "\n";
}

}  // namespace bolide::app
