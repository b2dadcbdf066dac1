// A mesh file that an element names, and the planes of its convex hull.

#ifndef TAC_MODEL_MJCF_HULL_READER_H
#define TAC_MODEL_MJCF_HULL_READER_H

#include "mesh/io/soup.h"
#include "model/xml/attribute.h"

// Path of the file that the attribute names: relative to the folder of the scene file.
const char* tac_read_path(tacReader* reader, const tacElement* element, const char* name);

// The mesh or cloud of 'file', to be freed by tac_soup_destroy, and its path; NULL
// after a failure, whose message is "PATH:LINE: what" for the attribute 'file'.
tacSoup* tac_read_soup(tacReader* reader, const tacElement* element, const char** path);

// Planes n, h (4 numbers each, n . x + h <= 0 inside) of the hull of all vertices of the file, in
// memory of the reader; NULL after a failure.
double* tac_read_hull(tacReader* reader, const tacElement* element, int* count);

#endif
