# Python with the peers (torch, transformers, h5py …): $GOLDENTRACE_PYTHON, $GOLDENTRACE_DEPS/venv, <source>/.deps/venv.
function(_goldentrace_find_python RESULT)
  foreach(candidate IN ITEMS "$ENV{GOLDENTRACE_PYTHON}" "$ENV{GOLDENTRACE_DEPS}/venv/bin/python"
                             "${PROJECT_SOURCE_DIR}/.deps/venv/bin/python")
    if(candidate AND EXISTS ${candidate})
      set(${RESULT} ${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# gt_python_test(NAME FOLDER folder [ENVIRONMENT A=b …] [LABELS slow] [TIMEOUT seconds]) runs the folder's pytest files.
function(gt_python_test NAME)
  cmake_parse_arguments(ARG "" "FOLDER;TIMEOUT" "ENVIRONMENT;LABELS" ${ARGN})
  _goldentrace_find_python(python)
  if(NOT python)
    message(STATUS "Python with the peers not found: no test ${NAME}; run 'make deps'")
    return()
  endif()
  add_test(NAME ${NAME} COMMAND ${python} -m pytest -q -p no:cacheprovider ${ARG_FOLDER})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
                       ENVIRONMENT "GOLDENTRACE_BIN=${PROJECT_BINARY_DIR}/bin;PYTHONDONTWRITEBYTECODE=1;${ARG_ENVIRONMENT}")
endfunction()
