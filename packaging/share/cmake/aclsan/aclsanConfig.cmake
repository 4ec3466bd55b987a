# find_package(aclsan): the simulator of AscendCL, the annotations of aclsan.h, and tests that run under aclsan.
#
#   aclsan::annotations              aclsan.h; headers only
#   aclsan::ascendcl, aclsan::…      a target for each library of the simulator, libascendcl.so and so on
#   ACLSAN_EXECUTABLE                the command
#   aclsan_add_test(…)               see below

# A package has its files in lib/aclsan, a Cargo target folder beside this share.
get_filename_component(_aclsan_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_aclsan_root "${_aclsan_prefix}/lib/aclsan")
if(NOT EXISTS "${_aclsan_root}/simulator")
    set(_aclsan_root "${_aclsan_prefix}")
endif()

# The command of this package, not of another in PATH.
find_program(ACLSAN_EXECUTABLE aclsan HINTS "${_aclsan_prefix}/bin" "${_aclsan_prefix}" NO_DEFAULT_PATH)
if(NOT ACLSAN_EXECUTABLE OR NOT EXISTS "${_aclsan_root}/simulator/lib/libascendcl.so")
    set(aclsan_FOUND FALSE)
    set(aclsan_NOT_FOUND_MESSAGE "${_aclsan_prefix} lacks bin/aclsan or lib/aclsan/simulator: the installation is not complete")
    return()
endif()

if(NOT TARGET aclsan::annotations)
    add_library(aclsan::annotations INTERFACE IMPORTED)
    set_target_properties(aclsan::annotations PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_aclsan_root}/include")
endif()
file(GLOB _aclsan_libraries "${_aclsan_root}/simulator/lib/lib*.so")
foreach(_aclsan_library IN LISTS _aclsan_libraries)
    get_filename_component(_aclsan_name "${_aclsan_library}" NAME_WE)
    string(REGEX REPLACE "^lib" "aclsan::" _aclsan_name "${_aclsan_name}")
    if(NOT TARGET ${_aclsan_name})
        add_library(${_aclsan_name} SHARED IMPORTED)
        set_target_properties(${_aclsan_name} PROPERTIES
            IMPORTED_LOCATION "${_aclsan_library}"
            INTERFACE_INCLUDE_DIRECTORIES "${_aclsan_root}/simulator/include")
    endif()
endforeach()

# aclsan_add_test(NAME name [NPU] [RUN option…] [CHECK option…] COMMAND program [argument…])
#
# A test that runs the program under `aclsan run --simulate`, or on the NPU of this machine, and judges it by `aclsan check`. It fails if the program
# does, on findings of level error, on leaks, on exceeded budgets, and if no call of AscendCL was seen. RUN has options of `aclsan run`, such as
# `--guard off`; CHECK those of `aclsan check`, such as `--max-peak 12GiB`.
set_property(GLOBAL PROPERTY ACLSAN_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/aclsanTest.cmake")
function(aclsan_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 test "NPU" "NAME" "RUN;CHECK;COMMAND")
    if(test_UNPARSED_ARGUMENTS OR NOT test_NAME OR NOT test_COMMAND)
        message(FATAL_ERROR "aclsan_add_test needs NAME and COMMAND; it does not know `${test_UNPARSED_ARGUMENTS}`")
    endif()
    list(GET test_COMMAND 0 program)
    if(TARGET ${program})
        list(REMOVE_AT test_COMMAND 0)
        list(INSERT test_COMMAND 0 "$<TARGET_FILE:${program}>")
    endif()
    if(NOT test_NPU)
        list(INSERT test_RUN 0 --simulate)
    endif()
    get_property(script GLOBAL PROPERTY ACLSAN_SCRIPT)
    string(MAKE_C_IDENTIFIER "${test_NAME}" folder)
    add_test(NAME ${test_NAME} COMMAND ${CMAKE_COMMAND}
        "-DACLSAN=${ACLSAN_EXECUTABLE}" "-DLOGS=${CMAKE_CURRENT_BINARY_DIR}/aclsan/${folder}" "-DRUN=${test_RUN}" "-DCHECK=${test_CHECK}"
        -P "${script}" -- ${test_COMMAND})
endfunction()
