// Initial state of a command: qpos0 of the scene, a keyframe, numbers of options, or a row of a
// file.

#ifndef TAC_CLI_SCENE_INITIAL_STATE_H
#define TAC_CLI_SCENE_INITIAL_STATE_H

#include "cli/scene/load.h"

// The option --contact, the same for all commands.
#define CLI_CONTACT_OPTION(text)                                                                   \
    {                                                                                              \
        "contact", 0, CLI_TEXT, text, "WHAT",                                                      \
            "replace the scene's: manifold, scm, lcp, \"detect=manifold tau=.003\", none", 0, 0    \
    }

// as typed
typedef struct cliInitialStateOptions {
    const char *qpos, *qvel; // numbers, or NULL
    const char* key;         // keyframe of the scene by name or number, or NULL
    const char* from;        // .npz of tactus run, or NULL
    int frame;               // row of it; -1: the last
} cliInitialStateOptions;

typedef struct cliInitialState {
    tacState state;  // owns its arrays
    long long step;  // number of the step that starts here
    double* ctrl;    // (nu) of the file or keyframe with the state; zeros otherwise
    double* numbers; // all of them
} cliInitialState;

// 0, or CLI_ERROR after a message.
int cli_initial_state_read(cliInitialState* start, const char* command, const tacModel* model,
                           const cliInitialStateOptions* options);
void cli_initial_state_free(cliInitialState* start);

#endif
