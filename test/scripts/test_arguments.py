#!/usr/bin/env python3
"""Wrong arguments are reported, never a crash: docs/architecture.md, "Arguments".

Every function of the public headers is called with each of its pointers NULL in turn, each handle
and count out of range, and each struct empty, while all else is good. A call that answers with a
tacResult must refuse a pointer that it needs; what it does not need is listed below, as the headers
say. Functions that are new in a header are called without a word here, or are complained about.

usage: test_arguments.py BUILD_DIRECTORY
"""
# plain build only
import os
import re
import shutil
import subprocess
import tempfile

import script

# kernels of inner loops: they return numbers, have nowhere to complain, and do not look
UNCHECKED = re.compile(r"tac_(soft_\w+|mollifier|ramp|point_plane|elastoplastic|lcp_active_set)"
                       r"(_jvp|_vjp)?$|tac_lcp_residual$|tac_shape_normal$")

# what may be NULL: by name everywhere, or of one function
OPTIONAL = set("message options progress user report bad symbols forces growth points".split())
OPTIONAL_OF = {
    r"tac_\w+_destroy": r".*",
    r"tac_\w+_jvp": r".*_dot|tangent|dq",
    r"tac_\w+_vjp|tac_\w+_hvp": r".*_bar|adjoint|.*_dot",
    r"tac_kinematics": r"qvel|pose|twist",
    r"tac_batch_(step|jacobian|jvp|vjp|hvp)": r"ctrl|A|B",
    r"tac_render": r"qpos",
    r"tac_(energy|momentum|rows|impulse)(_vjp|_jvp)?": r"qvel",
    r"tac_impulse": r"contacts|impulse",
    r"tac_forward_(dynamics|contact)(_jvp|_vjp)?": r"tau",
    r"tac_inverse_dynamics_jacobian": r"by_q|by_v",
    r"tac_force(_jvp|_vjp)?": r"contacts.*",
    r"tac_geom_pairs": r"pairs",
    r"tac_(frame|point|point_locate|particle|rigid_body)": r"name",
    r"tac_expr_call": r"b",
    r"tac_step_code_use": r"code",
    r"tac_method_linearize": r"inputs|B",
    r"tac_program_print": r"user",
    r"tac_load_text": r"path",
}

