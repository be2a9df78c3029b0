#pragma once

// Files installed with the program: configurations of the paper's networks.

#include <filesystem>
#include <string>

namespace gcan::cli {

// share/gcan of this program's installation or build folder.
std::filesystem::path own_folder();

// The file of a configuration: the path as given, with .toml, or in own_folder(), so "tetris/gca-mlp" works
// in any folder. Error with the places searched and a suggestion.
std::string find_configuration(const std::string& given);

}  // namespace gcan::cli
