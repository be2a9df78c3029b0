#include "gcan/data/split.h"

#include "gcan/base/error.h"

namespace gcan::data {

Split split_named(const std::string& text) {
  for (const Split split : kSplits) {
    if (text == to_string(split)) return split;
  }
  throw Error("there is no split '" + text + "'; use train, valid or test");
}

}  // namespace gcan::data
