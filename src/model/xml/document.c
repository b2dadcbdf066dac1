// XML to a tree of elements, by libxml2's SAX interface.
//
//   source.c --bytes--> [this file] --tree--> schema.c, *_reader.c
//
// SAX and not libxml2's tree: limits hold while parsing, a DOCTYPE stops it before an entity is
// declared, memory is the caller's, and the position of each attribute is known.

#include "model/xml/document.h"

#include "model/xml/urdf.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <string.h>

typedef struct documentBuilder {
    tacReader* reader;
    xmlParserCtxt* context;
    tacSource source;
    size_t cursor; // lines are counted up to this byte of the source
    int line;
    int before; // lines of the files before this one
    tacElement *root, *current;
    int depth, elements;
} documentBuilder;

//---------------------------------- lines ----------------------------------------

// line of a byte; calls come with growing positions, so the source is counted once
static int line_at(documentBuilder* builder, size_t position) {
    for (; builder->cursor < position; ++builder->cursor)
        builder->line += builder->source.text[builder->cursor] == '\n';
    return builder->line;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static size_t skip_blank(tacSource source, size_t at) {
    while (at < source.size && is_blank(source.text[at])) ++at;
    return at;
}

// start of the tag that the parser has just read: "<" cannot occur inside a tag
static size_t tag_start(const documentBuilder* builder) {
    long consumed = xmlByteConsumed(builder->context);
    size_t at = consumed < 0 ? 0 : (size_t)consumed;
    if (at >= builder->source.size) at = builder->source.size - 1;
    while (at > 0 && builder->source.text[at] != '<') --at;
    return at;
}

// is this name at `at`, as a whole word?
static int is_name(tacSource source, size_t at, const char* name) {
    size_t length = strlen(name);
    if (length >= source.size - at || memcmp(source.text + at, name, length) != 0) return 0;
    char after = source.text[at + length];
    return after == '=' || is_blank(after);
}

// libxml2 reports the line where a tag ends; scan the tag again for the lines of its attributes
static void find_lines(documentBuilder* builder, tacElement* element) {
    tacSource source = builder->source;
    size_t at = tag_start(builder);
    element->line = line_at(builder, at);
    at += 1 + strlen(element->name);
    for (int i = 0; i < element->count;) {
        at = skip_blank(source, at);
        size_t name = at;
        while (at < source.size && source.text[at] != '"' && source.text[at] != '\'') ++at;
        if (at >= source.size) return;
        // declarations of namespaces are in the tag, but are not attributes
        if (is_name(source, name, element->attributes[i].name))
            element->attributes[i++].line = line_at(builder, name);
        char quote = source.text[at++];
        while (at < source.size && source.text[at] != quote) ++at;
        ++at;
    }
}

//---------------------------------- events ---------------------------------------

// line where the parser is
static int current_line(const documentBuilder* builder) {
    return builder->before + (builder->context->input ? builder->context->input->line : 0);
}

static void stop_parser(documentBuilder* builder) { xmlStopParser(builder->context); }

// "local" or "prefix:local", as in the file
static const char* copy_name(documentBuilder* builder, const xmlChar* local,
                             const xmlChar* prefix) {
    return prefix ? tac_reader_text(builder->reader, "%s:%s", (const char*)prefix, local)
                  : tac_reader_text(builder->reader, "%s", (const char*)local);
}

// libxml2 passes five pointers per attribute: local name, prefix, namespace, value, its end
static void copy_attributes(documentBuilder* builder, tacElement* element, int count,
                            const xmlChar** fives) {
    tacReader* reader = builder->reader;
    tacAttribute* attributes = tac_reader_alloc(reader, sizeof(tacAttribute) * (size_t)count);
    for (int i = 0; attributes && i < count; ++i) {
        const xmlChar** five = fives + 5 * i;
        attributes[i].name = copy_name(builder, five[0], five[1]);
        attributes[i].value =
            tac_reader_text(reader, "%.*s", (int)(five[4] - five[3]), (const char*)five[3]);
    }
    element->attributes = attributes;
    element->count = count;
}

static void link_child(documentBuilder* builder, tacElement* element) {
    tacElement* parent = builder->current;
    element->parent = parent;
    if (!parent)
        builder->root = element;
    else if (parent->last)
        parent->last->next = element;
    else
        parent->child = element;
    if (parent) parent->last = element;
    builder->current = element;
}

static void check_limits(documentBuilder* builder) {
    if (++builder->depth > TAC_MAX_NESTING)
        tac_reader_fail(builder->reader, TAC_ERROR_LIMIT, line_at(builder, tag_start(builder)),
                        NULL, "elements are nested more than %d levels deep", TAC_MAX_NESTING);
    if (++builder->elements > TAC_MAX_ELEMENTS)
        tac_reader_fail(builder->reader, TAC_ERROR_LIMIT, line_at(builder, tag_start(builder)),
                        NULL, "a scene file has at most %d elements", TAC_MAX_ELEMENTS);
}

// with namespaces below the root, each prefixed name would search all of them
static void check_namespaces(documentBuilder* builder, int count) {
    if (count > 0 && builder->depth > 1)
        tac_reader_fail(builder->reader, TAC_ERROR_UNSUPPORTED,
                        line_at(builder, tag_start(builder)), "xmlns",
                        "namespaces are only allowed at the root of a scene; remove xmlns");
}

static void on_start(void* user, const xmlChar* local, const xmlChar* prefix, const xmlChar* uri,
                     int namespaces, const xmlChar** declared, int count, int defaults,
                     const xmlChar** attributes) {
    (void)uri;
    (void)declared;
    (void)defaults;
    documentBuilder* builder = user;
    check_limits(builder);
    check_namespaces(builder, namespaces);
    tacElement* element = tac_reader_alloc(builder->reader, sizeof *element);
    if (element) {
        element->name = copy_name(builder, local, prefix);
        copy_attributes(builder, element, count, attributes);
    }
    if (builder->reader->result != TAC_OK) {
        stop_parser(builder);
        return;
    }
    find_lines(builder, element);
    link_child(builder, element);
}

static void on_end(void* user, const xmlChar* local, const xmlChar* prefix, const xmlChar* uri) {
    (void)local;
    (void)prefix;
    (void)uri;
    documentBuilder* builder = user;
    if (builder->reader->result != TAC_OK || !builder->current) return;
    builder->current = builder->current->parent;
    --builder->depth;
}

// MuJoCo ignores the text of a URDF; it is reported where it is not that of another program
static void keep_stray_text(documentBuilder* builder, const char* text, int length) {
    tacReader* reader = builder->reader;
    if (reader->stray_text || !tac_urdf_knows(builder->current)) return;
    reader->stray_line = current_line(builder);
    reader->stray_text = tac_reader_text(reader, "%.*s", length < 30 ? length : 30, text);
}

static void on_text(void* user, const xmlChar* text, int length) {
    documentBuilder* builder = user;
    int i = 0;
    while (i < length && is_blank((char)text[i])) ++i;
    if (i == length || builder->reader->result != TAC_OK) return;
    if (builder->root && strcmp(builder->root->name, "robot") == 0) {
        keep_stray_text(builder, (const char*)text + i, length - i);
        return;
    }
    tac_reader_fail(builder->reader, TAC_ERROR_SYNTAX, current_line(builder), NULL,
                    "text '%.*s' between elements; a scene has elements and attributes only",
                    length - i < 30 ? length - i : 30, (const char*)text + i);
    stop_parser(builder);
}

static void on_doctype(void* user, const xmlChar* name, const xmlChar* id, const xmlChar* system) {
    (void)name;
    (void)id;
    (void)system;
    documentBuilder* builder = user;
    tac_reader_fail(
        builder->reader, TAC_ERROR_UNSUPPORTED, current_line(builder), "<!DOCTYPE>",
        "document types are refused, as entities can expand to gigabytes; remove <!DOCTYPE ...>");
    stop_parser(builder);
}

// errors of libxml2; its warnings are ignored
static void on_error(void* user, xmlError* error) {
    documentBuilder* builder = user;
    if (error->level < XML_ERR_ERROR) return;
    if (error->code == XML_ERR_NO_MEMORY) {
        tac_reader_fail(builder->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
        return;
    }
    char text[200];
    snprintf(text, sizeof text, "%s", error->message ? error->message : "not well-formed XML");
    text[strcspn(text, "\n")] = '\0';
    int is_long = strstr(text, "AttValue length") != NULL;
    tac_reader_fail(
        builder->reader, TAC_ERROR_SYNTAX, builder->before + error->line, NULL, "XML syntax: %s%s",
        text, is_long ? ": an attribute has at most 10 MB; put the numbers into a 'file'" : "");
}

//---------------------------------- parser ---------------------------------------

static void initialize_libxml2(void) { xmlInitParser(); }

static xmlParserCtxt* open_parser(documentBuilder* builder) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize_libxml2);
    xmlParserCtxt* context =
        xmlCreateMemoryParserCtxt(builder->source.text, (int)builder->source.size);
    if (!context) {
        tac_reader_fail(builder->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
        return NULL;
    }
    // IGNORE_ENC: the bytes are known to be UTF-8, whatever the declaration says. NOENT: &amp;
    // becomes
    // &; no entity is ever declared
    xmlCtxtUseOptions(context, XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_NOERROR |
                                   XML_PARSE_NOWARNING | XML_PARSE_IGNORE_ENC |
                                   XML_PARSE_BIG_LINES);
    // all other events stay off; the context's error handler replaces that of the process
    *context->sax = (xmlSAXHandler){.initialized = XML_SAX2_MAGIC,
                                    .startElementNs = on_start,
                                    .endElementNs = on_end,
                                    .characters = on_text,
                                    .cdataBlock = on_text,
                                    .internalSubset = on_doctype,
                                    .serror = on_error};
    context->userData = builder;
    return builder->context = context;
}

tacElement* tac_document_parse(tacReader* reader, tacSource source) {
    source = tac_source_check(reader, source);
    if (reader->result != TAC_OK) return NULL;
    documentBuilder builder = {.reader = reader,
                               .source = source,
                               .line = reader->lines + 1,
                               .before = reader->lines,
                               .elements = reader->elements};
    xmlParserCtxt* context = open_parser(&builder);
    if (!context) return NULL;
    xmlParseDocument(context);
    if (!context->wellFormed || !builder.root || builder.current)
        tac_reader_fail(reader, TAC_ERROR_SYNTAX, current_line(&builder), NULL,
                        "not well-formed XML");
    xmlFreeParserCtxt(context);
    reader->lines = line_at(&builder, source.size) + 1;
    reader->elements = builder.elements;
    return reader->result == TAC_OK ? builder.root : NULL;
}
