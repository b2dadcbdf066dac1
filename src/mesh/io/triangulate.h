// A polygon in 3D as triangles of its own vertices.

#ifndef TAC_MESH_IO_TRIANGULATE_H
#define TAC_MESH_IO_TRIANGULATE_H

// Writes count - 2 triangles (3 indices each) of the polygon `corner` of `vertex`, oriented like
// the polygon. Convex ones become fans; others, of up to TAC_MAX_EAR_CORNERS vertices, are clipped
// ear by ear. 0 if it is not convex and has more vertices.
int tac_triangulate(const double* vertex, const int* corner, int count, int* triangle);

// sum of the cross products of neighbouring corners: twice the area times the normal
void tac_polygon_normal(const double* vertex, const int* corner, int count, double normal[3]);

#endif
