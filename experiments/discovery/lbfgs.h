// L-BFGS with backtracking, for experiments that plan by gradients.

#ifndef TACTUS_EXPERIMENTS_DISCOVERY_LBFGS_H
#define TACTUS_EXPERIMENTS_DISCOVERY_LBFGS_H

typedef struct lbfgsProblem {
    int n; // number of unknowns
    // value at x, and the gradient where that is not NULL; infinite where there is none
    double (*value)(void* context, const double* x, double* gradient);
    void* context;
} lbfgsProblem;

// Least value that is found from x (n) on, which becomes its place.
double lbfgs_minimize(lbfgsProblem problem, double* x, int iterations);

#endif
