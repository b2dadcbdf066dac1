// Shapes that are wrong, by kind. Clouds: test/shape/test_cloud.c.

#include "base/assert.h"
#include "model/refusal.h"

//---------------------------------- names, primitives and combinations -----------

static const badScene wrong_shapes[] = {
    {0, "<shape name='s'/>", TAC_ERROR_VALUE, 2, "shape", "no children"},
    {0, "<shape name='s'>\n<union/></shape>", TAC_ERROR_VALUE, 3, "union", "no children"},
    {0, "<shape name='s'><difference><plane/></difference></shape>", TAC_ERROR_VALUE, 2,
     "difference", "one child"},
    {0, "<shape><sphere size='1'/></shape>", TAC_ERROR_VALUE, 2, "name", "needs"},
    {0, "<shape name='s'><capsule size='1'/></shape>", TAC_ERROR_VALUE, 2, "size", "2 numbers"},
    {0, "<shape name='s'><capsule size='1 2 3'/></shape>", TAC_ERROR_VALUE, 2, "size", "2 numbers"},
    {0, "<shape name='s'><box size='1 2'/></shape>", TAC_ERROR_VALUE, 2, "size", "3 numbers"},
    {0, "<shape name='s'><box size='1 2 -3'/></shape>", TAC_ERROR_VALUE, 2, "size", "range"},
    {0, "<shape name='s'><ellipsoid size='1 1 1' eps='1 1'/></shape>", TAC_ERROR_UNSUPPORTED, 2,
     "eps", "no attribute"},
    {0, "<shape name='s'><sphere size='1' fromto='0 0 0 1 0 0'/></shape>", TAC_ERROR_UNSUPPORTED, 2,
     "fromto", "capsules and cylinders"},
    {0, "<shape name='s'><spere size='1'/></shape>", TAC_ERROR_UNSUPPORTED, 2, "<spere>",
     "did you mean <sphere>?"},
    {0, "<shape name='s'><sphere size='1 2'/></shape>", TAC_ERROR_VALUE, 2, "size", "1 number,"},
    {0, "<shape name='s'><superquadric size='1 1 1' eps='.05 1'/></shape>", TAC_ERROR_VALUE, 2,
     "eps", "between 0.1 and 2"},
    {0, "<shape name='s'><superquadric size='1 1 1' eps='2.0000001 1'/></shape>", TAC_ERROR_VALUE,
     2, "eps", "2.0000001 is out of range"},
    {0, "<shape name='s'><superquadric size='1 1 1' eps='1 2.1'/></shape>", TAC_ERROR_VALUE, 2,
     "eps", "between 0.1 and 2"},
    {0, "<shape name='s'><superquadric size='1 1 1'/></shape>", TAC_ERROR_VALUE, 2, "eps", "needs"},
    {0, "<shape name='s' smooth='0'><plane/></shape>", TAC_ERROR_VALUE, 2, "smooth", "range"},
    {0, "<shape name='s' truncate='.1'><sphere size='1'/></shape>", TAC_ERROR_VALUE, 2, "truncate",
     "needs a union"},
    {0, "<shape name='s' truncate='-1'><plane/><plane/></shape>", TAC_ERROR_VALUE, 2, "truncate",
     "range"},
    {0, "<shape name='s' smooth='.01' truncate='.09'><plane/><plane/></shape>", TAC_ERROR_VALUE, 2,
     "truncate", "use 0.1 or more"},
    {0, "<shape name='s' distance='far'><plane/></shape>", TAC_ERROR_VALUE, 2, "distance",
     "tangent radial"},
    {0, "<shape name='s'><plane name='a'/>\n<plane name='a'/></shape>", TAC_ERROR_VALUE, 3, "name",
     "line 2"},
    {0, "<shape name='s'><plane name='7'/></shape>", TAC_ERROR_VALUE, 2, "name", "index"},
    {0, "<shape name='geom:a'><plane/></shape>", TAC_ERROR_VALUE, 2, "name", "geom:"},
    {0,
     "<shape name='s'><superquadric size='1 1 1' eps='1 1'>\n<sphere size='1'/></superquadric>"
     "</shape>",
     TAC_ERROR_UNSUPPORTED, 3, "<sphere>", "allowed here: plane"},
    {0, "<shape name='s'><sphere size='1'><plane/></sphere></shape>", TAC_ERROR_UNSUPPORTED, 2,
     "<plane>", "allowed here: none"},
};

static int wrong_shapes_are_refused(void) {
    return are_refused(wrong_shapes, TAC_COUNT(wrong_shapes));
}

