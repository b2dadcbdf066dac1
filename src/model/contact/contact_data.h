// The contact data of a model, behind the opaque pointer tacModel.contact: pairs that may touch,
// numbers and choices of the detector and responder, and the geometry that detectors read.
//
//   contact_plan.c, feature_reader.c, contact_cloud_reader.c --> [tacContactPlan] --> detect/,
//   respond/

#ifndef TAC_MODEL_CONTACT_CONTACT_DATA_H
#define TAC_MODEL_CONTACT_CONTACT_DATA_H

#include "tactus/respond.h"

// Surface features of a geom in body axes; detectors evaluate them in the other geom's field. A
// sphere is one vertex with a radius, a capsule one edge with a radius, a half-space has none. The
// other shapes take them from their mesh, or from a tessellation at load.
typedef struct tacFeatures {
    int vertices;       // number of vertices
    int edges;          // number of edges
    int faces;          // number of triangles
    const double* x[3]; // vertices                                         (vertices) [m]
    const int* edge[2]; // vertices of an edge                              (edges)
    const int* face[3]; // vertices of a triangle                           (faces)
    double radius;      // of the ball that is swept over them                          [m]
    // Neighbours, boxes, own normals: src/model/contact/geom_features.h
    const struct tacFeatureIndex* index;
} tacFeatures;

// Numbers of <tactus> that detectors and responders share: all are parameters, so derivatives can
// be taken by them. A detector or responder adds its own here and in
// src/model/contact/contact_numbers.c.
typedef enum tacContactNumber {
    TAC_CONTACT_STIFFNESS,        // respond/stiffness, k; one, or one for each pair of bodies [N/m]
    TAC_CONTACT_DISSIPATION,      // respond/dissipation, v_d                                  [m/s]
    TAC_CONTACT_STICTION,         // respond/stiction, v_s                                     [m/s]
    TAC_CONTACT_EPS3,             // respond/eps3, width of the transition to contact          [m]
    TAC_CONTACT_TAU,              // detect/tau, temperature of "penetrates"                   [m]
    TAC_CONTACT_SUPPORT,          // detect/support, distance at which activity is 0           [m]
    TAC_CONTACT_DEPTH,            // detect/depth, how deep edges may cross each other         [m]
    TAC_CONTACT_DELTA,            // detect/delta, contact distance of hard bodies             [m]
    TAC_CONTACT_RESTITUTION,      // respond/restitution, of hard contact
    TAC_CONTACT_EDGE_SOFTMIN,     // detect/edge_softmin, width of "the nearest edge"            [m]
    TAC_CONTACT_SIGN,             // detect/sign, temperature of signs of edges' distances
    TAC_CONTACT_OPPOSING,         // detect/opposing, temperature of "normals oppose"
    TAC_CONTACT_TIKHONOV,         // detect/tikhonov; this and the next five: tacWitnessOptions
    TAC_CONTACT_MIN,              // detect/min
    TAC_CONTACT_CLIP,             // detect/clip
    TAC_CONTACT_INSIDE,           // detect/inside
    TAC_CONTACT_RANGE,            // detect/range
    TAC_CONTACT_GAP,              // detect/gap
    TAC_CONTACT_EPS1,             // detect/eps1, temperature of "nearest"                   [m^2]
    TAC_CONTACT_EPS2,             // detect/eps2, temperature of "deepest"                     [m]
    TAC_CONTACT_SORT_TEMPERATURE, // detect/sort_temperature of soft points, of a weight   [1]
    TAC_CONTACT_LIMIT_RATE,  // respond/limitrate, sqrt(k/inertia) of the springs of limits [1/s]
    TAC_CONTACT_LIMIT_WIDTH, // respond/limitwidth, of their transition             [m or rad]
    TAC_CONTACT_LIMIT_DISSIPATION, // respond/limitdissipation, v_d of them    [m/s or rad/s]
    TAC_CONTACT_DRY_STICTION,      // respond/drystiction, v_s of dry friction [m/s or rad/s]
    TAC_CONTACT_GATE,              // detect/gate, temperature of a ray's end on an edge        [m]
    TAC_CONTACT_LIPSCHITZ,         // detect/lipschitz, a ray's step is the field over it
    TAC_CONTACT_TOP_K_WIDTH, // detect/top_k_width, of the ramp about the threshold of top_k [m]
    TAC_CONTACT_NUMBERS      // number of them
} tacContactNumber;

// Words and whole numbers of <tactus> that detectors and responders share.
typedef enum tacContactChoice {
    TAC_CHOICE_LAW,         // `law` of dissipation: 0 smooth (two continuous derivatives), 1
                            // reference (the paper, one)
    TAC_CHOICE_IMPLICIT,    // `implicit`: 1 takes contact forces linearly implicit in the step
    TAC_CHOICE_SIDES,       // `sides`: 0 both, 1 the first geom's surface alone, 2 the second's
    TAC_CHOICE_VERTICES,    // `vertices` of a tessellated surface
    TAC_CHOICE_EDGES,       // `edges`: 1 leaves out contacts of edges with edges
    TAC_CHOICE_UNCULLED,    // `cull`: 1 looks at every feature; results are the same
    TAC_CHOICE_CCD,         // `ccd`: 1 stops at the time of impact, 0 looks at ends of steps alone
    TAC_CHOICE_BOUNDS,      // `bounds` of friction: 0 coupled, 1 frozen at the frictionless impulse
    TAC_CHOICE_IMPACTS,     // `max_impacts` of one step
    TAC_CHOICE_GRADIENT,    // `gradient` of hard contact at ties: 0 one_sided, 1 helpful
    TAC_CHOICE_OVERLAP,     // `overlap` at the start of a step: 0 is refused, 1 pushed apart
    TAC_CHOICE_POINTS,      // `points` of a surface that is made
    TAC_CHOICE_UNREFINED,   // `refine`: 1 takes the faces of meshes as points as they are
    TAC_CHOICE_EXACT,       // `exact`: 1 sums over all points; results are the same
    TAC_CHOICE_SOFT_POINTS, // `soft_points`: soft points of a pair, half of them on each body
    TAC_CHOICE_SELECT,      // `select` of them: 0 by SoftSort, 1 by Sinkhorn
    TAC_CHOICE_ITERATIONS,  // `iterations` of a ray along an edge
    TAC_CHOICE_FUSE,        // `fuse`: 1 bundles the contacts of a face
    TAC_CHOICE_DEFINITION,  // `definition` of the manifold: 0 compact, 1 reference (the paper)
    TAC_CHOICE_TOP_K,       // `top_k`: 0 none (all that have activity), 1 threshold, 2 softsort,
                            // 3 sinkhorn
    TAC_CHOICE_TOP_K_VERTICES, // `top_k_vertices`: how many of each geom of a pair
    TAC_CHOICE_TOP_K_EDGES,    // `top_k_edges`: likewise
    TAC_CHOICE_PROJECT,        // `project`: steps that lead points on edges to their own surface
    TAC_CONTACT_CHOICES        // number of them
} tacContactChoice;

