// URDF to MJCF: the tree of a <robot> becomes an equivalent <mujoco> tree.
//
// Elements and attributes keep the lines of the URDF, so that errors point there.

#ifndef TAC_MODEL_XML_URDF_H
#define TAC_MODEL_XML_URDF_H

#include "math/pose.h"
#include "model/xml/attribute.h"

// The <mujoco> tree of a <robot>, as MuJoCo reads it; NULL after a failure.
tacElement* tac_urdf_translate(tacReader* reader, const tacElement* robot);

// Checks words of a <robot>: misspelled words are refused, those of other programs ignored.
void tac_urdf_check(tacReader* reader, const tacElement* robot);

// Is it, with all around it, of URDF and not of another program?
int tac_urdf_knows(const tacElement* element);

//---------------------------------- shared by the parts --------------------------

typedef struct tacUrdf {
    tacReader* reader;
    const tacElement* robot;
    tacElement *root, *compiler, *asset, *equality; // asset and equality: NULL until needed
    tacNames names;                                 // of links, joints, meshes and geoms
    tacList meshes;                                 // const char*: names of the assets
    tacList colours;                                // const tacElement*: of the materials
    int strippath, discardvisual;
    const char* meshdir; // "" or with a slash at the end
    const char* folder;  // of the file, "" or with a slash at the end
} tacUrdf;

// a new element as the last child of its parent; NULL after a failure
tacElement* tac_urdf_add(tacUrdf* urdf, tacElement* parent, const char* name, int line);

// sets an attribute; `value` must live as long as the reader
void tac_urdf_set(tacUrdf* urdf, tacElement* element, const char* name, const char* value,
                  int line);

// the same, of numbers
void tac_urdf_set_numbers(tacUrdf* urdf, tacElement* element, const char* name,
                          const double* values, int count, int line);

// pos and quat, omitted where they are the identity
void tac_urdf_set_pose(tacUrdf* urdf, tacElement* element, tacPose pose, int line);

// the first child of this name, or NULL
const tacElement* tac_urdf_child(const tacElement* element, const char* name);

// <origin xyz rpy> of an element
tacPose tac_urdf_origin(tacUrdf* urdf, const tacElement* element);

// the robot's own materials, before links are read
void tac_urdf_list_materials(tacUrdf* urdf);

// inertia and geometry of a link, into its body
void tac_urdf_link(tacUrdf* urdf, const tacElement* link, tacElement* body);

#endif
