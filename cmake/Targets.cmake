# Compiler settings shared by every target, and the two functions that every folder uses.
add_library(goldentrace_options INTERFACE)
target_compile_options(goldentrace_options INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
                       $<$<BOOL:${GOLDENTRACE_WERROR}>:-Werror>)
# at::RecordFunction has another layout without NDEBUG than in the LibTorch wheel.
target_compile_definitions(goldentrace_options INTERFACE NDEBUG)
if(GOLDENTRACE_SANITIZE)
  # GCC's -Wmaybe-uninitialized is wrong about instrumented code, that of std::regex for one.
  target_compile_options(goldentrace_options INTERFACE -fsanitize=${GOLDENTRACE_SANITIZE} -fno-omit-frame-pointer
                         -Wno-maybe-uninitialized)
  target_link_options(goldentrace_options INTERFACE -fsanitize=${GOLDENTRACE_SANITIZE})
endif()
if(GOLDENTRACE_LIBFUZZER)
  target_compile_options(goldentrace_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# UNITY compiles several sources as one unit: where LibTorch's headers cost more than the code, it saves most of the time.
# gt_library(NAME [UNITY] SOURCES a.cpp … HEADERS a.h … DEPENDS target …  PRIVATE_DEPENDS target …)
# makes the static library goldentrace_NAME, alias goldentrace::NAME, with the public headers named.
function(gt_library NAME)
  cmake_parse_arguments(ARG "UNITY" "" "SOURCES;HEADERS;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  set(target goldentrace_${NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(goldentrace::${NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${NAME} UNITY_BUILD ${ARG_UNITY})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/goldentrace>)
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE $<BUILD_INTERFACE:goldentrace_options> ${ARG_PRIVATE_DEPENDS})
  install(TARGETS ${target} EXPORT goldentraceTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/goldentrace)
endfunction()

# gt_program(NAME SOURCES … DEPENDS …) makes an installed executable NAME.
function(gt_program NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${NAME} PRIVATE ${ARG_DEPENDS} goldentrace_options)
  install(TARGETS ${NAME} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# gt_test(NAME SOURCES … DEPENDS … [LABELS slow] [TIMEOUT seconds]) makes a GoogleTest program run by ctest.
# One ctest entry per program: listing tests of a LibTorch program costs a start of LibTorch each.
# Units whose speed does not matter under sanitizers, where optimizing them is most of the time of a build.
function(gt_quick_to_build TARGET)
  if(GOLDENTRACE_SANITIZE)
    target_compile_options(${TARGET} PRIVATE -O0)
  endif()
endfunction()

function(gt_test NAME)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS;LABELS;ENVIRONMENT" ${ARGN})
  add_executable(test_${NAME} ${ARG_SOURCES})
  target_include_directories(test_${NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test_${NAME} PRIVATE ${ARG_DEPENDS} goldentrace_options GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(test_${NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gt_quick_to_build(test_${NAME})
  add_test(NAME ${NAME} COMMAND test_${NAME})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
                       ENVIRONMENT "GOLDENTRACE_BIN=${PROJECT_BINARY_DIR}/bin;${ARG_ENVIRONMENT}")
endfunction()
