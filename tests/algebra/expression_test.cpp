#include "gcan/algebra/expression.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "gcan/algebra/functions.h"
#include "tests/algebra/random.h"

namespace gcan::expression {
namespace expression_test {

using Multivec = MultivectorX<double>;
using test::kSignatures;
using test::near;

const Algebra kG3(3);
const Algebra kPga = Algebra::pga3d();

ExpressionError mistake(const Algebra& algebra, std::string_view text) {
  try {
    const Multivec value = evaluate(algebra, text);
    ADD_FAILURE() << text << " was accepted as " << value;
  } catch (const ExpressionError& error) {
    return error;
  }
  return {"", 0};
}

void expect_mistake(const Algebra& algebra, std::string_view text, std::size_t column,
                    const std::string& part) {
  const ExpressionError error = mistake(algebra, text);
  EXPECT_EQ(error.column, column) << text << ": " << error.what();
  EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << text << ": " << error.what();
}

void expect_same(const Algebra& algebra, std::string_view a, std::string_view b) {
  EXPECT_EQ(evaluate(algebra, a), evaluate(algebra, b)) << a << " and " << b;
}

TEST(Expression, DistinguishesNumbersAndBlades) {
  const auto e01 = Multivec::unit(kPga, "e01");
  EXPECT_EQ(evaluate(kPga, "2e01"), 2.0 * e01);
  EXPECT_EQ(evaluate(kPga, "2 e01"), 2.0 * e01);
  EXPECT_EQ(evaluate(kPga, "2.e01"), 2.0 * e01);
  EXPECT_EQ(evaluate(kPga, ".5e01"), 0.5 * e01);
  EXPECT_EQ(evaluate(kPga, "e10"), -e01);
  EXPECT_EQ(evaluate(kPga, "1E5"), Multivec(kPga, 1e5));
  EXPECT_EQ(evaluate(kPga, "1e+5"), Multivec(kPga, 1e5));
  EXPECT_EQ(evaluate(kPga, "1E-5e01"), 1e-5 * e01);
  EXPECT_EQ(evaluate(kPga, "1e-5 e01"), 1e-5 * e01);
  EXPECT_EQ(evaluate(kPga, "2e1-5"), 2.0 * Multivec::unit(kPga, "e1") - 5.0);
  EXPECT_EQ(evaluate(kPga, "pi"), Multivec(kPga, std::numbers::pi));
  EXPECT_EQ(evaluate(kPga, "I"), Multivec::unit(kPga, "e0123"));
  EXPECT_EQ(evaluate(Algebra(12), "3eab1"), 3.0 * Multivec::unit(Algebra(12), "e1ab"));
}

TEST(Expression, TheExampleOfTheReadme) {
  EXPECT_EQ(to_string(evaluate(kPga, "(1+2e01)*(e1 - e23)")), "2e0 + e1 - e23 - 2e0123");
}

TEST(Expression, TighterOperatorsComeFirst) {
  expect_same(kG3, "e1 + e2 * e3", "e1 + (e2 * e3)");
  expect_same(kG3, "e1 * e2 ^ e12", "e1 * (e2 ^ e12)");
  expect_same(kG3, "e1 ^ e2 * e12", "(e1 ^ e2) * e12");
  expect_same(kG3, "e1 * e2 | e2", "e1 * (e2 | e2)");
  expect_same(kG3, "~e12 ^ e3", "(~e12) ^ e3");
  expect_same(kG3, "!e1 * e2", "(!e1) * e2");
  expect_same(kG3, "-2e1**2", "-(2 * (e1**2))");
  expect_same(kG3, "~2e12", "~(2e12)");
  expect_same(kG3, "e1 / 2e1 * e2", "(e1 / (2e1)) * e2");
  expect_same(kG3, "2(e1 + e2)(3 + e1)", "2 * (e1 + e2) * (3 + e1)");
  expect_same(kG3, "2 exp(0) e1 ^ e2", "(2 * exp(0) * e1) ^ e2");
  expect_same(kG3, "e1 - e2 - e3", "(e1 - e2) - e3");
  expect_same(kG3, "2**3**2", "512");
  expect_same(kG3, "2**3 e1", "8 * e1");
  expect_same(kG3, "e1 * e2 >>> e1", "(e1 * e2) >>> e1");
  expect_same(kG3, "--+-e1", "-e1");
}

// Each operator and function against the library, on random multivectors of every signature.
TEST(Expression, OperatorsAndFunctionsAreThoseOfTheLibrary) {
  test::Random random;
  for (const Signature s : kSignatures) {
    const Algebra algebra(s);
    Calculator calculator(algebra);
    const Multivec a = random.full(algebra);
    const Multivec b = random.full(algebra);
    const auto v = random.versor(algebra, s.p + s.q > 1 ? 2 : 0);
    const std::string setup = "a = " + to_string(a) + "; b = " + to_string(b) + "; v = " + to_string(v);
    calculator.run(setup);
    const auto expect = [&](std::string_view text, const Multivec& wanted) {
      EXPECT_EQ(calculator.run(text)->value, wanted) << text << " in " << algebra.to_string();
    };
    const auto expect_both = [&](std::string_view x, std::string_view y, const Multivec& wanted) {
      expect(x, wanted);
      expect(y, wanted);
    };
    const auto number = [&](double t) { return Multivec(algebra, t); };
    expect("a * b", a * b);
    expect("a + b - v", a + b - v);
    expect_both("a ^ b", "outer(a, b)", a ^ b);
    expect("meet(a, b)", a ^ b);
    expect_both("a | b", "inner(a, b)", a | b);
    expect_both("a & b", "regressive(a, b)", a & b);
    expect("join(a, b)", a & b);
    expect_both("a << b", "left(a, b)", a << b);
    expect_both("a >> b", "right(a, b)", a >> b);
    expect("scalar(a, b)", number(scalar_product(a, b)));
    expect("commutator(a, b)", commutator(a, b));
    expect_both("v >>> a", "sandwich(v, a)", sandwich(v, a));
    expect_both("~a", "reverse(a)", ~a);
    expect_both("!a", "dual(a)", dual(a));
    expect("undual(a)", undual(a));
    expect("complement(a)", right_complement(a));
    expect("left_complement(a)", left_complement(a));
    expect("involute(a)", grade_involution(a));
    expect("conjugate(a)", clifford_conjugate(a));
    expect("grade(a, 1)", grade(a, 1));
    expect("even(a)", a.where([](Blade x) { return !is_odd(grade(x)); }));
    expect("odd(a)", a.where([](Blade x) { return is_odd(grade(x)); }));
    expect("norm(a)", number(norm(a)));
    expect("norm_squared(a)", number(norm_squared(a)));
    expect("ideal_norm(a)", number(ideal_norm(a)));
    expect("normalize(v)", normalized(v));
    expect_both("inverse(v)", "v**-1", inverse(v));
    expect("a / v", a * inverse(v));
    expect("exp(a)", exp(a));
    expect("v**3", v * (v * v));
    expect("v**0", number(1));
  }
}

TEST(Expression, LogarithmsRootsAndPlainNumbers) {
  const Multivec rotor = exp(0.3 * Multivec::unit(kG3, "e12"));
  EXPECT_EQ(evaluate(kG3, "log(exp(0.3 e12))"), log(rotor));
  EXPECT_EQ(evaluate(kG3, "sqrt(exp(0.3 e12))"), sqrt(rotor));
  const double t = 0.4;
  const std::pair<const char*, double> cases[] = {{"abs(-0.4)", t},
                                                  {"sin(0.4)", std::sin(t)},
                                                  {"cos(0.4)", std::cos(t)},
                                                  {"tan(0.4)", std::tan(t)},
                                                  {"asin(0.4)", std::asin(t)},
                                                  {"acos(0.4)", std::acos(t)},
                                                  {"sinh(0.4)", std::sinh(t)},
                                                  {"cosh(0.4)", std::cosh(t)},
                                                  {"tanh(0.4)", std::tanh(t)},
                                                  {"atan2(0.4, -2)", std::atan2(t, -2.0)},
                                                  {"7/5", 1.4},
                                                  {"2**-2", 0.25}};
  for (const auto& [text, value] : cases) {
    EXPECT_TRUE(near(evaluate(kG3, text), Multivec(kG3, value), 1e-15)) << text;
  }
  EXPECT_EQ(evaluate(kG3, "7/5"), Multivec(kG3, 1.4));
}

// Every function is tested above, and has help.
TEST(Expression, FunctionTableIsComplete) {
  EXPECT_EQ(functions().size(), 54U);
  for (const Function& function : functions()) {
    EXPECT_EQ(find_function(function.name, function.arity), &function) << "a second " << function.name;
    EXPECT_FALSE(function.help.empty());
    const auto commas = std::count(function.parameters.begin(), function.parameters.end(), ',');
    EXPECT_EQ(function.arity, static_cast<std::size_t>(commas) + 1) << function.name;
    std::string call(function.name);
    call += "()";
    expect_mistake(kG3, call, 0, "not 0");
  }
}

TEST(Expression, InverseFunctionsOfAnglesUndoTheirs) {
  for (const char* text : {"atan(tan(0.3))", "asin(sin(0.3))", "acos(cos(0.3))", "asinh(sinh(0.3))",
                           "acosh(cosh(0.3))", "atanh(tanh(0.3))", "atan2(3 sin(0.3), 3 cos(0.3))"}) {
    EXPECT_TRUE(near(evaluate(kG3, text), Multivec(kG3, 0.3), 1e-14)) << text;
  }
}

TEST(Expression, MakesPointsLinesAndPlanes) {
  const Algebra plane(Signature{2, 0, 1}), space(Signature{3, 0, 1});
  const std::vector<std::array<const char*, 2>> in_space{
      {"point(1, 2, 3)", "(e1 - e0)^(e2 - 2e0)^(e3 - 3e0)"},
      {"direction(1, 2, 3)", "point(1, 2, 3) - point(0, 0, 0)"},
      {"line(point(1, 2, 3), point(4, 5, 6))", "point(1, 2, 3) & point(4, 5, 6)"},
      {"plane(1, 2, 3, 4)", "e1 + 2e2 + 3e3 + 4e0"},
      {"plane(point(1, 0, 0), point(0, 1, 0), point(0, 0, 0)) ^ point(5, -7, 0)", "0"},
      {"translator(1, 2, 3) >>> point(4, 5, 6)", "point(5, 7, 9)"},
      {"motor(line(point(1, 0, 0), point(1, 0, 1)), pi/2) >>> point(3, 0, 0)", "point(1, 2, 0)"},
      {"motor(line(point(1, 0, 0), point(1, 0, 1)), pi/2, 0.5) >>> point(3, 0, 0)", "point(1, 2, 0.5)"},
  };
  for (const auto& [text, same] : in_space) {
    EXPECT_TRUE(near(evaluate(space, text), evaluate(space, same), 1e-14)) << text;
  }
  const std::vector<std::array<const char*, 2>> in_plane{
      {"line(1, -1, 0) ^ line(1, 1, -2)", "2 point(1, 1)"},
      {"line(point(0, 0), point(1, 2)) ^ point(3, 6)", "0"},
      {"translator(1, 2) >>> point(3, 4)", "point(4, 6)"},
      {"motor(point(1, 0), pi/2) >>> point(2, 0)", "point(1, 1)"},
      {"point(1, 2) + direction(3, 4)", "point(4, 6)"},
  };
  for (const auto& [text, same] : in_plane) {
    EXPECT_TRUE(near(evaluate(plane, text), evaluate(plane, same), 1e-14)) << text;
  }
  expect_mistake(kG3, "point(1, 2, 3)", 0, "3,0,1");
  expect_mistake(space, "point(1, 2)", 0, "2,0,1");
  expect_mistake(space, "point(1)", 0, "takes 2 or 3 arguments, not 1");
  expect_mistake(space, "point(1, e1, 3)", 0, "not e1");
  expect_mistake(space, "line(e1, e2)", 0, "not e1");
  expect_mistake(space, "motor(point(1, 2, 3), 1)", 0, "expects a line");
}

TEST(Calculator, HintsAtLikelyMistakes) {
  Calculator calculator(kG3);
  EXPECT_EQ(calculator.run("2^3")->value, Multivec(kG3, 6));
  EXPECT_NE(calculator.run("2^3")->hint.find("use ** for powers"), std::string::npos);
  EXPECT_NE(calculator.run("e1^2")->hint, "");
  for (const char* right : {"e1^e2", "2**3", "2 e1^e2", "(1 + e1)^e2"}) {
    EXPECT_EQ(calculator.run(right)->hint, "") << right;
  }
  expect_mistake(kG3, "ln(2)", 0, "it is log(x) here");
  expect_mistake(kG3, "ans", 0, "no value yet");
  expect_mistake(kG3, "|e1|", 0, "norm(x)");
  expect_mistake(kG3, "e1!", 2, "!x");
  expect_mistake(kG3, "[1, 2]", 0, "3e1 + 4e2");
}

TEST(Calculator, KeepsVariables) {
  Calculator calculator(kG3);
  const auto assigned = calculator.run("R = exp(-pi/4 * e12)");
  EXPECT_EQ(assigned->variable, "R");
  EXPECT_FALSE(assigned->quiet);
  const auto turned = calculator.run("R >>> e1");
  EXPECT_EQ(turned->variable, "");
  EXPECT_TRUE(near(turned->value, Multivec::unit(kG3, "e2"), 1e-15));
  EXPECT_EQ(calculator.run("ans")->value, turned->value);
  EXPECT_EQ(calculator.variables().size(), 2U);  // R and ans
}

TEST(Calculator, TakesSeveralStatementsAndComments) {
  Calculator calculator(kG3);
  EXPECT_EQ(calculator.run("x = 2; x = x + 1; x**2 # nine")->value, Multivec(kG3, 9));
  EXPECT_TRUE(calculator.run("x = 5;")->quiet);
  EXPECT_FALSE(calculator.run("x = 5; x")->quiet);
  EXPECT_FALSE(calculator.run("").has_value());
  EXPECT_FALSE(calculator.run(" ;; # nothing").has_value());
  EXPECT_EQ(calculator.run("1 + # one\n 2")->value, Multivec(kG3, 3));
}

TEST(Calculator, KeepsAssignmentsBeforeAMistake) {
  Calculator calculator(kG3);
  EXPECT_THROW(calculator.run("x = 2; x = 1/0"), ExpressionError);
  EXPECT_EQ(calculator.run("x")->value, Multivec(kG3, 2));
}

TEST(Expression, PointsAtMistakes) {
  expect_mistake(kG3, "", 0, "empty");
  expect_mistake(kG3, "1 +", 3, "a value was expected");
  expect_mistake(kG3, "1 + * 2", 4, "instead of '*'");
  expect_mistake(kG3, "2 * (1 + 2", 4, "never closed");
  expect_mistake(kG3, "norm((e1)", 4, "never closed");
  expect_mistake(kG3, "1 + 2)", 5, "has no matching opening one");
  expect_mistake(kG3, "e1 e2", 3, "operator is missing");
  expect_mistake(kG3, "2 3", 2, "operator is missing");
  expect_mistake(kG3, "(1, 2)", 2, "comma");
  expect_mistake(kG3, "1 = 2", 2, "assigns");
  expect_mistake(kG3, "1 $ 2", 2, "'$'");
  expect_mistake(kG3, "1 \xe2\x88\xa7 2", 2, "'\xe2\x88\xa7'");
  expect_mistake(kG3, "1 \xff", 2, "0xff");
  expect_mistake(kG3, std::string_view("1\0", 2), 1, "0x00");
  expect_mistake(kG3, "pi/4 e12", 5, "division is ambiguous");
  expect_mistake(kG3, "1/2(e1)", 3, "division is ambiguous");
}

TEST(Expression, NamesUnknownNames) {
  expect_mistake(kG3, "1 + expp(e12)", 4, "did you mean 'exp'?");
  expect_mistake(kG3, "E12", 0, "did you mean 'e12'?");
  expect_mistake(kG3, "R1 = e1; 2 Rl", 11, "did you mean 'R1'?");
  EXPECT_STREQ(mistake(kG3, "x").what(), "there is no variable, constant or blade 'x'");
  expect_mistake(kG3, "2 e4", 3, "G(3,0,0) has no basis vector e4");
  expect_mistake(kG3, "e121", 3, "index 1 occurs twice");
  expect_mistake(kG3, "e99", 1, "e9");
  expect_mistake(kG3, "1e5", 2, "written 1E5");
  expect_mistake(kG3, "exp", 0, "write exp(x)");
  expect_mistake(kG3, "grade(e1)", 0, "grade(x, k) takes 2 arguments, not 1");
  expect_mistake(kG3, "exp(1, 2)", 0, "exp(x) takes 1 argument, not 2");
  expect_mistake(kG3, "e1(2)", 0, "not a function");
  for (const char* text : {"e1 = 2", "exp = 2", "pi = 3", "I = 2"}) {
    expect_mistake(kG3, text, 0, "cannot be assigned to");
  }
}

TEST(Expression, ReportsValuesThatDoNotExist) {
  expect_mistake(kG3, "1 / 0", 2, "no inverse");
  expect_mistake(kG3, "1 / (1 + e1)", 2, "no inverse");
  expect_mistake(kG3, "0**-1", 1, "no inverse");
  expect_mistake(kPga, "1 + inverse(e0)", 4, "no inverse");
  expect_mistake(kG3, "log(e1)", 0, "logarithm");
  expect_mistake(Algebra(1, 1, 0), "log(-exp(e12))", 0, "logarithm");
  expect_mistake(kG3, "grade(e1, 4)", 0, "from 0 to 3");
  expect_mistake(kG3, "grade(e1, 0.5)", 0, "whole number");
  expect_mistake(kG3, "e1**0.5", 2, "whole number");
  expect_mistake(kG3, "sin(e1)", 0, "expects a plain number");
  expect_mistake(kG3, "acos(2)", 0, "acos is not finite");
  expect_mistake(kG3, "1E400", 0, "out of range");
  expect_mistake(kG3, "1E-400", 0, "out of range");
  expect_mistake(kG3, "exp(1000)", 0, "overflows");
  expect_mistake(kG3, "1E200 * 1E200", 6, "result of * is not finite");
  expect_mistake(kG3, "1E308 + 1E308 + 1E308", 6, "result of + is not finite");
  expect_mistake(kG3, "1E200 (1E200)", 6, "not finite");
  expect_mistake(kG3, "1E200**2", 5, "result of ** is not finite");
}

TEST(Expression, RejectsTooDeepOrTooLongExpressions) {
  const auto nested = [](std::size_t depth) {
    std::string text(depth, '(');
    text += '1';
    return text.append(depth, ')');
  };
  EXPECT_EQ(evaluate(kG3, nested(150)), Multivec(kG3, 1));
  expect_mistake(kG3, nested(100000), 200, "more than 200 nested levels");
  std::string powers;
  for (int i = 0; i < 10000; ++i) powers += "1**";
  expect_mistake(kG3, powers + "1", 600, "nested");
  // Signs do not nest and need no stack.
  EXPECT_EQ(evaluate(kG3, std::string(100000, '-') + "1"), Multivec(kG3, 1));
  expect_mistake(kG3, std::string(Calculator::kMostBytes + 1, ' '), Calculator::kMostBytes, "longer than");
}

TEST(Expression, EvaluatesLongSums) {
  std::string text = "0";
  for (int i = 0; i < 20000; ++i) text += " + e1 - 2e23";
  EXPECT_EQ(evaluate(kG3, text), evaluate(kG3, "20000e1 - 40000e23"));
}

TEST(Parse, GivesCompileTimeMultivectors) {
  using Line = KVector<kPga3d, 2, float>;
  const auto line = parse<Line>("e12 - 2e10");
  EXPECT_EQ(line.get<"e12">(), 1.0F);
  EXPECT_EQ(line.get<"e01">(), 2.0F);
  EXPECT_NE(test::error_of([] { parse<Line>("1 + e12"); }).find("blade 1"), std::string::npos);
}

// Any bytes give a value or a gcan::Error, with a column inside the text. Returns the number of values.
int expect_survives(const std::string& text) {
  static const Algebra kAlgebras[] = {Algebra(2), Algebra(0, 0, 2), Algebra::pga2d(), Algebra(1, 1, 0),
                                      Algebra(0)};
  int values = 0;
  for (const Algebra& algebra : kAlgebras) {
    try {
      const Multivec value = evaluate(algebra, text);
      for (const auto& term : value.terms()) EXPECT_TRUE(std::isfinite(term.coefficient)) << text;
      ++values;
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.column, text.size()) << text;
      EXPECT_STRNE(error.what(), "");
    }
  }
  return values;
}

TEST(Expression, SurvivesRandomBytes) {
  test::Random random(7);
  for (int n = 0; n < 3000; ++n) {
    std::string text(static_cast<std::size_t>(random.integer(0, 40)), ' ');
    for (char& c : text) c = static_cast<char>(random.integer(0, 255));
    expect_survives(text);
  }
}

TEST(Expression, SurvivesTokenSoup) {
  std::vector<std::string> tokens{"1",   "2.5", "1e-300", "1E300", "e1", "e2", "e12", "e0",
                                  "e01", "x",   "x =",    "ans",   "pi", "I",  "(",   ")",
                                  "(",   ")",   ",",      ";",     " ",  "\n", "#",   "="};
  for (const char* symbol : {"*", "/", "^", "|", "&", "<<", ">>", ">>>", "-", "+", "~", "!", "**"}) {
    tokens.emplace_back(symbol);
  }
  for (const Function& function : functions()) tokens.push_back(std::string(function.name) + "(");
  test::Random random(8);
  for (int n = 0; n < 5000; ++n) {
    std::string text;
    for (int k = random.integer(1, 12); k > 0; --k) {
      text += tokens[static_cast<std::size_t>(random.integer(0, static_cast<int>(tokens.size()) - 1))];
    }
    expect_survives(text);
  }
}

// Token soup mostly fails at once; sentences are well formed and reach the evaluation.
std::string random_sentence(test::Random& random, int depth) {
  static const char* const kAtoms[] = {"0",  "1",    "2.5", "1e-300", "1E300",
                                       "e1", "2e12", "I",   "pi",     "(1 - e1)"};
  static const char* const kBinary[] = {"*", "/", "^", "|", "&", "<<", ">>", ">>>", "-", "+"};
  const auto pick = [&](const auto& list) {
    return std::string(
        list[static_cast<std::size_t>(random.integer(0, static_cast<int>(std::size(list)) - 1))]);
  };
  if (depth == 0) return pick(kAtoms);
  const auto part = [&] { return random_sentence(random, random.integer(0, depth - 1)); };
  std::string text;
  if (random.integer(0, 1) == 0) {
    text.append("(").append(part()).append(pick(kBinary)).append(part()).append(")");
    return random.integer(0, 3) == 0 ? text.append("**-3") : text;
  }
  const auto all = functions();
  const Function& function =
      all[static_cast<std::size_t>(random.integer(0, static_cast<int>(all.size()) - 1))];
  text.append(function.name).append("(").append(part());
  for (std::size_t i = 1; i < function.arity; ++i) text.append(",").append(part());
  return text.append(")");
}

TEST(Expression, SurvivesRandomSentences) {
  test::Random random(9);
  int values = 0;
  for (int n = 0; n < 3000; ++n) values += expect_survives(random_sentence(random, random.integer(1, 5)));
  EXPECT_GT(values, 3000);
}

}  // namespace expression_test
}  // namespace gcan::expression
