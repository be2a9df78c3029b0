#include "gcan/algebra/error.h"
