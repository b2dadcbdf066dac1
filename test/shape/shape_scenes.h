// Scenes written as text, for the tests of shapes.

#ifndef TAC_SHAPE_SHAPE_SCENES_H
#define TAC_SHAPE_SHAPE_SCENES_H

#include "tactus/tactus.h"

#include <stdio.h>
#include <stdlib.h>

// a model of these <shape> elements; a mistake in a test's own scene ends the test
static inline tacModel* load_shapes(const char* shapes) {
    static char text[65536];
    tacModel* model = NULL;
    tacMessage message;
    int size = snprintf(text, sizeof text, "<mujoco><asset>%s</asset></mujoco>", shapes);
    if (tac_load_text(text, size, "test.xml", NULL, &model, &message) != TAC_OK) {
        printf("  %s:%d: %s: %s\n", message.file, message.line, message.attribute, message.text);
        exit(1);
    }
    return model;
}

static inline tacScratch* make_scratch(const tacModel* model) {
    tacScratch* scratch = NULL;
    if (tac_scratch_create(model, &scratch) != TAC_OK) exit(1);
    return scratch;
}

// one of each kind, and a nest of them
static const char* const shape_zoo =
    "<shape name='sphere'><sphere size='.5' pos='.1 .2 .3'/></shape>"
    "<shape name='plane'><plane pos='.1 .2 .3' euler='20 30 40'/></shape>"
    "<shape name='superquadric'><superquadric size='.3 .2 .5' eps='.6 .4' euler='20 30 40'"
    " pos='.1 0 .2'/></shape>"
    "<shape name='radial' distance='radial'><superquadric size='.3 .2 .5' eps='.6 .4'"
    " euler='20 30 40' pos='.1 0 .2'/></shape>"
    "<shape name='boxy'><superquadric size='1 .2 .05' eps='.1 .1'/></shape>"
    "<shape name='spiky'><superquadric size='.3 .2 .5' eps='1.9 1.5'/></shape>"
    "<shape name='spiky radial' distance='radial'><superquadric size='.3 .2 .5' eps='1.4 "
    "2'/></shape>"
    "<shape name='ellipsoid'><ellipsoid size='.3 .2 .5' euler='20 30 40' pos='.1 0 .2'/></shape>"
    "<shape name='ellipsoid radial' distance='radial'><ellipsoid size='.3 .2 .5'/></shape>"
    "<shape name='capsule'><capsule size='.2 .3' euler='20 30 40' pos='.1 0 .2'/></shape>"
    "<shape name='short capsule'><capsule size='.3 .004'/></shape>"
    "<shape name='cylinder'><cylinder size='.2 .3' euler='20 30 40' pos='.1 0 .2'/></shape>"
    "<shape name='coin'><cylinder size='.4 .02'/></shape>"
    "<shape name='box'><box size='.3 .2 .5' euler='20 30 40' pos='.1 0 .2'/></shape>"
    "<shape name='plate'><box size='1 .2 .05'/></shape>"
    "<shape name='mug' smooth='.01'><difference><cylinder size='.3 .4'/>"
    "<cylinder size='.25 .4' pos='0 0 .06'/></difference><difference pos='.3 0 0'>"
    "<capsule size='.15 .1'/><capsule size='.09 .1'/><box size='.3 .3 .5' pos='-.32 0 0'/>"
    "</difference></shape>"
    "<shape name='union' smooth='.02'><superquadric size='.3 .2 .5' eps='.6 .4' pos='.1 0 .2'/>"
    "<sphere size='.3' pos='.3 0 0'/><superquadric size='.2 .2 .2' eps='2 2' pos='0 .4 0'/></shape>"
    "<shape name='nested' smooth='.01'><union smooth='.05' pos='.1 0 0' euler='0 30 0'>"
    "<sphere size='.3' pos='.3 0 0'/><superquadric size='.3 .2 .5' eps='.6 1' pos='-.2 .1 "
    "0'/></union>"
    "<union euler='10 0 0'><sphere size='.2'/><union pos='0 .4 0'><sphere size='.1'/>"
    "<superquadric size='.1 .2 .1' eps='.3 .3'/></union></union></shape>"
    "<shape name='lens' smooth='.01'><intersection><sphere size='.5' pos='.2 0 0'/>"
    "<sphere size='.5' pos='-.2 0 0'/></intersection></shape>"
    "<shape name='cup' smooth='.01'><difference><superquadric size='.4 .4 .5' eps='.1 1'/>"
    "<superquadric size='.34 .34 .5' eps='.1 1' pos='0 0 .08'/><sphere size='.2' pos='.4 0 0'/>"
    "</difference><superquadric size='.1 .05 .1' eps='.5 .5' pos='-.45 0 0'/></shape>"
    "<shape name='mix' smooth='.02'><difference euler='0 0 30'><union smooth='.03'>"
    "<sphere size='.4'/><sphere size='.4' pos='.3 0 0'/></union><intersection smooth='.01'>"
    "<sphere size='.3' pos='0 .3 0'/><plane pos='0 .3 0' euler='40 0 0'/></intersection>"
    "<difference><sphere size='.3' pos='.4 0 .3'/><sphere size='.2' pos='.4 0 .3'/></difference>"
    "</difference></shape>"
    "<shape name='crowd' smooth='.002'><superquadric size='.2 .1 .15' eps='.6 .4'/>"
    "<superquadric size='.1 .1 .2' eps='.8 .9' pos='.5 0 0' euler='30 0 0'/>"
    "<sphere size='.15' pos='-.5 0 0'/><capsule size='.1 .1' pos='0 .6 0'/>"
    "<box size='.1 .2 .1' pos='0 -.6 0'/><cylinder size='.1 .1' pos='0 0 .6'/>"
    "<union pos='.3 .3 .3'><sphere size='.1'/><superquadric size='.1 .1 .1' eps='.5 .5' pos='.2 0 "
    "0'/>"
    "</union><difference pos='-.4 -.4 -.4'><sphere size='.2'/><sphere size='.1' pos='.16 0 0'/>"
    "</difference></shape>"
    "<shape name='ending' smooth='.02' truncate='.3'><superquadric size='.3 .2 .5' eps='.6 .4'"
    " pos='.1 0 .2'/><sphere size='.3' pos='.3 0 0'/><superquadric size='.2 .2 .2' eps='2 2'"
    " pos='0 .4 0'/></shape>"
    "<shape name='ending soon' smooth='.02' truncate='.2'><superquadric size='.2 .1 .15' eps='.6 "
    ".4'/><superquadric size='.1 .1 .2' eps='.8 .9' pos='.3 0 0' euler='30 0 0'/></shape>"
    "<shape name='ending crowd' smooth='.002' truncate='.15'><difference pos='-.4 -.4 -.4'>"
    "<sphere size='.2'/><sphere size='.1' pos='.16 0 0'/></difference>"
    "<superquadric size='.2 .1 .15' eps='.6 .4'/>"
    "<superquadric size='.1 .1 .2' eps='.8 .9' pos='.5 0 0' euler='30 0 0'/>"
    "<sphere size='.15' pos='-.5 0 0'/><capsule size='.1 .1' pos='0 .6 0'/>"
    "<box size='.1 .2 .1' pos='0 -.6 0'/><cylinder size='.1 .1' pos='0 0 .6'/>"
    "<union pos='.3 .3 .3'><sphere size='.1'/><superquadric size='.1 .1 .1' eps='.5 .5' pos='.2 0 "
    "0'/></union></shape>";

