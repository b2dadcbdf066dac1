#!/usr/bin/env bash
# test_install.sh BUILD_DIR: an installed Tactus serves a program of a user, found by pkg-config
# (shared and static) and by CMake's find_package (shared and static), also after it was moved.
# plain build only
# shellcheck disable=SC2046,SC2086  # pkg-config answers with several words
set -euo pipefail
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0 failed=0

# law NAME COMMAND…: counts a command, shows what it printed if it fails
law() {
    local name=$1
    shift
    if "$@" >law.log 2>&1; then
        passed=$((passed + 1))
        echo "ok   $name"
    else
        failed=$((failed + 1))
        sed 's/^/  /' law.log
        echo "FAIL $name"
    fi
}

cat >user.c <<'END'
#include <stdio.h>
#include <string.h>
#include <tactus/tactus.h>

int main(void) {
    tacOptions options = tac_default_options();
    tacModel* model = NULL;
    tacMessage message = {0};
    tacResult result = tac_load("no_such_scene.xml", &options, &model, &message);
    printf("%s: %s\n", tac_result_name(result), message.text);
    return !(result == TAC_ERROR_FILE && model == NULL && strstr(message.file, "no_such_scene"));
}
END
mkdir user
cat >user/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(user C)
find_package(Tactus REQUIRED)
add_executable(shared ../user.c)
target_link_libraries(shared PRIVATE Tactus::tactus)
add_executable(static ../user.c)
target_link_libraries(static PRIVATE Tactus::tactus_static)
END

install_all() {
    cmake --install "$build" --prefix "$work/first" && mv first prefix &&
        prefix/bin/tactus --version && test -f prefix/lib/libtactus.a -a -f prefix/lib/libtactus.so
}

# does the program load the shared Tactus? (yes or no)
loads_tactus() { readelf -d "$1" | grep -q 'NEEDED.*libtactus' && echo yes || echo no; }

shared_by_pkgconfig() {
    gcc -std=c17 -Wall -Wextra -Werror user.c -o pkg_shared $(pkg-config --cflags --libs tactus) &&
        [[ $(loads_tactus pkg_shared) == yes ]] && LD_LIBRARY_PATH=prefix/lib ./pkg_shared
}
static_by_pkgconfig() {
    local libraries
    libraries=$(pkg-config --static --cflags --libs tactus) &&
        gcc -std=c17 user.c -o pkg_static ${libraries/-ltactus/-l:libtactus.a} &&
        [[ $(loads_tactus pkg_static) == no ]] && ./pkg_static
}
build_by_cmake() {
    cmake -S user -B user/build -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" &&
        cmake --build user/build
}
shared_by_cmake() { [[ $(loads_tactus user/build/shared) == yes ]] && user/build/shared; }
static_by_cmake() { [[ $(loads_tactus user/build/static) == no ]] && user/build/static; }

# experiments and benchmarks with scenes, from another folder and by an installed copy; the pushes
# themselves take minutes, so the first row is enough
scenes_are_found() {
    [[ -f prefix/share/tactus/scenes/t_4k.obj ]] && prefix/bin/tactus check prefix/share/tactus/scenes/cup.xml &&
        (cd / && "$work/prefix/bin/tactus" reproduce plastic-walk >/dev/null) &&
        first_row_of_pushes
}
first_row_of_pushes() {
    (cd / && timeout 300 "$work/prefix/bin/tactus" reproduce scm-push --json 2>&1 | head -1) >row
    grep -q '"pass": true' row
}
other_scenes() {
    local answer
    answer=$(TACTUS_SCENES=$work/nowhere prefix/bin/tactus reproduce scm-push 2>&1 || true)
    [[ $answer == *"$work/nowhere"* ]]
}

law "program, headers and both libraries are installed" install_all
law "the installed program finds its scenes in any folder" scenes_are_found
law "TACTUS_SCENES names another folder" other_scenes
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
law "pkg-config finds the shared library" shared_by_pkgconfig
law "pkg-config finds the static library" static_by_pkgconfig
law "find_package(Tactus) serves both" build_by_cmake
law "Tactus::tactus is the shared library" shared_by_cmake
law "Tactus::tactus_static is the static library" static_by_cmake
echo "$passed passed, $failed failed"
exit $((failed > 0))
