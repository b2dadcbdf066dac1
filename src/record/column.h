// Names of the numbers of a state: of columns in files, of rows and columns of derivatives.

#ifndef TAC_RECORD_COLUMN_H
#define TAC_RECORD_COLUMN_H

#include "tactus/model.h"

// bytes that hold every name
#define TAC_COLUMN_SIZE (TAC_MAX_NAME + 32)

// "knee" for a hinge, "root/x" … "root/qw" for the parts of a free joint, "joint3" without a name
void tac_column_qpos(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);

// of a velocity or a tangent of qpos: "knee", "root/x" … "root/rz"
void tac_column_dof(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);

// name of the actuator that an activation belongs to
void tac_column_act(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);

// of a tangent of the state (2 nv + na): "qpos knee", "qvel knee", "act pull"
void tac_column_tangent(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);

// name of the joint, or "joint3"; of the tendon, or "tendon3"
void tac_column_joint(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);
void tac_column_tendon(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);

// name of the actuator, or "actuator3"
void tac_column_ctrl(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);

#endif
