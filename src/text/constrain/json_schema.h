// JSON Schema to a grammar: every output that the grammar allows is valid by the schema (the other way round it need
// not be: keys come in the schema's order, and keys beside the declared ones only where the schema asks for them). The
// subset is in docs/constrained-output.md.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "text/constrain/json_rules.h"
#include "text/json.h"

namespace bolide::text {

// What becomes of a part of a schema that a grammar cannot hold.
enum class UnsupportedSchema : u8 {
  kRefused,  // an error that names it
  kFree,     // the value there is any JSON; `free` names it
};

class SchemaCompiler {
 public:
  // The grammar gets the rules. `free`, of kFree: takes "place: what is not enforced", and may be nullptr otherwise.
  SchemaCompiler(Grammar& grammar, const JsonRules& json, UnsupportedSchema unsupported,
                 std::vector<std::string>* free);

  // The rule of a whole schema; `name` begins every place in errors ("tools[2] (read)").
  Result<GrammarRule> compile(const Json& schema, const std::string& name) {
    return compile_part(schema, schema, name);
  }
  // The rule of a schema inside a document: references point into `root`.
  Result<GrammarRule> compile_part(const Json& schema, const Json& root, const std::string& name);

  // Types that values of a schema may have, as far as its keywords tell; of a schema that compile() took.
  struct Types {
    bool string = false;
    bool other = false;
  };
  static Types types(const Json& schema, const Json& root);

 private:
  class Document;

  Grammar& grammar_;
  const JsonRules& json_;
  UnsupportedSchema unsupported_;
  std::vector<std::string>* free_;
};

}  // namespace bolide::text
