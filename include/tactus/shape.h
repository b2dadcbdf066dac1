/// Signed distance fields of shapes: value, gradient, Hessian, and derivatives by pose and
/// parameters.
///
/// All vectors are in world axes; `pose` is the pose of the shape's frame. Tangents and adjoints of
/// it are twists (linear, angular) about pose.position (docs/shapes.md).
#ifndef TACTUS_SHAPE_H
#define TACTUS_SHAPE_H

#include "tactus/state.h"

TAC_EXTERN_C_BEGIN

/// Largest coordinate of a point. Larger and non-finite points are TAC_ERROR_VALUE. [m]
#define TAC_MAX_COORDINATE 1e15

/// Points, one array per coordinate, of any count and alignment.
typedef struct tacPoints {
    int count;           ///< number of points
    const tacReal* x[3]; ///< world coordinates                                (count) [m]
} tacPoints;

/// A field at points, or a tangent or adjoint of it. NULL skips an output and means zero in an
/// input.
typedef struct tacField {
    tacReal* value;       ///< signed distance, negative inside                (count) [m]
    tacReal* gradient[3]; ///< d value/d x; all three or none                  (count)
    tacReal* hessian[6];  ///< xx yy zz xy xz yz; all six or none              (count) [1/m]
} tacField;

/// Direction of tac_shape_jvp. NULL means zero.
typedef struct tacShapeTangent {
    const tacReal* x[3];  ///< of the points; all three or none                (count) [m]
    const tacReal* pose;  ///< twist of the shape's frame about pose.position  (6)
    const tacReal* param; ///< of all parameters of the model                  (nparam)
} tacShapeTangent;

/// Adjoints that tac_shape_vjp adds to. NULL skips.
typedef struct tacShapeAdjoint {
    tacReal* x[3];  ///< of the points; all three or none                      (count)
    tacReal* pose;  ///< of the twist about pose.position                      (6)
    tacReal* param; ///< of all parameters of the model                        (nparam)
} tacShapeAdjoint;

/// Evaluates the field of a shape. The bits of a value depend neither on the number of points nor
/// on which outputs are asked for.
TAC_API
tacResult tac_shape_eval(const tacModel* model, int shape, tacPose pose, tacPoints points,
                         tacField out, tacScratch* scratch);

/// Forward derivative of value and gradient of tac_shape_eval. out.hessian is ignored.
TAC_API
tacResult tac_shape_jvp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacShapeTangent tangent, tacField out, tacScratch* scratch);

/// Reverse derivative of value and gradient of tac_shape_eval: adds to `adjoint`.
TAC_API
tacResult tac_shape_vjp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacField bar, tacShapeAdjoint adjoint, tacScratch* scratch);

#ifndef TAC_NUMBER_COMPLEX
/// Hessian product: the derivative of tac_shape_vjp along `tangent`, with `bar` fixed. Adds to
/// `adjoint`. Exact, without differences.
TAC_API
tacResult tac_shape_hvp(const tacModel* model, int shape, tacPose pose, tacPoints points,
                        tacField bar, tacShapeTangent tangent, tacShapeAdjoint adjoint,
                        tacScratch* scratch);
#endif

/// Radius of a ball around each point that the surface does not enter, for sphere tracing. 0
/// inside, on the surface, and where no radius is proven (docs/shapes.md).                  (count)
/// [m]
TAC_API
tacResult tac_shape_steps(const tacModel* model, int shape, tacPose pose, tacPoints points,
                          double* radius, tacScratch* scratch);

/// A bounding ball.
typedef struct tacBall {
    tacVec3 center; ///< centre, in the shape's frame                        [m]
    double radius;  ///< radius; infinite if unbounded or not proven         [m]
} tacBall;

/// Bounding ball of a shape. Its radius is infinite for a shape with a half-space (docs/shapes.md).
TAC_API
tacBall tac_shape_ball(const tacModel* model, int shape, tacScratch* scratch);

/// Contact normal of a field gradient: g/sqrt(1e-12 + |g|^2). Its length is <= 1, less only near
/// ties and centres.
TAC_API
tacVec3 tac_shape_normal(tacVec3 gradient);

TAC_EXTERN_C_END

#endif
