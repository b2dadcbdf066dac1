// Contacts of a scene in a configuration, and their markers in pictures.

#ifndef TAC_CLI_RENDER_CONTACT_MARKERS_H
#define TAC_CLI_RENDER_CONTACT_MARKERS_H

#include "draw/marks.h"
#include "tactus/contact.h"
#include "tactus/state.h"

// Records of the scene's detector; the caller destroys them. 0, or CLI_ERROR after a message.
int cli_contacts_at(tacContacts** out, const char* command, const tacModel* model,
                    const double* qpos);

// activity of the weakest contact that is drawn
#define CLI_MIN_ACTIVITY 0.01

// Markers: the activity sets the opacity of dots and the length of normals.
typedef struct cliContactMarkers {
    tacMark* mark; // (count)
    int count;
} cliContactMarkers;

// Marks of all contacts of at least that activity: vertices in fields are blue, edges orange. Of
// respond="scm" the forces on the second bodies of all pairs, red, the largest of full length. 0,
// or CLI_ERROR after a message.
int cli_contact_markers_make(cliContactMarkers* out, const char* command, const tacModel* model,
                             const tacState* state, const double* ctrl);
void cli_contact_markers_free(cliContactMarkers* marks);

#endif
