// The marks of traces/clones.h. In this folder contraction to fused multiply-add is off, so every translation gives the
// same bits.
#pragma once

#include "traces/clones.h"
