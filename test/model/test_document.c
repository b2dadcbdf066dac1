// Text to tree: positions, limits, and bytes that are no XML.

#include "model/xml/attribute.h"
#include "model/xml/word_suggestion.h"
#include "test.h"

#include <stdlib.h>

typedef struct parsed {
    tacReader reader;
    tacMessage message;
    const tacElement* root;
} parsed;

// the caller closes p->reader
static void parse_text(parsed* p, const char* text, size_t size) {
    *p = (parsed){.reader = {.file = "scene", .allocator = tac_default_allocator()}};
    p->reader.message = &p->message;
    p->root = tac_document_parse(&p->reader, (tacSource){text, size});
}

// is `text` refused with this result at this line, with `word` in the message?
static int is_document_refused(const char* text, size_t size, tacResult result, int line,
                               const char* word) {
    parsed p;
    parse_text(&p, text, size);
    tac_reader_close(&p.reader);
    ENSURE(p.root == NULL);
    ENSURE(p.reader.result == result);
    if (p.message.line != line || !strstr(p.message.text, word))
        printf("  got line %d: %s\n", p.message.line, p.message.text);
    ENSURE(p.message.line == line);
    ENSURE(strstr(p.message.text, word) != NULL);
    return 0;
}

#define REFUSED(text, result, line, word)                                                          \
    ENSURE_LAW(is_document_refused(text, sizeof(text) - 1, result, line, word))

//---------------------------------- positions ------------------------------------

static int lines_are_those_of_the_attributes(void) {
    static const char text[] = "<?xml version='1.0'?>\n<!-- < a='' -->\n<a\n  x='1'\n\n  y =\n '2>'"
                               "\n  z=\"&lt;&#10;\"\n><b w='3'/>\n<c/></a>";
    parsed p;
    parse_text(&p, text, sizeof text - 1);
    ENSURE(p.root != NULL);
    ENSURE(p.root->line == 3 && p.root->count == 3);
    ENSURE(tac_attribute_line(p.root, "x") == 4);
    ENSURE(tac_attribute_line(p.root, "y") == 6);
    ENSURE(tac_attribute_line(p.root, "z") == 8);
    ENSURE(strcmp(tac_attribute(p.root, "y")->value, "2>") == 0);
    ENSURE(strcmp(tac_attribute(p.root, "z")->value, "<\n") == 0);
    const tacElement* b = p.root->child;
    ENSURE(b->line == 9 && b->attributes[0].line == 9 && b->parent == p.root);
    ENSURE(b->next->line == 10 && b->next->next == NULL && p.root->last == b->next);
    tac_reader_close(&p.reader);
    return 0;
}

// libxml2 keeps line numbers in 16 bits, and throws away what it has read of a long text
static int lines_hold_in_a_long_file(void) {
    enum { LINES = 200000, WIDTH = 16 };
    char* text = malloc(LINES * WIDTH + 64);
    ENSURE(text != NULL);
    size_t size = (size_t)sprintf(text, "\xef\xbb\xbf<a>\n");
    for (int i = 2; i < LINES; ++i) size += (size_t)sprintf(text + size, "<b n='%d'/>\n", i);
    size += (size_t)sprintf(text + size, "</a>");
    parsed p;
    parse_text(&p, text, size);
    free(text);
    ENSURE(p.root != NULL);
    for (const tacElement* b = p.root->child; b; b = b->next) {
        ENSURE(b->line == atoi(b->attributes[0].value));
        ENSURE(b->attributes[0].line == b->line);
    }
    tac_reader_close(&p.reader);
    return 0;
}

static int namespaces_of_the_root_do_no_harm(void) {
    static const char text[] = "<a xmlns='u' xmlns:p='v'\n x='1'\n p:y='2'/>";
    parsed p;
    parse_text(&p, text, sizeof text - 1);
    ENSURE(p.root && p.root->count == 2);
    ENSURE(tac_attribute_line(p.root, "x") == 2 && tac_attribute_line(p.root, "p:y") == 3);
    tac_reader_close(&p.reader);
    REFUSED("<a>\n<b xmlns:q='w'/></a>", TAC_ERROR_UNSUPPORTED, 2, "namespaces");
    return 0;
}

//---------------------------------- what is refused ------------------------------

