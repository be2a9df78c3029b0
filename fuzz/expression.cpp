// The calculator's language: the signature is the text up to the first newline, statements follow.

#include "gcan/algebra/expression.h"

#include <algorithm>

#include "fuzz/fuzz.h"
#include "gcan/algebra/text.h"

using namespace gcan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return -1;
  const std::string statements = text.substr(line + 1);
  fuzz::refusal_of([&] {
    const Signature given = Algebra::parse(text.substr(0, line)).signature();
    // Functions of larger algebras are slow and run the same code.
    const Algebra algebra(std::min(given.p, 2), std::min(given.q, 1), std::min(given.r, 1));
    expression::Calculator calculator(algebra);
    try {
      const auto answer = calculator.run(statements);
      if (answer) static_cast<void>(to_string(answer->value, 6));
    } catch (const expression::ExpressionError& error) {
      fuzz::require(error.column <= statements.size(), "an error points into the text");
      throw;
    }
  });
  return 0;
}