# a good argument by type, or by function and name
GOOD = {
    "tacModel*": "model", "tacScratch*": "scratch", "tacGraph*": "graph",
    "tacMechanics*": "mechanics", "tacProgram*": "program", "tacCode*": "code",
    "tacStepCode*": "step_code", "tacMethod*": "method", "tacContacts*": "contacts",
    "tacState*": "&state", "tacReal*": "number", "double*": "number", "tacExpr*": "expr",
    "tacExpr": "expr[0]", "tacRefFrame": "frame", "tacRefPoint": "point", "tacOp": "TAC_OP_SIN",
    "tacNotation": "TAC_NOTATION_TEXT", "tacResult": "TAC_OK", "tacMessage*": "&message",
    "char*": "text", "tacPose*": "pose", "tacPose": "tac_pose_identity()", "void*": "memory",
    "size_t": "sizeof text", "double": "0.5", "tacReal": "0.5", "int": "1", "long long": "1",
    "int*": "indices", "unsigned char*": "classes", "tacVec3": "(tacVec3){0}",
    "tacVector": "vector", "tacDyadic": "dyadic", "tacParam*": "param", "tacParam": "*param",
    "tacOptions*": "&options", "tacGraphOptions*": "&graph_options", "tacMass*": "&mass",
    "tacCodeOptions*": "&code_options", "tacSceneSymbols*": "&symbols", "tacWrite": "write_text",
    "tacOperatingPoint": "(tacOperatingPoint){expr, expr, 1}", "tacKane*": "&kane",
    "tacLagrange*": "&lagrange", "tacRow*": "row", "tacKinematics*": "&kinematics",
    "tacPairForce*": "force", "tacLcp*": "&lcp", "tacLcpReport*": "&report",
    "tacCone*": "&cone", "tacConeReport*": "&cone_report", "tacConeTangent*": "&(tacConeTangent){0}",
    "tacConeAdjoint*": "&(tacConeAdjoint){0}",
    "tacPoints": "points", "tacField": "field", "tacShapeTangent": "(tacShapeTangent){0}",
    "tacShapeAdjoint": "(tacShapeAdjoint){.pose = number}", "tacPosedSolid": "placed",
    "tacSolid*": "solid", "tacMesh*": "mesh", "tacSeparation*": "&separation", "tacConvexOptions*": "&convex_options",
    "tacWitnessOptions*": "&witness", "tacDynamicsInput": "input", "tacStepItem*": "&item",
    "tacDynamicsTangent": "(tacDynamicsTangent){number, number, number, number, number}",
    "tacTangent": "(tacTangent){number, number, number}",
    "tacStepTangent": "(tacStepTangent){{number, number, number}, number, number}",
    "tacStepJacobian*": "&(tacStepJacobian){.next = &next, .A = number}",
    "tacStepHvp*": "&(tacStepHvp){{number, number, number}}",
    "tacStepHessian*": "&(tacStepHessian){{number, number, number}, .H = other}",
    "tacBatch*": "batch", "tacBatch**": "&made.batch", "tacBatchRollout*": "&batch_rollout",
    "tacBatchRolloutAdjoint*": "&batch_rollout_bar", "tacBatchTangent*": "&batch_tangent",
    "tacRender*": "&picture", "tacStepContacts*": "&step_contacts", "tacRollout*": "&rollout", "tacObject": "TAC_OBJ_JOINT",
    "tacQuat": "(tacQuat){1, 0, 0, 0}", "tacVec3*": "vec3", "tacQuat*": "quat", "unsigned": "1",
    "tacState**": "&made.state", "tacSoftSort*": "&sort",
    "tacSinkhorn*": "&sinkhorn", "tacSelect*": "&choice",
    "tacSelectBar": "(tacSelectBar){number, number, number}",
    "tacGraph**": "&made.graph", "tacMechanics**": "&made.mechanics", "tacMethod**": "&made.method",
    "tacProgram**": "&made.program", "tacCode**": "&made.code", "tacModel**": "&made.model",
    "tacStepCode**": "&made.step_code", "tacScratch**": "&made.scratch",
    "tacContacts**": "&made.contacts", "tacMesh**": "&made.mesh", "tacSolid**": "&made.solid",
    "int (*)[2]": "pair", "void (*)(void*, double)": "progress",
    "tacEdgePairs": "EDGES", "tacEdgeWitness": "(tacEdgeWitness){.distance = other}",
    "tacEdgePairsBar": "(tacEdgePairsBar){{{0}}}",
    "tacVertexFaces": "FACES", "tacFaceWitness": "(tacFaceWitness){.distance = other}",
    "tacCcdFeatures": "TAC_CCD_VERTEX_FACE", "tacCcdOptions*": "&ccd", "tacImpact*": "&impact",
    "tacMotionPath*": "&motion_path", "tacTimeOfImpact*": "&impact_found", "tacCcdCertificate*": "&certificate",
    "tacVertexFacesBar": "(tacVertexFacesBar){{0}, {{0}}}",
    "tacPolygonPairs": "POLYGONS", "tacPolygonWitness": "(tacPolygonWitness){.distance = other}",
    "tacPolygonPairsBar": "(tacPolygonPairsBar){{{0}}}",
}
GOOD_OF = {
    ("tac_batch_create", "models"): "models", ("tac_batch_state", "row"): "0",
    ("tac_batch_result", "row"): "0", ("tac_batch_info", "row"): "0", ("tac_render", "rgb"): "pixels",
    ("tac_batch_jvp", "next_dot"): "other", ("tac_batch_jacobian", "A"): "other",
    ("tac_batch_jacobian", "B"): "other + 500",
    ("tac_load", "path"): '"scenes/cart_pole.xml"', ("tac_load_text", "text"): "scene_text",
    ("tac_load_text", "size"): "(int)strlen(scene_text)",
    ("tac_param_find", "name"): '"option/timestep"', ("tac_param_name", "size"): "(int)sizeof text",
    ("tac_param_set", "values"): "step_length", ("tac_symbol", "name"): '"w"',
    ("tac_dynamic", "name"): '"w"', ("tac_shape_find", "name"): '"w"',
    ("tac_expr_expand", "max_terms"): "1000", ("tac_program_print", "name"): '"f"',
    ("tac_frame_orient_body", "order"): '"XYZ"', ("tac_frame_orient_space", "order"): '"XYZ"',
    ("tac_frame_orient_axis", "frame"): "tac_frame(mechanics, \"F\")",
    ("tac_frame_orient_body", "frame"): "tac_frame(mechanics, \"F\")",
    ("tac_frame_orient_space", "frame"): "tac_frame(mechanics, \"F\")",
    ("tac_frame_orient_quaternion", "frame"): "tac_frame(mechanics, \"F\")",
    ("tac_frame_set_ang_vel", "frame"): "tac_frame(mechanics, \"F\")",
    ("tac_point_set_pos", "point"): "tac_point(mechanics, \"A\")",
    ("tac_point_v1pt_theory", "point"): "bob", ("tac_point_v2pt_theory", "point"): "bob",
    ("tac_set_potential_energy", "body"): "0", ("tac_shape_tessellate", "vertices"): "50",
    ("tac_shape_tessellate_with_progress", "vertices"): "50", ("tac_solid_create_polygon", "count"): "3",
    ("tac_solid_create_polygon", "corner"): "corner", ("tac_solid_create_box", "half"): "corner + 3",
    ("tac_solid_create_polyhedron", "count"): "4",
    ("tac_solid_create_polyhedron", "point"): "corner",
    ("tac_lagrange", "q"): "expr", ("tac_lagrange", "v"): "expr + 1", ("tac_lagrange", "M"): "out",
    ("tac_lagrange", "T"): "kinetic", ("tac_lagrange", "V"): "expr[0]",
    ("tac_expr_derivative", "x"): "expr[0]", ("tac_contacts_create", "capacity"): "0",
    ("tac_shape_mass", "tolerance"): "0.05", ("tac_shape_mass_with_progress", "tolerance"): "0.05",
    ("tac_convex_separation", "memory"): "memory", ("tac_step", "next"): "&next",
    ("tac_name_id", "name"): '"j"', ("tac_state_reset_key", "key"): "0",
    ("tac_state_copy", "to"): "&next", ("tac_rollout_vjp", "states_bar"): "number",
    ("tac_solid_create_halfspace", "normal"): "corner + 3",
    ("tac_step_code_use", "code"): "step_code", ("tac_time_of_impact", "geom_a"): "0",
    **{(f"tac_impact_{name}", end): f"ccd_{end}" for end in ("start", "end")
       for name in ("side", "time", "time_jvp", "time_vjp")},
}

