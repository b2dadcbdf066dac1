# One source, several number types: object files per instruction set, and number builds that are
# linked into one relocatable object whose symbols are local but for a few.

set(TACTUS_X86 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(TACTUS_X86 ON)
endif()
if(TACTUS_X86)
    find_library(TACTUS_MVEC mvec)
endif()
if(NOT TACTUS_MVEC)
    set(TACTUS_MVEC "")
endif()

set(TACTUS_ISA_FLAGS_baseline "")
set(TACTUS_ISA_FLAGS_avx2 -mavx2 -mfma)
set(TACTUS_ISA_FLAGS_avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw
                            -mprefer-vector-width=512)
set(TACTUS_ISAS baseline)
if(TACTUS_X86)
    list(APPEND TACTUS_ISAS avx2 avx512)
endif()
# -O3 unrolls the lock-step loops of kernels; a kernel symbol ends in its instruction set
set(TACTUS_KERNEL_FLAGS $<$<CONFIG:Release>:-O3>)

# sanitized builds are for tests: kernels that this machine cannot run are made as fast as may be
if(TACTUS_X86 AND TACTUS_SANITIZE AND EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo machine_flags REGEX "^flags" LIMIT_COUNT 1)
    if(NOT machine_flags MATCHES "avx512bw")
        list(APPEND TACTUS_ISA_FLAGS_avx512 -O0 -g0 -fno-sanitize=all)
    endif()
endif()

# tactus_isa_objects(NAME sources…): NAME_OBJECTS holds the objects of every instruction set
function(tactus_isa_objects name)
    set(objects "")
    foreach(isa ${TACTUS_ISAS})
        if(ARGN)
            add_library(${name}_${isa} OBJECT ${ARGN})
            target_compile_options(${name}_${isa} PRIVATE ${TACTUS_KERNEL_FLAGS}
                                                          ${TACTUS_ISA_FLAGS_${isa}})
            target_compile_definitions(${name}_${isa} PRIVATE TAC_ISA=${isa})
            target_include_directories(${name}_${isa} PRIVATE ${CMAKE_SOURCE_DIR})
            list(APPEND objects $<TARGET_OBJECTS:${name}_${isa}>)
        endif()
    endforeach()
    set(${name}_OBJECTS ${objects} PARENT_SCOPE)
endfunction()

# tactus_number_objects(NAME complex|quad sources…): object library NAME_objects in that number type
function(tactus_number_objects name number)
    string(TOUPPER ${number} upper)
    add_library(${name}_objects OBJECT ${ARGN})
    target_compile_definitions(${name}_objects PRIVATE
        TAC_NUMBER_${upper} TAC_ISA=${number} TAC_NUMBER_NAME=${number})
    # complex products without the C99 recovery of infinities (a call per product); quad is not ISO C
    target_compile_options(${name}_objects PRIVATE -Wno-pedantic
        $<$<AND:$<C_COMPILER_ID:GNU>,$<STREQUAL:${number},complex>>:-fcx-limited-range>)
    # quad is for checks alone, slow, and the same source as double: sanitizers watch that one
    if(TACTUS_SANITIZE AND number STREQUAL "quad")
        target_compile_options(${name}_objects PRIVATE -fno-sanitize=all)
    endif()
endfunction()

# tactus_number_object(NAME NUMBER complex|quad KEEP pattern SOURCES … OBJECTS …):
# NAME_OBJECT is one object file in which only symbols like the pattern are visible; OBJECTS are
# object files of the same number type to be linked in
function(tactus_number_object name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "NUMBER;KEEP" "SOURCES;OBJECTS")
    tactus_number_objects(${name} ${arg_NUMBER} ${arg_SOURCES})
    set(object ${CMAKE_BINARY_DIR}/${name}.o)
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_LINKER} -r -o ${object} $<TARGET_OBJECTS:${name}_objects> ${arg_OBJECTS}
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=${arg_KEEP} ${object}
        DEPENDS ${name}_objects $<TARGET_OBJECTS:${name}_objects> ${arg_OBJECTS}
        COMMAND_EXPAND_LISTS VERBATIM
        COMMENT "Linking ${arg_NUMBER} build ${name}.o")
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    add_custom_target(${name}_object DEPENDS ${object})
    set(${name}_OBJECT ${object} PARENT_SCOPE)
endfunction()