// Two bodies that may touch.
typedef struct tacBodyPair {
    int body[2];   // the normals of its contacts point from body[0] to body[1]
    int stiffness; // offset of k                                                   [N/m]
    double weight; // reduced mass of both when the scene was read                  [kg]
} tacBodyPair;

// Two geoms that may touch, in the order of tac_geom_pairs. Offsets point into param.
typedef struct tacContactPair {
    int geom[2];      // the normal of a contact points from geom[0] to geom[1]
    int body[2];      // bodies that carry them
    int bodies;       // index of the pair of these bodies in tacContactPlan.bodies
    int friction[2];  // offsets of two sliding frictions whose larger holds, of equal ones the
                      // first; [1] is -1 if there is one alone, both are -1 without friction
    int stiffness;    // offset of k                                                 [N/m]
    int dissipation;  // offset of v_d                                               [m/s]
    int stiction;     // offset of v_s                                               [m/s]
    int eps3;         // offset of eps3, -1 where the law has none                   [m]
    double thickness; // of the thinner geom when the scene was read                     [m]
    double inv_mass;  // velocity that a unit of impulse makes at a point of contact, at most: of
                      // the masses when the scene was read, for implicit friction  [1/kg]
} tacContactPair;

// A limit of a hinge, slide or fixed tendon, or dry friction of a degree of freedom or tendon,
// that a force responder enforces (docs/contact.md).
typedef struct tacLimitFriction {
    int friction;   // 1: dry friction, 0: a limit
    int dof;        // the degree of freedom, or -1
    int tendon;     // or the tendon, or -1
    int upper;      // of a limit: 1 at the upper end of the range
    double inertia; // that moves along it where the scene is drawn       [kg or kg m^2]
} tacLimitFriction;

// A convex part of a geom, for detect="gjk": one leaf of its shape. Its pose, size and exponents
// are parameters. Corners and faces are those of a polyhedron at load, in the leaf's frame.
typedef struct tacConvexPart {
    int geom;         // which it belongs to
    int node;         // the leaf
    tacNodeKind kind; // of the leaf
    int vertices;     // number of corners, 0 for what is no polyhedron
    int faces;        // number of faces
    int number;       // offset in part_number: corners (corners, 3), normals (faces, 3), offsets
                      // (faces)
    int index; // offset in part_index: where the corners of each face start (faces + 1), then
               // the corners of all faces, counterclockwise from outside
} tacConvexPart;

// The contact data of a scene: made once at load, const, freed with the model. Numbers that can
// be differentiated are offsets into model->param; geometry is double and does not move with them.
typedef struct tacContactPlan {
    tacDetector detector;       // <tactus detect>
    int responder;              // <tactus respond>: a tacResponder (tactus/respond.h)
    int npair;                  // length of `pair`
    int nbodies;                // length of `bodies`
    const tacContactPair* pair; // (npair)
    const tacBodyPair* bodies;  // pairs of bodies, in order of their first pair (nbodies)
    const tacFeatures* feature; // of each geom; NULL: the detector needs none   (ngeom)
    // Oriented points of each geom (src/model/contact/contact_cloud.h); NULL: the detector needs
    // none, or it touches nothing. (ngeom)
    const struct tacContactCloud* const* cloud;
    // pos[3] and quat[4] of each geom that they were made with                      (ngeom x 7)
    const double* cloud_place;
    int nlimit_friction;                    // length of `limit_friction`
    const tacLimitFriction* limit_friction; // limits and dry friction     (nlimit_friction)
    int npart;                              // length of `part`: 0 but with detect="gjk"
    const tacConvexPart* part;    // convex parts, those of a geom together              (npart)
    const int* part_first;        // first part of each geom, and npart              (ngeom + 1)
    const double* part_number;    // corners, normals, offsets of all parts
    const int* part_index;        // faces of all parts
    const struct tacSolid* solid; // of each geom for detect="sat" and "convex", in the geom's
                                  // frame; else NULL                            (ngeom)
    // Why contact holds a parameter constant (live_params.c), 0: it follows it; NULL: all (nparam)
    const unsigned char* held;
    int number[TAC_CONTACT_NUMBERS]; // offsets; -1 where detector and responder have none
    int choice[TAC_CONTACT_CHOICES]; // values
    double length;    // mean radius of the smallest body that may touch, of its inertia   [m]
    double surrogate; // derivatives of the step are those at temperatures times this; 1: its own
} tacContactPlan;

#endif
