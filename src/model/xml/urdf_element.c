// Elements and attributes while a URDF is being translated.

#include "model/xml/urdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// more than any element made here has; copied extensions have at most those of the file
enum { SPARE = 12 };

tacElement* tac_urdf_add(tacUrdf* urdf, tacElement* parent, const char* name, int line) {
    tacElement* element = tac_reader_alloc(urdf->reader, sizeof *element);
    if (!element) return NULL;
    element->name = name;
    element->line = line;
    element->parent = parent;
    if (!parent) return element;
    if (parent->last)
        parent->last->next = element;
    else
        parent->child = element;
    return parent->last = element;
}

void tac_urdf_set(tacUrdf* urdf, tacElement* element, const char* name, const char* value,
                  int line) {
    if (urdf->reader->result != TAC_OK) return;
    if (element->count % SPARE == 0) {
        size_t size = sizeof *element->attributes * (size_t)(element->count + SPARE);
        tacAttribute* grown = tac_reader_alloc(urdf->reader, size);
        if (!grown) return;
        if (element->count)
            memcpy(grown, element->attributes, sizeof *grown * (size_t)element->count);
        element->attributes = grown;
    }
    element->attributes[element->count++] = (tacAttribute){name, value, line};
}

//---------------------------------- numbers --------------------------------------

// 17 digits as a whole number and an exponent: no decimal point, which a locale may change
static int print_number(char* out, size_t size, double value) {
    char text[64], digits[32];
    int count = 0, exponent = 0;
    snprintf(text, sizeof text, "%.16e", fabs(value));
    const char* e = strchr(text, 'e');
    for (const char* c = text; *c && c != e; ++c)
        if (*c >= '0' && *c <= '9' && count < 31) digits[count++] = *c;
    digits[count] = '\0';
    if (e) sscanf(e + 1, "%d", &exponent);
    return snprintf(out, size, "%s%se%d", value < 0.0 ? "-" : "", digits, exponent - count + 1);
}

void tac_urdf_set_numbers(tacUrdf* urdf, tacElement* element, const char* name,
                          const double* values, int count, int line) {
    char text[512] = "";
    size_t used = 0;
    for (int i = 0; i < count && used + 40 < sizeof text; ++i) {
        if (i) text[used++] = ' ';
        used += (size_t)print_number(text + used, sizeof text - used, values[i]);
    }
    tac_urdf_set(urdf, element, name, tac_reader_text(urdf->reader, "%s", text), line);
}

//---------------------------------- poses ----------------------------------------

void tac_urdf_set_pose(tacUrdf* urdf, tacElement* element, tacPose pose, int line) {
    const double p[3] = {pose.position.x, pose.position.y, pose.position.z};
    const double q[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    if (p[0] != 0.0 || p[1] != 0.0 || p[2] != 0.0)
        tac_urdf_set_numbers(urdf, element, "pos", p, 3, line);
    if (q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0)
        tac_urdf_set_numbers(urdf, element, "quat", q, 4, line);
}

const tacElement* tac_urdf_child(const tacElement* element, const char* name) {
    const tacElement* c = element->child;
    while (c && strcmp(c->name, name) != 0) c = c->next;
    return c;
}

// roll about x, then pitch about y, then yaw about z, all axes fixed
static tacQuat from_rpy(const double a[3]) {
    tacQuat x = {cos(a[0] / 2.0), sin(a[0] / 2.0), 0.0, 0.0};
    tacQuat y = {cos(a[1] / 2.0), 0.0, sin(a[1] / 2.0), 0.0};
    tacQuat z = {cos(a[2] / 2.0), 0.0, 0.0, sin(a[2] / 2.0)};
    return tac_quat_mul(z, tac_quat_mul(y, x));
}

tacPose tac_urdf_origin(tacUrdf* urdf, const tacElement* element) {
    const tacElement* origin = tac_urdf_child(element, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    if (origin) {
        tac_read_vector(urdf->reader, origin, "xyz", 3, tac_range_position, xyz);
        tac_read_vector(urdf->reader, origin, "rpy", 3, tac_range_position, rpy);
    }
    return (tacPose){{xyz[0], xyz[1], xyz[2]}, from_rpy(rpy)};
}