//---------------------------------- superquadrics with planes --------------------

static const badScene wrong_cuts[] = {
    {0,
     "<shape name='s'><superquadric size='1 1 1' eps='1 1'>\n<plane pos='0 0 -1.01'/>"
     "</superquadric></shape>",
     TAC_ERROR_VALUE, 3, "<plane>", "the plane cuts away all"},
    {0,
     "<shape name='s'><superquadric size='1 1 1' eps='1 1'>\n<plane pos='0 0 -.5'/>"
     "<plane pos='0 0 -.4' euler='180 0 0'/></superquadric></shape>",
     TAC_ERROR_VALUE, 3, "<plane>", "the planes cut away all"},
    {0,
     "<shape name='s'><superquadric size='1 1 1' eps='.1 1'>\n<plane pos='1.3 0 0' "
     "zaxis='-1 0 0'/></superquadric></shape>",
     TAC_ERROR_VALUE, 3, "<plane>", "all of this <superquadric>"},
    {0, "<shape name='s'><superquadric size='1 1 1' eps='1 2.5'><plane/></superquadric></shape>",
     TAC_ERROR_VALUE, 2, "eps", "between 0.1 and 2"},
    {0,
     "<shape name='s'><superquadric size='1 1 1' eps='1 1'>"
     "<plane name='superquadric'/></superquadric></shape>",
     TAC_ERROR_VALUE, 2, "name", "line 2"},
};

static int wrong_cuts_are_refused(void) { return are_refused(wrong_cuts, TAC_COUNT(wrong_cuts)); }

//---------------------------------- polyhedra ------------------------------------

