// A contact cloud on a ball: points of a golden spiral, even in area.

#ifndef TAC_BENCH_BALL_CLOUD_H
#define TAC_BENCH_BALL_CLOUD_H

#include "respond/force/scm.h"

// n points about the origin; NULL: out of memory
tacContactCloud* bench_ball_cloud(int n, double radius);

#endif