static int broken_xml_is_refused_with_its_line(void) {
    REFUSED("<a>\n<b>\n</a>", TAC_ERROR_SYNTAX, 3, "mismatch");
    REFUSED("<a\n x='1'\n x='2'/>", TAC_ERROR_SYNTAX, 3, "redefined");
    REFUSED("<a x=1/>", TAC_ERROR_SYNTAX, 1, "AttValue");
    REFUSED("<a>", TAC_ERROR_SYNTAX, 1, "XML");
    REFUSED("<a/>\n<b/>", TAC_ERROR_SYNTAX, 2, "XML");
    REFUSED("hello", TAC_ERROR_SYNTAX, 1, "XML");
    REFUSED("<a>\n\nhello</a>", TAC_ERROR_SYNTAX, 3, "text 'hello'");
    REFUSED("<a>&nothing;</a>", TAC_ERROR_SYNTAX, 1, "nothing");
    REFUSED("<a x='&nothing;'/>", TAC_ERROR_SYNTAX, 1, "nothing");
    REFUSED("<a><![CDATA[x]]></a>", TAC_ERROR_SYNTAX, 1, "text");
    return 0;
}

static int document_types_are_refused(void) {
    REFUSED("<!DOCTYPE a>\n<a/>", TAC_ERROR_UNSUPPORTED, 1, "DOCTYPE");
    REFUSED("<?xml version='1.0'?>\n<!DOCTYPE a [\n<!ENTITY b 'c'>\n<!ENTITY d '&b;&b;'>\n]>\n"
            "<a x='&d;'/>",
            TAC_ERROR_UNSUPPORTED, 2, "entities");
    REFUSED("<!DOCTYPE a SYSTEM 'file:///etc/passwd'>\n<a/>", TAC_ERROR_UNSUPPORTED, 1, "DOCTYPE");
    REFUSED("<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>",
            TAC_ERROR_UNSUPPORTED, 1, "DOCTYPE");
    return 0;
}

static int bytes_that_are_not_utf8_are_refused(void) {
    REFUSED("<a>\n<b n='\xff'/></a>", TAC_ERROR_SYNTAX, 2, "UTF-8");
    REFUSED("<a n='\xc0\xaf'/>", TAC_ERROR_SYNTAX, 1, "UTF-8");     // overlong
    REFUSED("<a n='\xed\xa0\x80'/>", TAC_ERROR_SYNTAX, 1, "UTF-8"); // surrogate
    REFUSED("<a n='\xf4\x90\x80\x80'/>", TAC_ERROR_SYNTAX, 1, "UTF-8");
    REFUSED("<a n='\xe2\x82", TAC_ERROR_SYNTAX, 1, "UTF-8"); // cut
    REFUSED("<a>\n\0</a>", TAC_ERROR_SYNTAX, 2, "control");
    REFUSED("\xff\xfe<\0a\0/\0>\0", TAC_ERROR_SYNTAX, 1, "UTF-8"); // UTF-16
    REFUSED("<?xml version='1.0' encoding='UTF-16'?>\n<a", TAC_ERROR_SYNTAX, 2, "XML");
    REFUSED("", TAC_ERROR_FILE, 0, "empty");
    REFUSED(" \n\t ", TAC_ERROR_FILE, 0, "empty");
    return 0;
}