// straight, curved, tight, changing and cut
static const char* const sweep_zoo =
    "<shape name='sweep'><sweep points='-.5 0 0  0 .9 .1  .5 0 .2' size='.1 .08 .1' eps='1 1'"
    " smooth='.01' euler='20 30 40' pos='.1 0 .2'/></shape>"
    "<shape name='straight sweep'><sweep points='-.5 0 0  0 .1 .05  .5 .2 .1' size='.1 .08 .2'"
    " eps='.5 .6' smooth='.01'/></shape>"
    "<shape name='point sweep'><sweep points='0 0 0  0 0 0  0 0 0' size='.3 .2 .5' eps='.6 .4'"
    " smooth='.01' euler='20 30 40' pos='.1 0 .2'/></shape>"
    "<shape name='point sweep off'><sweep points='.1 .2 .3  .1 .2 .3  .1 .2 .3' size='.3 .2 .5'"
    " eps='.6 .4' smooth='.01'/></shape>"
    "<shape name='tight sweep'><sweep points='-.3 0 0  0 1.4 0  .3 0 0' size='.12 .12 .12'"
    " eps='1 1' smooth='.02'/></shape>"
    "<shape name='horn' distance='radial'><sweep points='0 0 0  .5 0 0  .6 .5 .1'"
    " size='.2 .2 .2 .1 .12 .1 .03 .03 .05' eps='.9 1 .6 .8 .4 .5' smooth='.005'/></shape>"
    "<shape name='twisted sweep'><sweep points='-.5 0 0  0 .5 .1  .6 .3 .2' size='.15 .05 .1'"
    " eps='.3 .3' twist='0 60 200' up='.2 .3 1' smooth='.01'/></shape>"
    "<shape name='cut sweep' smooth='.01'><sweep points='-.5 0 0  0 .5 .1  .6 .3 .2'"
    " size='.15 .15 .1' eps='.5 1'><plane pos='0 .05 0' zaxis='.1 1 0'/>"
    "<plane normal='1 0 0  1 .5 .1  .5 1 0' offset='.02 .05 .08'/></sweep></shape>"
    "<shape name='handle' smooth='.01'><difference><cylinder size='.3 .4'/>"
    "<cylinder size='.25 .4' pos='0 0 .06'/></difference>"
    "<sweep points='.27 0 -.25  .75 0 0  .27 0 .25' size='.04 .05 .04' eps='1 1'/></shape>";