SETUP = r"""
#include "tactus/ccd.h"
#include "tactus/cone.h"
#include "tactus/lcp.h"
#include "tactus/mechanics.h"
#include "tactus/mesh.h"
#include "tactus/smooth.h"
#include "tactus/solid.h"
#include "tactus/symbolic.h"
#include "tactus/tactus.h"
#include "tactus/witness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* scene_texts[] = {
    "<mujoco><tactus detect='manifold' respond='spring'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body pos='0 0 .05'><joint name='j' axis='0 1 0' damping='.1'/><geom type='sphere' size='.1'/></body>"
    "</worldbody><actuator><motor joint='j'/></actuator>"
    "<sensor><jointpos joint='j'/></sensor><keyframe><key/></keyframe></mujoco>",
    "<mujoco><tactus detect='gjk' respond='lcp'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body pos='0 0 .2'><joint name='j' type='slide' axis='0 0 1'/><geom type='sphere' size='.1'/></body>"
    "</worldbody><actuator><motor joint='j'/></actuator></mujoco>",
    "<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><geom type='sphere' size='.1' pos='0 0 1'/></body>"
    "</worldbody><actuator><motor joint='j'/></actuator></mujoco>"};
static const char* scene_text;
enum { SCENES = 3 };
static struct {
    tacGraph* graph; tacMechanics* mechanics; tacMethod* method; tacProgram* program; tacCode* code;
    tacModel* model; tacStepCode* step_code; tacScratch* scratch; tacContacts* contacts;
    tacMesh* mesh; tacSolid* solid; tacState* state;
    tacBatch* batch;
} made;
static tacBatch* batch; static const tacModel* models[1];
static unsigned char pixels[640 * 400 * 3];
static tacRender picture = {8, 8, -1, -1, 1, 1};
static tacModel* model; static tacScratch* scratch; static tacGraph* graph;
static tacMechanics* mechanics; static tacMethod* method; static tacProgram* program;
static tacCode* code; static tacStepCode* step_code; static tacContacts *contacts, *contacts2;
static tacSolid* solid; static tacMesh* mesh;
static double number[100000], other[100000], step_length[] = {0.001};
static double memory[100000], qpos[] = {0.01}, qvel[] = {0.1}, corner[] = {0, 0, 0, 1, 0.1, 0.1,
                                                                 0, 1, 0.2, 0.1, 0.1, 1};
static tacExpr expr[100], out[100], kinetic, speed, kd;
static tacRefFrame frame, turning; static tacRefPoint point, bob;
static tacMessage message; static char text[1000]; static tacPose pose[10];
static tacState state = {qpos, qvel, number, number, 0}, next = {other, other + 10, other, other, 0};
static int indices[1000], pair[100][2]; static unsigned char classes[1000];
static tacVec3 vec3[1]; static tacQuat quat[1]; static tacContactForce contact_force[100];
static tacStepContacts step_contacts = {contact_force, 100, 0, other};
static tacBatchRollout batch_rollout = {2, number, NULL};
static tacBatchRolloutAdjoint batch_rollout_bar = {number, other, other + 500, NULL};
static tacBatchTangent batch_tangent = {number, number, NULL};
static tacRollout rollout = {&state, number, 2, other + 1000, &next};
static tacVector vector; static tacDyadic dyadic; static tacParam param[1];
static tacOptions options; static tacGraphOptions graph_options; static tacMass mass;
static tacCodeOptions code_options = {0, ""}; static tacSceneSymbols symbols;
static tacKane kane; static tacLagrange lagrange; static tacRow row[100];
static tacKinematics kinematics = {pose, number, 0, NULL}; static tacPairForce force[10];
static double lcp_A[] = {1}, lcp_b[] = {-1};
static tacLcp lcp = {1, 0, lcp_A, lcp_b, NULL}; static tacLcpReport report;
static int cone_start[] = {0, 1}, cone_dof[] = {0}; static double cone_one[] = {1};
static tacConeBlock cone_block = {TAC_CONE_LIMIT, 0, 1, 0, 1, 0}; static tacConeReport cone_report;
static tacCone cone = {1, 1, 1, cone_start, cone_dof, &cone_block, cone_dof, cone_one, cone_one, cone_one,
                       cone_one, cone_one, cone_one, NULL};
static tacPoints points = {1, {corner, corner, corner}};
static tacField field = {.value = other};
static tacPosedSolid placed; static tacSeparation separation; static tacConvexOptions convex_options;
static tacWitnessOptions witness; static tacDynamicsInput input; static tacStepItem item;
static tacSoftSort sort; static tacSinkhorn sinkhorn; static tacSelect choice;
static tacCcdOptions ccd; static tacImpact impact = {TAC_CCD_VERTEX_FACE, 1.0, 0.0};
static tacMotionPath motion_path = {qpos, qvel, NULL, 1.0}; static tacTimeOfImpact impact_found;
static tacCcdCertificate certificate;
static double ccd_start[] = {.2, .2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
              ccd_end[] = {.2, .2, -2, 0, 0, 0, 1, 0, 0, 0, 1, 0};
#define THREE(a) {a, a, a}
#define EDGES ((tacEdgePairs){1, {THREE(corner), THREE(corner + 1), THREE(corner + 2), THREE(corner + 3)}})
#define FACES ((tacVertexFaces){1, THREE(corner + 1), {THREE(corner), THREE(corner + 2), THREE(corner + 3)}})
#define POLYGONS ((tacPolygonPairs){1, {1, 2}, {THREE(corner), THREE(corner + 1), THREE(corner + 3)}})

static int write_text(void* user, const char* t, size_t n) { (void)user, (void)t, (void)n; return 0; }
static void progress(void* user, double done) { (void)user, (void)done; }

static void make(int which) {
    for (int i = 0; i < 1000; ++i) indices[i] = i;
    scene_text = scene_texts[which];
    options = tac_default_options(), graph_options = tac_default_graph_options();
    if (tac_load_text(scene_text, (int)strlen(scene_text), "scene", NULL, &model, &message) != TAC_OK)
        printf("scene: %s\n", message.text), _exit(9);
    models[0] = model;
    tac_batch_create(models, 1, 1, &batch);
    tac_scratch_create(model, &scratch);
    tac_kinematics(model, qpos, qvel, pose, number, scratch);
    tac_contacts_create(model, 0, 1, &contacts);
    tac_contacts_create(model, 0, 1, &contacts2);
    if (which < 1) tac_detect(model, pose, contacts, scratch);
    tac_graph_create(NULL, &graph);
    tac_mechanics_create(graph, &mechanics);
    expr[0] = tac_dynamic(mechanics, "q"), speed = tac_dynamic(mechanics, "u");
    kd = tac_expr_sub(graph, tac_dt(mechanics, expr[0]), speed);
    for (int i = 1; i < 100; ++i) {
        char name[20];
        snprintf(name, sizeof name, "x%d", i);
        expr[i] = tac_symbol(graph, name);
    }
    kinetic = tac_expr_mul(graph, expr[1], expr[1]);
    frame = tac_frame(mechanics, "N"), turning = tac_frame(mechanics, "B");
    tac_frame_orient_axis(mechanics, turning, frame, tac_frame_axis(mechanics, frame, 2), expr[0]);
    tac_frame_set_ang_vel(mechanics, turning, frame,
                          tac_vector_scale(mechanics, speed, tac_frame_axis(mechanics, frame, 2)));
    point = tac_point(mechanics, "O");
    vector = tac_frame_axis(mechanics, turning, 0);
    tac_point_set_vel(mechanics, point, frame, (tacVector){frame, tac_number(graph, 0),
                      tac_number(graph, 0), tac_number(graph, 0)});
    bob = tac_point_locate(mechanics, "P", point, vector);
    tac_point_v2pt_theory(mechanics, bob, point, frame, turning);
    dyadic = tac_dyadic_outer(mechanics, vector, vector);
    tac_particle(mechanics, "bob", bob, expr[2]);
    kane = (tacKane){.frame = frame, .q_ind = expr, .u_ind = &speed, .kinematic = &kd, .nq_ind = 1,
                     .nu_ind = 1};
    lagrange = (tacLagrange){.frame = frame, .L = tac_expr_mul(graph, tac_dt(mechanics, expr[0]),
                             tac_dt(mechanics, expr[0])), .q = expr, .nq = 1};
    if (tac_kanes_method(mechanics, &kane, &method) != TAC_OK) _exit(8);
    if (tac_program_create(graph, expr, 2, expr, 2, &program) != TAC_OK) _exit(7);
    tac_code_create(program, &code_options, &code, NULL);
    tac_step_code_create(model, &code_options, &step_code, NULL);
    tac_solid_create_ball(1.0, 0, &solid, NULL);
    placed = (tacPosedSolid){solid, tac_pose_identity()};
    witness = tac_default_witness_options(), ccd = tac_default_ccd();
    input = (tacDynamicsInput){.qpos = qpos, .qvel = qvel};
    item = (tacStepItem){model, &state, number, &next, scratch, TAC_OK};
    sort = tac_default_soft_sort(3, corner + 3, 2), sort.order = indices, sort.work = memory;
    sinkhorn = tac_default_sinkhorn(3, corner + 3, 2), sinkhorn.work = memory;
    choice = tac_default_select(3, corner + 3, 2);
    tac_param_find(model, "option/timestep", param);
}

static void use(const void* p) { __asm__ volatile("" : : "r"(p) : "memory"); }
"""

