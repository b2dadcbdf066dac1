// The oriented points of a geom: centres, normals and areas of the faces of its mesh.
//
//   quads or triangles --> [contact_cloud.c] --points in spatial order, boxes-->
//   detect/ssdf
//
// All of it is in the body frame and in double: geometry does not depend on parameters.

#ifndef TAC_MODEL_CONTACT_CONTACT_CLOUD_H
#define TAC_MODEL_CONTACT_CONTACT_CLOUD_H

#include "mesh/io/soup.h"
#include "model/contact/contact_influence.h"

typedef struct tacContactCloud {
    int count;                // points, one for each face
    int queries;              // points evaluated in the other's field: all, or 0 of a half-space
    const double* block;      // x y z nx ny nz of `count` each [m]
    const double* log_area;   // ln of the area of each point [m^2]; 0: all count alike
    double log_area_range[2]; // the smallest, and the largest
    int weighted;             // 1: points count by their areas
    // of a plane that ends: length of its face, and 1/depth^2 of the body below it [m], [1/m^2]
    const double *reach, *inv_depth2;
    double own_eps;        // of a cloud with its own kernel [m^2]; 0: that of the scene
    const double* log_amp; // ln of amplitudes of its kernel, 0 and more; NULL: none
    double log_amp_range;  // the largest
    int is_cut_off;        // 1: planes end beyond their reach, 0: they have no end
    double spacing;        // root of the mean area [m]
    double size;           // diagonal of the box around the points [m]
    double radius;         // largest distance of a point from their mean [m]
    int vertices;
    const double* vertex[3]; // corners of the faces [m]
    const int* first;        // points of the faces around vertex v are
    const int* face;         // face[first[v]] .. face[first[v + 1] - 1]
    const tacClusterPage* page;
    const tacContactInfluence* influence; // where its planes act; NULL: not needed
    size_t bytes;                         // of this block
} tacContactCloud;

// Makes the cloud of a closed mesh whose vertices `pose` maps to the body frame. One block of
// memory, freed by allocator.release(cloud). TAC_ERROR_VALUE with a reason if the mesh has no
// faces, faces without area, or is not closed and outward.
tacResult tac_contact_cloud_create(const tacSoup* soup, tacPose pose, tacAllocator allocator,
                                   tacContactCloud** out, tacMessage* message);

// Refuses a mesh that cannot be a cloud, for the reasons above.
tacResult tac_contact_cloud_check(const tacSoup* soup, tacAllocator allocator, tacMessage* message);

// points of a surface with normals, in the body frame
typedef struct tacSurfacePoints {
    int count;
    const double *point, *normal; // (count, 3)
    double area;                  // of the surface, whose points count alike; or
    const double* areas;          // of each point, which count by them; or NULL (count)
    const double* reach;          // of each point; NULL: the spacing      (count)
    double own_eps;               // of its own kernel; 0: that of the scene
    const double* log_amp;        // of its own kernel; NULL: none         (count)
} tacSurfacePoints;

// Makes a cloud of points. TAC_ERROR_VALUE without points or with a normal whose length is not 1.
tacResult tac_contact_cloud_points(tacSurfacePoints surface, tacAllocator allocator,
                                   tacContactCloud** out, tacMessage* message);

// a half-space z <= 0 of its pose: one plane, no points to evaluate
tacResult tac_contact_cloud_plane(tacPose pose, tacAllocator allocator, tacContactCloud** out);

#endif
