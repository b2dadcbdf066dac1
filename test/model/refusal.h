// Scenes that are wrong: each is refused with its line, its attribute and a word of what to do.

#ifndef TACTUS_TEST_MODEL_REFUSAL_H
#define TACTUS_TEST_MODEL_REFUSAL_H

#include "tactus/model.h"
#include "test.h"

static inline tacResult load_text(const char* text, tacModel** out, tacMessage* message) {
    return tac_load_text(text, (int)strlen(text), "scene.xml", NULL, out, message);
}

typedef struct badText {
    const char* text;
    tacResult result;
    int line;
    const char *attribute, *word;
} badText;

// `text` is all of the file, which `path` names
static inline int is_text_refused(const char* path, const char* text, const badText* bad) {
    tacMessage message;
    tacModel* untouched = (tacModel*)(void*)&message;
    tacModel* model = untouched;
    int size = (int)strlen(text);
    tacResult result = tac_load_text(text, size, path, NULL, &model, &message);
    int right = result == bad->result && message.line == bad->line &&
                strcmp(message.attribute, bad->attribute) == 0 && strstr(message.text, bad->word) &&
                strcmp(message.file, path) == 0;
    if (!right)
        printf("  %s\n  got %s, line %d: %s: %s\n", text, tac_result_name(result), message.line,
               message.attribute, message.text);
    ENSURE(right);
    ENSURE(model == untouched);
    // also without a message
    ENSURE(tac_load_text(text, size, path, NULL, &model, NULL) == bad->result);
    return 0;
}

// each behind `before`
static inline int are_texts_refused(const char* path, const char* before, const char* after,
                                    const badText* bad, int count) {
    for (int i = 0; i < count; ++i, ++bad) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s%s", before, bad->text, after);
        ENSURE_LAW(is_text_refused(path, text, bad));
    }
    return 0;
}

typedef struct badScene {
    const char *body, *asset; // one of them; what stands in <worldbody> or <asset> from line 2 on
    tacResult result;
    int line;
    const char *attribute, *word;
} badScene;

static inline int is_refused(const char* text, const badScene* bad) {
    badText plain = {text, bad->result, bad->line, bad->attribute, bad->word};
    return is_text_refused("scene.xml", text, &plain);
}

// each in its section, from line 2 on
static inline int are_refused(const badScene* bad, int count) {
    for (int i = 0; i < count; ++i, ++bad) {
        const char* section = bad->body ? "worldbody" : "asset";
        char text[600];
        snprintf(text, sizeof text, "<mujoco><%s>\n%s</%s></mujoco>", section,
                 bad->body ? bad->body : bad->asset, section);
        ENSURE_LAW(is_refused(text, bad));
    }
    return 0;
}

#endif
