// Contact choices that are made while a scene is read.
//
//   <tactus>, <pair> --contact_numbers.c--> parameters, choices
//   bodies, geoms    --contact_plan.c-----> pairs, stiffness --spec.c--> model->contact

#ifndef TAC_MODEL_CONTACT_CONTACT_PLAN_H
#define TAC_MODEL_CONTACT_CONTACT_PLAN_H

#include "model/contact/contact_data.h"
#include "model/spec.h"

// what defaults are made from
typedef struct tacContactScale {
    double length;    // mean radius of the smallest body that may collide [m]
    double velocity;  // sqrt(9.81 length) [m/s]
    double timestep;  // [s]
    double lipschitz; // largest Lipschitz constant of a geom that may collide (field_lipschitz.h)

    // clouds: the length of each pair of bodies, if they differ; 0 of them: one for all
    const double* lengths;
    int pairs;

    const double* widths; // the largest default of eps3 of each pair of bodies, or NULL [m]
} tacContactScale;

// Numbers and choices of the plan's detector and responder, from <tactus> or by default. An
// attribute that neither of them has is a failure.
void tac_read_contact_numbers(tacSpec* spec, const tacContactScale* scale, tacContactPlan* plan);

// offset of a number of the law of a pair of bodies
int tac_contact_number(const tacSpec* spec, const tacContactScale* scale,
                       const tacContactPlan* plan, tacContactNumber number, int bodies);

// numbers of contact are an error in a scene without contact
void tac_refuse_contact_numbers(tacSpec* spec);

// `number` of a <pair> that has one of its own, else the scene's
int tac_read_pair_number(tacSpec* spec, const tacContactPlan* plan, int pair,
                         tacContactNumber number);

// the last <tactus> that has an attribute, or NULL
const tacElement* tac_find_tactus(const tacSpec* spec, const char* attribute);

// What a body passes on by contact, 0 of static ones.
typedef struct tacContactLoad {
    double most;   // the largest force that is expected [N]
    double weight; // of its tree and what stands above, without actuators [N]
    double driven; // by joints of its own tree [N]
} tacContactLoad;

// of all bodies (nbody), after the pairs of bodies are listed; NULL without memory
// (contact_loads.c)
const tacContactLoad* tac_contact_loads(tacSpec* spec, const tacModel* model);

// which geoms are in a pair of the plan (ngeom)
void tac_mark_contact_geoms(const tacContactPlan* plan, int ngeom, char* has_pair);

// convex parts of all geoms that may collide; a geom that has none is a failure
void tac_plan_convex_parts(tacSpec* spec);

// limits and dry friction that the scene's force responder handles (joint_force_plan.c)
void tac_plan_joint_forces(tacSpec* spec);

// joints, tendons and integrators that hard contact does not support are an error
void tac_check_hard_contact(tacSpec* spec);

// "detect" or "respond", whichever knows the word, or NULL
const char* tac_contact_attribute(const char* word);

// the plan of a scene that asks for contact; after all else is read
void tac_plan_contact(tacSpec* spec);

#endif
