#include "gcan/models/catalog.h"

#include "gcan/base/error.h"
#include "gcan/base/spelling.h"

namespace gcan::models {

const std::vector<NetworkEntry>& catalog() {
  static const std::vector<NetworkEntry> entries = [] {
    std::vector<NetworkEntry> all = tetris_catalog();
    for (NetworkEntry& entry : fluid_catalog()) all.push_back(std::move(entry));
    return all;
  }();
  return entries;
}

const NetworkEntry& catalog_entry(std::string_view name) {
  std::vector<std::string> names;
  for (const NetworkEntry& entry : catalog()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw Error("there is no network '" + std::string(name) + "'" +
              base::did_you_mean(name, names, "; 'gcan list' shows all"));
}

}  // namespace gcan::models