static int valid_utf8_is_kept(void) {
    static const char text[] = "<a n='\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xb2'/>";
    parsed p;
    parse_text(&p, text, sizeof text - 1);
    ENSURE(p.root &&
           strcmp(p.root->attributes[0].value, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xb2") == 0);
    tac_reader_close(&p.reader);
    return 0;
}

static int character_references_are_resolved(void) {
    static const char text[] = "<a n='&amp;&lt;&gt;&quot;&apos;&#38;&#x41;x&amp;amp;'/>";
    parsed p;
    parse_text(&p, text, sizeof text - 1);
    ENSURE(p.root && strcmp(p.root->attributes[0].value, "&<>\"'&Ax&amp;") == 0);
    tac_reader_close(&p.reader);
    return 0;
}

//---------------------------------- limits ---------------------------------------

// a text of `count` times `part`, between `before` and `after`
static char* repeat_text(const char* before, const char* part, int count, const char* after,
                         size_t* size) {
    size_t length = strlen(part);
    char* text = malloc(strlen(before) + length * (size_t)count + strlen(after) + 1);
    if (!text) abort();
    *size = (size_t)sprintf(text, "%s", before);
    for (int i = 0; i < count; ++i, *size += length) memcpy(text + *size, part, length);
    *size += (size_t)sprintf(text + *size, "%s", after);
    return text;
}

static int deep_nesting_is_refused(void) {
    size_t size;
    char* text = repeat_text("", "<a>\n", 100000, "", &size);
    ENSURE_LAW(is_document_refused(text, size, TAC_ERROR_LIMIT, TAC_MAX_NESTING + 1, "nested"));
    free(text);

    // the limit itself is fine
    text = repeat_text("", "<a>", TAC_MAX_NESTING - 1, "<b/>", &size);
    text = realloc(text, size + 4 * TAC_MAX_NESTING);
    ENSURE(text != NULL);
    for (int i = 1; i < TAC_MAX_NESTING; ++i) size += (size_t)sprintf(text + size, "</a>");
    parsed p;
    parse_text(&p, text, size);
    free(text);
    ENSURE(p.root != NULL);
    tac_reader_close(&p.reader);
    return 0;
}

static int too_many_elements_are_refused(void) {
    size_t size;
    char* text = repeat_text("<a>", "<b/>", TAC_MAX_ELEMENTS, "</a>", &size);
    ENSURE_LAW(is_document_refused(text, size, TAC_ERROR_LIMIT, 1, "elements"));
    free(text);
    return 0;
}

// libxml2 takes the square of their number
static int too_many_attributes_are_refused(void) {
    size_t size;
    char* text = repeat_text("<a>\n<b ", "x='' ", 1000000, "/></a>", &size);
    ENSURE_LAW(is_document_refused(text, size, TAC_ERROR_LIMIT, 2, "attributes"));
    free(text);
    return 0;
}

//---------------------------------- numbers and words ----------------------------

static int numbers_are_decimal_and_finite(void) {
    static const char* const good[] = {"0", "-1", "+1.5", ".5", "5.", "1e3", "1E-3", "-.5e+2"};
    static const double values[] = {0.0, -1.0, 1.5, 0.5, 5.0, 1e3, 1e-3, -50.0};
    for (int i = 0; i < 8; ++i) {
        double value;
        const char* end = tac_parse_number(good[i], &value);
        ENSURE(end && *end == '\0');
        ENSURE_NEAR(value, values[i], 0.0);
    }
    static const char* const bad[] = {"",   ".",   "-",   "e5",  "nan", "inf",
                                      "1e", "+-1", "--1", "1e+", "NaN", "infinity"};
    for (int i = 0; i < 12; ++i) {
        double value;
        ENSURE(tac_parse_number(bad[i], &value) == NULL);
    }
    double value;
    ENSURE(*tac_parse_number("0x10", &value) == 'x'); // trailing garbage, for the caller to see
    return 0;
}

static int nearest_word_is_found(void) {
    char near[TAC_SUGGESTION_SIZE];
    ENSURE(tac_suggest_word("spere", "plane sphere union", near) && strcmp(near, "sphere") == 0);
    ENSURE(tac_suggest_word("Sphere", "plane sphere union", near) && strcmp(near, "sphere") == 0);
    ENSURE(tac_suggest_word("szie", "pos size", near) && strcmp(near, "size") == 0);
    ENSURE(!tac_suggest_word("teapot", "plane sphere union", near));
    ENSURE(!tac_suggest_word("", "plane", near));
    ENSURE(tac_word_in_list("pos", "name pos quat") && !tac_word_in_list("po", "name pos quat"));
    ENSURE(!tac_word_in_list("", "name pos quat"));
    return 0;
}

TEST_MAIN(RUN(lines_are_those_of_the_attributes), RUN(lines_hold_in_a_long_file),
          RUN(namespaces_of_the_root_do_no_harm), RUN(broken_xml_is_refused_with_its_line),
          RUN(document_types_are_refused), RUN(bytes_that_are_not_utf8_are_refused),
          RUN(valid_utf8_is_kept), RUN(character_references_are_resolved),
          RUN(deep_nesting_is_refused), RUN(too_many_elements_are_refused),
          RUN(too_many_attributes_are_refused), RUN(numbers_are_decimal_and_finite),
          RUN(nearest_word_is_found))