MAIN = r"""
// what the call answers, or minus the signal that it ends with
static int answer(int call) {
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        alarm(20);
        _exit(calls[call]() & 127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

// wrong calls are made in the first scene in which the good one before them works
int main(void) {
    static int done[CALLS];
    for (int which = 0; which < SCENES; ++which) {
        make(which);
        for (int i = 0, works = 0; i < CALLS; ++i) {
            if (done[i] || (!good[i] && !works)) continue;
            int code = answer(i);
            if (good[i]) works = code == 0;
            done[i] = works;
            printf("%d %d\n", i, code);
        }
    }
}
"""


def split(text):
    """At commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def parameter(text):
    """(type, name); arrays are pointers, const is left out."""
    text = re.sub(r"\bconst\b", "", text).strip()
    if "(*progress)" in text:
        return "void (*)(void*, double)", "progress"
    if "(*pairs)" in text:
        return "int (*)[2]", "pairs"
    kind, name, array = re.fullmatch(r"([\w ]+?[\s*]*)\b(\w+)(\[\d*\])?", text).groups()
    kind = re.sub(r"\s+", " ", kind).strip().replace(" *", "*") + ("*" if array else "")
    return kind, name


def functions():
    """(result, name, [(type, name)]) of everything that the headers export."""
    for header in sorted((script.ROOT / "include" / "tactus").glob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text(encoding="utf-8"))
        for result, name, inside in re.findall(r"^TAC_API\s+([\w\s*]+?)\b(tac_\w+)\((.*?)\);", text,
                                               re.S | re.M):
            inside = re.sub(r"\s+", " ", inside).strip()
            yield result.strip(), name, [] if inside == "void" else [parameter(p) for p in
                                                                     split(inside)]


def good(function, kind, name):
    if (function, name) in GOOD_OF:
        return GOOD_OF[function, name]
    if kind == "tacExpr*" and re.fullmatch(r"out|A|b|M|c|T|V|X|B|dcm|in", name):
        return "out"
    return GOOD[kind]


def is_pointer(kind):
    return kind.endswith("*") or "(*)" in kind or kind == "tacWrite"


def is_optional(function, name):
    return name in OPTIONAL or any(
        re.fullmatch(f, function) and re.fullmatch(n, name) for f, n in OPTIONAL_OF.items())


def bad_values(function, kind, name):
    """(what, text, must be refused) of one argument."""
    if is_pointer(kind):
        yield "NULL", "NULL", not is_optional(function, name)
        struct = re.fullmatch(r"tac(\w+)\*", kind)
        # not what the library made itself
        opaque = """Batch Graph Mechanics Method Program Code StepCode Scratch Model Contacts Mesh Solid
            Expr Real Pose Message Param"""
        if struct and struct[1] not in opaque.split():
            yield "empty", f"&({kind[:-1]}){{0}}", False
    elif kind in ("tacExpr", "tacRefFrame", "tacRefPoint"):
        yield "-1", "-1", not is_optional(function, name)
        yield "1 << 20", "1 << 20", not is_optional(function, name)
    elif kind == "int":
        yield "-1", "-1", False
        if re.fullmatch("shape|geom|site|body|axis|offset|key|id", name):
            yield "1 << 20", "1 << 20", False
    elif kind in ("tacOp", "tacNotation", "tacResult", "tacObject"):
        yield "99", f"({kind})99", False
    elif kind in ("tacVector", "tacDyadic", "tacPosedSolid", "tacDynamicsInput", "tacTangent",
                  "tacDynamicsTangent", "tacParam", "tacField", "tacPose", "tacStepTangent"):
        yield "empty", f"({kind}){{0}}", False
        if kind in ("tacVector", "tacDyadic"):
            yield "no frame", f"({kind}){{.frame = 1 << 20}}", False
    elif kind in ("tacPoints", "tacEdgePairs", "tacVertexFaces", "tacPolygonPairs"):
        yield "NULL inside", f"({kind}){{.count = 1}}", name != "dot"
        yield "-1 inside", f"({kind}){{.count = -1}}", False
    elif kind == "tacOperatingPoint":
        yield "NULL inside", "(tacOperatingPoint){NULL, NULL, 1}", True


def generate():
    """The program, and what each of its calls is."""
    body, calls = [], []

    def add(result, name, arguments, what, refused):
        call = f"{name}({', '.join(arguments)})"
        if result == "tacResult":
            line = f"return (int){call};"
        elif result in ("tacExpr", "tacRefFrame", "tacRefPoint"):
            line = f"return {call} < 0 ? 4 : 0;"
        elif result == "tacVector" or result == "tacDyadic":
            part = "x" if result == "tacVector" else "c[0]"
            line = f"return {call}.{part} < 0 ? 4 : 0;"
        elif result == "void":
            line = f"{call}; return 0;"
        else:
            line = f"{result} r = {call}; use(&r); return 0;"
        body.append(f"static int call{len(calls)}(void) {{ {line} }}")
        calls.append((name, what, refused, result))

    for result, name, parameters in functions():
        if UNCHECKED.match(name) and result != "tacResult":
            continue
        arguments = [good(name, *p) for p in parameters]
        destroy = name.endswith("_destroy")
        add(result, name, ["NULL"] if destroy else arguments, "good", False)
        for i, (kind, label) in enumerate(parameters):
            for what, text, refused in bad_values(name, kind, label):
                if destroy:
                    continue
                changed = [*arguments[:i], text, *arguments[i + 1:]]
                add(result, name, changed, f"{label}: {what}", refused)
    table = ", ".join(f"call{i}" for i in range(len(calls)))
    starts = ", ".join(str(int(what == "good")) for _, what, _, _ in calls)
    text = "\n".join([SETUP, *body, f"static int (*calls[])(void) = {{{table}}};",
                      f"static const char good[] = {{{starts}}};",
                      f"enum {{ CALLS = {len(calls)} }};", MAIN])
    return text, calls


def run(text, folder):
    source, program = os.path.join(folder, "arguments.c"), os.path.join(folder, "arguments")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    xml = subprocess.run(["pkg-config", "--libs", "libxml-2.0"], capture_output=True, text=True,
                         check=True).stdout.split()
    subprocess.run([shutil.which("cc"), "-std=gnu17", "-O0", "-w",
                    "-I" + str(script.ROOT / "include"), source, "-o", program,
                    os.path.join(script.BUILD, "libtactus.a"), *xml, "-lpthread", "-ldl", "-lm"],
                   check=True)
    return subprocess.run([program], cwd=script.ROOT, capture_output=True, text=True, check=True).stdout


def complaint(what, refused, result, codes):
    """What is wrong with the answers of one call, "" if nothing is."""
    answers = result in ("tacResult", "tacExpr", "tacRefFrame", "tacRefPoint", "tacVector")
    if min(codes) < 0:
        return "crashes"
    if what == "good" and 0 not in codes:
        return "does not work with good arguments"
    return "is accepted" if refused and answers and 0 in codes else ""


def main():
    if not shutil.which("cc"):
        print("skip: no C compiler")
        script.skipped += 1
        return
    text, calls = generate()
    with tempfile.TemporaryDirectory() as folder:
        lines = run(text, folder).splitlines()
    seen = {}
    for line in lines:
        i, code = map(int, line.split())
        seen.setdefault(i, []).append(code)
    wrong = {}
    for i, (name, what, refused, result) in enumerate(calls):
        said = complaint(what, refused, result, seen.get(i, [0]))
        wrong.setdefault(name, []).extend([f"{what} {said}"] if said else [])
    for name, complaints in wrong.items():
        script.check(name, not complaints, "; ".join(complaints))
    script.check("all functions of the headers are called", len(wrong) > 200, len(wrong))


main()
script.finish()
