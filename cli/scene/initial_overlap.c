// Initial overlap of scenes with hard contact.

#include "cli/scene/initial_overlap.h"
#include "cli/report.h"
#include "cli/scene/labels.h"

#include "model/contact/contact_data.h"
#include "tactus/step.h"

#include <stdio.h>
#include <stdlib.h>

// the deepest contact, or -1: none is deeper than rounding
static int deepest_contact(const tacContacts* contacts) {
    int worst = -1;
    for (int i = 0; i < contacts->count; ++i)
        if (contacts->distance[i] < (worst < 0 ? -1e-9 : contacts->distance[worst])) worst = i;
    return worst;
}

static int overlap_error(const char* file, const tacModel* model, const tacContacts* contacts,
                         int worst) {
    char text[2][CLI_LABEL_SIZE];
    tacMessage message = {.attribute = "overlap"};
    snprintf(message.file, sizeof message.file, "%s", file);
    snprintf(message.text, sizeof message.text,
             "%.60s and %.60s interpenetrate initially by %.3g m; separate these geoms, or set "
             "<tactus overlap=\"resolve\">",
             cli_geom_label(model, contacts->geom[0][worst], text[0]),
             cli_geom_label(model, contacts->geom[1][worst], text[1]), -contacts->distance[worst]);
    return cli_error_message(TAC_ERROR_VALUE, &message);
}

int cli_initial_overlap_check(const char* file, const tacModel* model, const double* qpos) {
    if (!model->contact || model->contact->responder != TAC_RESPOND_LCP ||
        model->contact->choice[TAC_CHOICE_OVERLAP])
        return 0;
    tacScratch* scratch = NULL;
    tacContacts* contacts = NULL;
    tacPose* pose = malloc(sizeof *pose * (size_t)model->nbody);
    int worst = -1, code = 0;
    if (pose && tac_scratch_create(model, &scratch) == TAC_OK &&
        tac_contacts_create(model, 0, 0, &contacts) == TAC_OK &&
        tac_kinematics(model, qpos, NULL, pose, NULL, scratch) == TAC_OK &&
        tac_detect(model, pose, contacts, scratch) == TAC_OK)
        worst = deepest_contact(contacts);
    if (worst >= 0) code = overlap_error(file, model, contacts, worst);
    tac_contacts_destroy(contacts);
    tac_scratch_destroy(scratch);
    free(pose);
    return code;
}
