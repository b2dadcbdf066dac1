// Records of vertices and edges, as they are or bundled by faces.

#include "detect/edge_sdf_faces.h"

#include "detect/edge_sdf.h"

const tacDetectorKind tac_edge_sdf_detector = {tac_edge_sdf_records, tac_edge_sdf_size,
                                               tac_edge_sdf_detect, tac_edge_sdf_jvp,
                                               tac_edge_sdf_vjp};
