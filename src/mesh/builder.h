// A soup under construction: the readers of formats add to it, tac_builder_finish makes the soup.

#ifndef TAC_MESH_BUILDER_H
#define TAC_MESH_BUILDER_H

#include "mesh/input.h"
#include "mesh/soup.h"

typedef struct tacBuilder {
    tacInput input;
    tacArray vertex;        // double[3]
    tacArray normal;        // double[3]
    tacArray vertex_line;   // int
    tacArray first;         // int: first corner of each face
    tacArray face_line;     // int
    tacArray corner;        // int: vertex, from 0; checked by tac_builder_finish
    tacArray corner_normal; // int: normal of each corner or -1; empty: normal i is of vertex i
} tacBuilder;

void tac_builder_vertex(tacBuilder* builder, const double position[3]);
void tac_builder_normal(tacBuilder* builder, const double normal[3]);

// a face starts; then come its corners by tac_builder_corner
void tac_builder_face(tacBuilder* builder);
void tac_builder_corner(tacBuilder* builder, int vertex);

// vertices of the same place become one, in the order of first appearance
void tac_builder_weld(tacBuilder* builder);

// what of the builder is a soup; NULL after a failure
tacSoup* tac_builder_finish(tacBuilder* builder);

//---------------------------------- formats --------------------------------------

void tac_read_obj(tacBuilder* builder);
void tac_read_stl(tacBuilder* builder);
void tac_read_ply(tacBuilder* builder);
void tac_read_xyz(tacBuilder* builder);

// do the bytes look like this format?
int tac_is_stl(const tacInput* input);
int tac_is_ply(const tacInput* input);

#endif
