// Contacts of a scene where its joints stand, for commands that show them.

#ifndef TAC_CLI_RENDER_CONTACT_MARKERS_H
#define TAC_CLI_RENDER_CONTACT_MARKERS_H

#include "draw/marks.h"
#include "tactus/contact.h"

// Records of the scene's detector; the caller destroys them. 0, or CLI_ERROR after a complaint by
// `command`.
int cli_contacts_at(tacContacts** out, const char* command, const tacModel* model,
                    const double* qpos);

// activity of the weakest contact that is drawn
#define CLI_MIN_ACTIVITY 0.01

// How contacts are drawn: dots as opaque and normals as long as they are active.
typedef struct cliContactMarkers {
    tacMark* mark; // (count)
    int count;
} cliContactMarkers;

// Marks of all contacts of at least that activity: vertices in fields are blue, edges orange. 0, or
// CLI_ERROR after a complaint.
int cli_contact_markers_make(cliContactMarkers* out, const char* command, const tacModel* model,
                             const double* qpos);
void cli_contact_markers_free(cliContactMarkers* marks);

#endif
