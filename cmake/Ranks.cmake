# Whether processes can be ranks of one run. c10d's Gloo is in libtorch_cpu.so, but the wheel lacks headers that its class
# names: models/gloo_names stands for them, which rests on the layout of one version of LibTorch.
# Sets GOLDENTRACE_RANKS_MISSING: why there are none, or "".
option(GOLDENTRACE_RANKS "Ranks of one run as processes, over c10d" ON)

set(GOLDENTRACE_RANKS_MISSING "")
file(STRINGS ${GOLDENTRACE_TORCH_DIR}/include/torch/headeronly/version.h _version REGEX "^ *\"[0-9.]+")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" _version "${_version}")
if(NOT GOLDENTRACE_RANKS)
  set(GOLDENTRACE_RANKS_MISSING "they were switched off with GOLDENTRACE_RANKS")
elseif(NOT _version STREQUAL GOLDENTRACE_TORCH_VERSION)
  set(GOLDENTRACE_RANKS_MISSING "they need LibTorch ${GOLDENTRACE_TORCH_VERSION}, this is ${_version}")
elseif(NOT EXISTS ${GOLDENTRACE_TORCH_DIR}/include/torch/csrc/distributed/c10d/ProcessGroupGloo.hpp)
  set(GOLDENTRACE_RANKS_MISSING "this LibTorch was built without c10d's Gloo")
endif()
if(GOLDENTRACE_RANKS_MISSING)
  message(STATUS "Ranks: none, ${GOLDENTRACE_RANKS_MISSING}")
endif()
