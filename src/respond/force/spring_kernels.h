// The point-plane law over the contacts of one pair of geoms, summed up to a wrench.

#ifndef TAC_RESPOND_FORCE_SPRING_KERNELS_H
#define TAC_RESPOND_FORCE_SPRING_KERNELS_H

#include "base/dispatch.h"
#include "tactus/contact.h"

// numbers of the law, in the order of their adjoints
enum { SPRING_K, SPRING_V_D, SPRING_V_S, SPRING_MU, SPRING_EPS, SPRING_H, SPRING_NUMBERS };

// records first .. first + count - 1 of one pair
typedef struct tacSpringSegment {
    const tacContacts* contacts;
    int first, count, reference;
    int implicit; // 1: forces at the end of a step of length SPRING_H
    tacReal law[SPRING_NUMBERS];
    tacReal inv_mass;                       // of implicit forces (tacContactPair)
    tacReal origin[3];                      // of the wrench
    tacReal linear[3], angular[3];          // velocity of geom[1]'s body against geom[0]'s, there
    tacReal predicted[3], predicted_ang[3]; // the same for its acceleration
} tacSpringSegment;

typedef struct tacSpringKernels {
    // adds the wrench (6), and where K (36) is not NULL also it, C (36): derivatives by relative
    // pose and twist; where L (36) is not NULL also that by the relative acceleration
    void (*force)(const tacSpringSegment* s, tacReal* wrench, tacReal* K, tacReal* C, tacReal* L);
    // adds the tangent of the wrench along those of the records (NULL: none) and of the law
    void (*jvp)(const tacSpringSegment* s, const tacContacts* dot, const tacReal* law_dot,
                tacReal* wrench_dot);
    // adds to adjoints of the records (NULL: not asked for) and of the law
    void (*vjp)(const tacSpringSegment* s, const tacReal* wrench_bar, tacContacts* bar,
                tacReal* law_bar);
} tacSpringKernels;

TAC_DECLARE_KERNELS(tacSpringKernels, tac_spring_kernels_);

#endif
