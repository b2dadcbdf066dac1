// Records of vertices and edges, as they are or bundled by faces.

#ifndef TAC_DETECT_EDGE_SDF_EDGE_SDF_FACES_H
#define TAC_DETECT_EDGE_SDF_EDGE_SDF_FACES_H

#include "detect/detect.h"

// as in tacDetectorKind, of vertices and edges: one record each
int tac_edge_sdf_capacity(const tacModel* model);
void tac_edge_sdf_measure(const tacModel* model, tacArena* arena);
tacResult tac_edge_sdf_detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                              tacScratch* scratch);
tacResult tac_edge_sdf_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           tacContactTangent tangent, tacContacts* dot, tacScratch* scratch);
tacResult tac_edge_sdf_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                           const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch);

#endif