// planes of a tetrahedron with two faces askew, and of a cube with its corners and edges cut off
#define TETRAHEDRON "1 1 1 -.3 -1 -1 1 -.3 -1 1.2 -1 -.35 1 -1 -1.1 -.25"
#define CUT_CUBE                                                                                   \
    "1 0 0 -.3 -1 0 0 -.3 0 1 0 -.3 0 -1 0 -.3 0 0 1 -.3 0 0 -1 -.3 "                              \
    "1 1 1 -.75 1 1 -1 -.75 1 -1 1 -.75 1 -1 -1 -.75 -1 1 1 -.75 -1 1 -1 -.75 -1 -1 1 -.75 "       \
    "-1 -1 -1 -.75 1 1 0 -.55 1 -1 0 -.55 -1 1 0 -.55 -1 -1 0 -.55 1 0 1 -.55 -1 0 1 -.55"

// polyhedra and superquadrics with planes, alone and in a nest
static const char* const planes_zoo =
    "<shape name='tetrahedron'><polyhedron planes='" TETRAHEDRON
    "' smooth='.01' pos='.1 0 .2' euler='20 30 40'/></shape>"
    "<shape name='cube'><polyhedron planes='1 0 0 -.3 -1 0 0 -.3 0 1 0 -.3 0 -1 0 -.3 0 0 1 -.3 "
    "0 0 -1 -.3'/></shape>"
    "<shape name='cut cube'><polyhedron planes='" CUT_CUBE "' euler='20 30 40'/></shape>"
    "<shape name='sharp'><polyhedron planes='" TETRAHEDRON "' smooth='3e-6'/></shape>"
    "<shape name='redundant'><polyhedron planes='1 0 0 -.3 -1 0 0 -.3 0 1 0 -.3 0 -1 0 -.3 "
    "0 0 1 -.3 0 0 -1 -.3 1 0 0 -.3 1 0 0 -.3 1 0 0 -.31 1 0 .01 -.301 1 .01 0 -.301 1 1 1 -9 "
    "-1 0 0 -.5 0 1 0 -.3 0 1 0 -.3' smooth='.02'/></shape>"
    "<shape name='half ball' smooth='.01'><superquadric size='.5 .4 .3' eps='1 1' pos='.1 0 .2'"
    " euler='20 30 40'><plane pos='0 0 .1'/></superquadric></shape>"
    "<shape name='cone' smooth='.001'><superquadric size='.18 .12 .34' eps='2 1'>"
    "<plane zaxis='0 0 -1'/></superquadric></shape>"
    "<shape name='wedge'><superquadric size='.3 .3 .5' eps='.1 1'><plane zaxis='1 0 1'/>"
    "<plane zaxis='-1 .2 1' pos='0 0 .1'/></superquadric></shape>"
    "<shape name='three cuts' distance='radial'><superquadric size='.3 .2 .5' eps='.6 .4'"
    " smooth='.03'><plane zaxis='1 1 0' pos='.1 0 0'/><plane zaxis='-1 1 1' pos='0 0 .2'/>"
    "<plane zaxis='0 -1 -1' pos='0 -.05 -.1'/></superquadric></shape>"
    "<shape name='carved' smooth='.01'><difference><polyhedron planes='" CUT_CUBE "'/>"
    "<superquadric size='.2 .2 .4' eps='.3 1' pos='.02 .01 .2'><plane pos='0 0 .2'/></superquadric>"
    "<polyhedron planes='" TETRAHEDRON "' pos='.3 .1 0' smooth='.02'/></difference>"
    "<polyhedron planes='" TETRAHEDRON "' pos='-.4 0 .1' euler='0 40 0'/></shape>";

// all of the above in one model
static inline tacModel* load_zoo(void) {
    static char text[32768];
    snprintf(text, sizeof text, "%s%s%s", shape_zoo, sweep_zoo, planes_zoo);
    return load_shapes(text);
}

#endif
