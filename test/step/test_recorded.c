// Results of the library are, to the last bit, those that recorded.txt holds: motions, Jacobians,
// products, Hessians, contacts, dynamics and shapes of many scenes, hashed stage by stage. What
// moves code without changing what it computes leaves all of this alone.
//
//   test_recorded                 compares, and names each case and stage that differs
//   test_recorded --write FILE    writes the section of this machine; TACTUS_ISA chooses the set
//
// Bits depend on instruction set, C library and compiler: a machine without a section of its own
// compares values of a few steps with a tolerance and skips the hashes.

#include "step/recorded_parts.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))

static const char book_path[] = TAC_SOURCE_DIR "/test/step/recorded.txt";

// between sets of instructions: motions of five steps and their Jacobians differ by up to 4e-7,
// plates on plates with hard contact, else by 4e-9
static const double near_enough = 1e-5;

// which share of the cases runs under sanitizers
enum { SHARE = 3 };

static bookCase all[BOOK_CASES];
static int cases, broken;

//---------------------------------- recording ------------------------------------

// the same cases each time: every one, or a few of each kind
static int wanted(int i, int every) { return every || i % SHARE == 0; }

static void record_all(int every) {
    cases = broken = 0;
    for (int i = 0; i < COUNT(recorded_scenes); ++i)
        if (wanted(i, every)) broken += record_scene(&recorded_scenes[i], &all[cases++]);
    for (int i = 0; i < COUNT(recorded_parts); ++i, ++cases) {
        snprintf(all[cases].name, sizeof all[cases].name, "%s", recorded_parts[i].name);
        recorded_parts[i].record(&all[cases]);
    }
    for (int i = 0; i < COUNT(recorded_shape_files); ++i)
        if (wanted(i, every))
            cases += record_shapes(recorded_shape_files[i], &all[cases], BOOK_CASES - cases);
}

//---------------------------------- laws -----------------------------------------

static bookSection book;

// every case of this run, and none that only the book has
static int compare(int (*law)(const bookCase* now, const bookCase* then), int every) {
    int failed = 0;
    for (int i = 0; i < cases; ++i) {
        const bookCase* then = book_find(&book, all[i].name);
        if (!then) printf("  %s: is not recorded\n", all[i].name);
        failed += !then || law(&all[i], then);
    }
    if (every && book.count != cases) {
        printf("  %d cases, %d recorded\n", cases, book.count);
        ++failed;
    }
    return failed;
}

static int near_law(const bookCase* now, const bookCase* then) {
    return book_near(now, then, near_enough);
}

static int every_case(void) { return !getenv("TACTUS_NO_SWEEP"); }

static int values_are_near(void) {
    record_all(every_case());
    ENSURE(book_read(book_path, &book));
    ENSURE(compare(near_law, every_case()) == 0);
    return 0;
}

static int batches_are_single_steps(void) {
    ENSURE(cases > 0 && broken == 0);
    return 0;
}

static int bits_are_the_recorded(void) {
    ENSURE(cases > 0 && book.count > 0);
    if (!book.same) {
        char here[160];
        book_machine(here, sizeof here);
        printf("  recorded: %s\n  here:     %s\n", book.machine, here);
        SKIP("hashes are of other machines; record them there with --write");
    }
    printf("  %d cases, %s\n", cases, book.machine);
    int differ = compare(book_same_bits, every_case());
    if (differ) printf("  %d of %d cases differ\n", differ, cases);
    ENSURE(differ == 0);
    return 0;
}

int main(int argc, char** argv) {
    const testCase tests[] = {RUN(values_are_near), RUN(batches_are_single_steps),
                              RUN(bits_are_the_recorded)};
    if (argc != 3 || strcmp(argv[1], "--write") != 0)
        return test_main(1, argv, tests, COUNT(tests));
    record_all(1);
    if (broken || !book_write(argv[2], all, cases)) {
        fprintf(stderr, "test_recorded: cannot write %s\n", argv[2]);
        return 1;
    }
    printf("%d cases written\n", cases);
    return 0;
}
