// A soup under construction: the readers of formats add to it, tac_soup_builder_finish makes the
// soup.

#ifndef TAC_MESH_IO_SOUP_BUILDER_H
#define TAC_MESH_IO_SOUP_BUILDER_H

#include "mesh/io/input.h"
#include "mesh/io/soup.h"

typedef struct tacSoupBuilder {
    tacInput input;
    tacArray vertex;        // double[3]
    tacArray normal;        // double[3]
    tacArray vertex_line;   // int
    tacArray first;         // int: first corner of each face
    tacArray face_line;     // int
    tacArray corner;        // int: vertex, from 0; checked by tac_soup_builder_finish
    tacArray corner_normal; // int: normal of each corner or -1; empty: normal i is of vertex i
} tacSoupBuilder;

void tac_soup_builder_vertex(tacSoupBuilder* builder, const double position[3]);
void tac_soup_builder_normal(tacSoupBuilder* builder, const double normal[3]);

// starts a face; its corners follow by tac_soup_builder_corner
void tac_soup_builder_face(tacSoupBuilder* builder);
void tac_soup_builder_corner(tacSoupBuilder* builder, int vertex);

// merges vertices at the same position, in the order of first appearance
void tac_soup_builder_weld(tacSoupBuilder* builder);

// the finished soup; NULL after a failure
tacSoup* tac_soup_builder_finish(tacSoupBuilder* builder);

//---------------------------------- formats --------------------------------------

void tac_read_obj(tacSoupBuilder* builder);
void tac_read_stl(tacSoupBuilder* builder);
void tac_read_ply(tacSoupBuilder* builder);
void tac_read_xyz(tacSoupBuilder* builder);
void tac_read_off(tacSoupBuilder* builder);
void tac_read_msh(tacSoupBuilder* builder);

// do the bytes look like this format?
int tac_is_stl(const tacInput* input);
int tac_is_ply(const tacInput* input);
int tac_is_off(const tacInput* input);

#endif