static const badScene wrong_polyhedra[] = {
    {0, "<shape name='s'><polyhedron\n file=''/></shape>", TAC_ERROR_VALUE, 3, "file", "empty"},
    {0, "<shape name='s'><polyhedron\n file='no/such.obj'/></shape>", TAC_ERROR_FILE, 3, "file",
     "no/such.obj"},
    {0, "<shape name='s'><polyhedron file='a.obj'\n planes='0 0 1 0'/></shape>", TAC_ERROR_VALUE, 3,
     "planes", "both 'file'"},
    {0, "<shape name='s'><polyhedron/></shape>", TAC_ERROR_VALUE, 2, "planes", "or a mesh 'file'"},
    {0, "<shape name='s'><polyhedron\n planes=''/></shape>", TAC_ERROR_VALUE, 3, "planes",
     "found 0 numbers"},
    {0, "<shape name='s'><polyhedron planes='0 0 1'/></shape>", TAC_ERROR_VALUE, 2, "planes",
     "four numbers per plane"},
    {0, "<shape name='s'><polyhedron planes='0 0 1 0 1'/></shape>", TAC_ERROR_VALUE, 2, "planes",
     "found 5 numbers"},
    {0, "<shape name='s'><polyhedron planes='0 0 1 -1 0 0 0 -1'/></shape>", TAC_ERROR_VALUE, 2,
     "planes", "plane 1 has a normal of length 0"},
    {0, "<shape name='s'><polyhedron planes='0 nan 1 -1'/></shape>", TAC_ERROR_VALUE, 2, "planes",
     "'nan' is not"},
    {0, "<shape name='s'><polyhedron planes='0 0 1 -inf'/></shape>", TAC_ERROR_VALUE, 2, "planes",
     "finite"},
    {0, "<shape name='s'><polyhedron planes='0 0 1 1e10'/></shape>", TAC_ERROR_VALUE, 2, "planes",
     "out of range"},
    {0, "<shape name='s'><polyhedron planes='0 0 1e-6 1e8'/></shape>", TAC_ERROR_VALUE, 2, "planes",
     "away from the origin"},
    {0, "<shape name='s'><polyhedron planes='0 0 1 1 0 0 -1 1'/></shape>", TAC_ERROR_VALUE, 2,
     "planes", "is empty"},
    {0, "<shape name='s'><polyhedron planes='1 1 1 1 -1 -1 1 1 -1 1 -1 1 1 -1 -1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "planes", "is empty: no point"},
    {0, "<shape name='s'><polyhedron planes='0 0 1 -1 0 0 -1 -1'\n smooth='2'/></shape>",
     TAC_ERROR_VALUE, 3, "smooth", "empty at smooth = 2"},
    {0, "<shape name='s'><polyhedron planes='0 0 1 -1' smooth='0'/></shape>", TAC_ERROR_VALUE, 2,
     "smooth", "out of range"},
    {0, "<shape name='s'><polyhedron planes='0 0 1 -1' size='1'/></shape>", TAC_ERROR_UNSUPPORTED,
     2, "size", "no attribute"},
};

static int wrong_polyhedra_are_refused(void) {
    return are_refused(wrong_polyhedra, TAC_COUNT(wrong_polyhedra));
}

//---------------------------------- sweeps ---------------------------------------

static const badScene wrong_sweeps[] = {
    {0, "<shape name='s'><sweep size='1 1 1' eps='1 1'/></shape>", TAC_ERROR_VALUE, 2, "points",
     "needs"},
    {0, "<shape name='s'><sweep points='0 0 0 1 0 0 1 1' size='1 1 1' eps='1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "points", "9 numbers"},
    {0, "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 nan' size='1 1 1' eps='1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "points", "nan"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1 .1 .1 .1 .1 .1' eps='1 "
     "1'/></shape>",
     TAC_ERROR_VALUE, 2, "size", "has 8 numbers"},
    {0, "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 0 .1' eps='1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "size", "range"},
    {0, "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 -.1 .1' eps='1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "size", "range"},
    {0, "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 .05'/></shape>",
     TAC_ERROR_VALUE, 2, "eps", "between 0.1 and 2"},
    {0, "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1 1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "eps", "has 4 numbers"},
    {0, "<shape name='s'><sweep points='0 0 0 1 0 0 .2 0 0' size='.1 .1 .1' eps='1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "points", "cusp"},
    {0, "<shape name='s'><sweep points='0 0 0 0 0 0 1 0 0' size='.1 .1 .1' eps='1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "points", "first two control points"},
    {0, "<shape name='s'><sweep points='0 0 0 1 0 0 1 0 0' size='.1 .1 .1' eps='1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "points", "last two control points"},
    {0, "<shape name='s'><sweep points='0 0 0 1 1e-5 0 .2 0 0' size='.1 .1 .1' eps='1 1'/></shape>",
     TAC_ERROR_VALUE, 2, "points", "cusp, or nearly"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1'><plane normal='1 "
     "0 0' pos='0 0 0'/></sweep></shape>",
     TAC_ERROR_VALUE, 2, "pos", "combined with 'normal'"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1'><plane normal='1 "
     "0 0'\n zaxis='0 0 1'/></sweep></shape>",
     TAC_ERROR_VALUE, 3, "zaxis", "combined with 'normal'"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1'><plane zaxis='0 "
     "0 1' offset='.1'/></sweep></shape>",
     TAC_ERROR_VALUE, 2, "offset", "needs 'normal'"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1' up='0 0 "
     "0'/></shape>",
     TAC_ERROR_VALUE, 2, "up", "not a direction"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1' up='0 2 "
     "0'/></shape>",
     TAC_ERROR_VALUE, 2, "up", "parallel"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1' twist='1 "
     "2'/></shape>",
     TAC_ERROR_VALUE, 2, "twist", "3 numbers"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1'>\n<plane pos='0 "
     "0 -2'/></sweep></shape>",
     TAC_ERROR_VALUE, 3, "<plane>", "all of this <sweep>"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1'><plane normal='0 "
     "0 0'/></sweep></shape>",
     TAC_ERROR_VALUE, 2, "normal", "not a direction"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1'><plane normal='1 "
     "0 0 0 0 0 -1 0 0'/></sweep></shape>",
     TAC_ERROR_VALUE, 2, "normal", "not a direction"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1'><plane normal='1 "
     "0 0' offset='1 2'/></sweep></shape>",
     TAC_ERROR_VALUE, 2, "offset", "has 2 numbers"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 1'><sphere "
     "size='1'/></sweep></shape>",
     TAC_ERROR_UNSUPPORTED, 2, "<sphere>", "allowed here: plane"},
    {0, "<shape name='s'><plane normal='1 0 0'/></shape>", TAC_ERROR_VALUE, 2, "normal",
     "planes of a sweep"},
    {0,
     "<shape name='s'><sweep points='0 0 0 1 0 0 1 1 0' size='.1 .1 .1' eps='1 "
     "1'><plane/><plane/><plane/><plane/><plane/><plane/><plane/><plane/><plane/></sweep></shape>",
     TAC_ERROR_LIMIT, 2, "<plane>", "at most 8 planes"},
};

static int wrong_sweeps_are_refused(void) {
    return are_refused(wrong_sweeps, TAC_COUNT(wrong_sweeps));
}

TEST_MAIN(RUN(wrong_shapes_are_refused), RUN(wrong_cuts_are_refused),
          RUN(wrong_polyhedra_are_refused), RUN(wrong_sweeps_are_refused))
