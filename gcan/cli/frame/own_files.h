#pragma once

// The files that are installed with the program: configurations of the paper's networks.

#include <filesystem>
#include <string>

namespace gcan::cli {

// share/gcan of the installation this program belongs to, or of its build folder.
std::filesystem::path own_folder();

// The file of a configuration: the path as given, with .toml, or the same in own_folder(), so that
// "tetris/gca-mlp" is found anywhere. Error, which says where it looked and what was probably meant.
std::string find_configuration(const std::string& given);

}  // namespace gcan::cli
