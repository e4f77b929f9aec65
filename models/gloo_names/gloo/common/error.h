// Nothing of this header is used by LibTorch's ProcessGroupGloo.hpp.
#pragma once
