// A clang-tidy plugin for tools/lint that restricts checks to our own code. clang-tidy 14 analyses all
// included headers and discards the findings; with LibTorch's headers that takes nearly all of its time.

#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>

#include <vector>

namespace {

using clang::ast_matchers::MatchFinder;

// The traversal starts with the translation unit: there we set the declarations to visit.
class OwnCodeOnly : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(MatchFinder* finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl(), this);
  }

  void check(const MatchFinder::MatchResult& result) override {
    clang::ASTContext& context = *result.Context;
    std::vector<clang::Decl*> own;
    for (clang::Decl* declaration : context.getTranslationUnitDecl()->noload_decls()) {
      const auto place = result.SourceManager->getExpansionLoc(declaration->getLocation());
      if (place.isValid() && !result.SourceManager->isInSystemHeader(place)) own.push_back(declaration);
    }
    context.setTraversalScope(own);
  }
};

class Module : public clang::tidy::ClangTidyModule {
 public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    factories.registerCheck<OwnCodeOnly>("gcan-own-code-only");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> added("gcan", "What gcan's tools/lint adds.");

}  // namespace
