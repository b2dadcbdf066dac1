// What force responders share: one entry of tacPairForce for each pair of bodies that touch.

#ifndef TAC_RESPOND_FORCE_PAIR_FORCES_H
#define TAC_RESPOND_FORCE_PAIR_FORCES_H

#include "base/arena.h"
#include "math/pose.h"
#include "model/contact/contact_data.h"

// the entry that each pair of bodies has, -1 without contacts; *count is how many there are
int* tac_pair_force_index(const tacModel* model, const tacContacts* contacts, int* count,
                          tacArena* arena);
void tac_pair_force_index_measure(const tacModel* model, tacArena* arena);

// an entry without force, about the origin of body[1]
void tac_pair_force_clear(const tacModel* model, const tacKinematics* kinematics, int bodies,
                          tacPairForce* out);

// notes the overlap of a pair of geoms where it is the deepest so far [m]
void tac_pair_force_overlap(const tacContactPair* pair, int index, double depth, tacPairForce* out);

// offset of the friction that holds, -1: none
int tac_pair_friction(const tacModel* model, const tacContactPair* pair);

// `twist` (nbody x 6) of body[1] against body[0], about a point
tacTwist tac_relative_twist(const tacKinematics* kinematics, const tacReal* twist,
                            const int body[2], tacVec3 point);

#endif
