// Operations on matrices and their types (model/isa/matrix), under the names that this folder uses.
#pragma once

#include "model/isa/matrix/operation.h"

namespace smsim::sm::compute::matrix {

using namespace isa::matrix;

} // namespace smsim::sm::compute::matrix
