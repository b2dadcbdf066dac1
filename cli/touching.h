// Contacts of a scene where its joints stand, for commands that show them.

#ifndef TACTUS_CLI_TOUCHING_H
#define TACTUS_CLI_TOUCHING_H

#include "draw/marks.h"
#include "tactus/contact.h"

// Records of the scene's detector; the caller destroys them. 0, or CLI_WRONG after a complaint by
// `command`.
int cli_touching(tacContacts** out, const char* command, const tacModel* model, const double* qpos);

// activity of the weakest contact that is drawn
#define CLI_MARK_LEAST 0.01

// How contacts are drawn: dots as opaque and normals as long as they are active.
typedef struct cliMarks {
    tacMark* mark; // (count)
    int count;
} cliMarks;

// Marks of all contacts of at least that activity: vertices in fields are blue, edges orange. 0, or
// CLI_WRONG after a complaint.
int cli_marks_make(cliMarks* out, const char* command, const tacModel* model, const double* qpos);
void cli_marks_free(cliMarks* marks);

#endif
