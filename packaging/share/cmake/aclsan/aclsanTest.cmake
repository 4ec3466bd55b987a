# A test of aclsan_add_test: cmake -DACLSAN=… -DLOGS=… -DRUN=… -DCHECK=… -P aclsanTest.cmake -- PROGRAM [ARGUMENT…]
set(command)
set(is_command FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(at RANGE 1 ${last})
    if(is_command)
        # A semicolon would split it.
        string(REPLACE ";" "\\;" argument "${CMAKE_ARGV${at}}")
        list(APPEND command "${argument}")
    elseif("${CMAKE_ARGV${at}}" STREQUAL "--")
        set(is_command TRUE)
    endif()
endforeach()

# Logs of an earlier run are not part of this one.
file(REMOVE_RECURSE "${LOGS}")
execute_process(COMMAND "${ACLSAN}" run --no-report -o "${LOGS}/" ${RUN} -- ${command} RESULT_VARIABLE program)
# A failed program is checked, too: the reason may be in its log.
execute_process(COMMAND "${ACLSAN}" check ${CHECK} "${LOGS}/" RESULT_VARIABLE check)
if(NOT check EQUAL 0)
    message(FATAL_ERROR "aclsan check: ${check}; the logs are in ${LOGS}")
endif()
if(NOT program EQUAL 0)
    message(FATAL_ERROR "the program: ${program}")
endif()
