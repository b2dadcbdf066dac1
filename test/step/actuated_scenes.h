// Scenes that have everything: all kinds of actuators, activations, tendons, forces on bodies.

#ifndef TAC_STEP_ACTUATED_SCENES_H
#define TAC_STEP_ACTUATED_SCENES_H

// every kind of actuator: activations of all kinds, clamps, groups, drives of balls and free bodies
// in both axes, tendons with slack springs, sums that joints clamp
static const char drives_text[] =
    "<mujoco><option actuatorgroupdisable='3'/><worldbody>"
    "<body pos='.1 .2 .3'><freejoint name='free'/><geom type='box' size='.1 .2 .3'/>"
    "<body pos='.3 0 .1'><joint name='ball' type='ball' pos='.1 .2 .3' damping='.3'/>"
    "<geom type='ellipsoid' size='.1 .15 .2' pos='.1 0 0'/>"
    "<body pos='0 0 .2'><joint name='a' axis='1 0 0' damping='.1' range='-40 80' "
    "actuatorfrcrange='-3 3'/><geom size='.1' pos='0 .1 0'/>"
    "<body pos='.1 0 0'><joint name='b' type='slide' axis='0 1 0' armature='.1' range='-1 2'/>"
    "<geom type='capsule' size='.05 .2'/></body></body>"
    "<body pos='0 .3 .2'><joint name='c' axis='0 1 1' actuatorfrcrange='-200 200'/>"
    "<geom size='.1' pos='0 .1 0'/></body></body></body></worldbody>"
    "<tendon><fixed name='t' stiffness='3' damping='.2' springlength='-.1 .2'>"
    "<joint joint='a' coef='2'/><joint joint='c' coef='-.5'/></fixed>"
    "<fixed name='s' stiffness='2' damping='.1' springlength='.3' range='-1 1'><joint joint='b' "
    "coef='1.5'/>"
    "<joint joint='a' coef='.4'/></fixed></tendon>"
    "<actuator><motor joint='a' gear='3' ctrlrange='-1 1'/>"
    "<position joint='b' kp='4' dampratio='.7' timeconst='.03' inheritrange='.5'/>"
    "<intvelocity joint='c' kp='3' kv='.2' actrange='-2 2'/>"
    "<damper joint='a' kv='.7' ctrlrange='0 2'/>"
    "<cylinder tendon='t' timeconst='.05' area='1.3' bias='.1 -.2 -.3'/>"
    "<general tendon='s' dyntype='filter' dynprm='.04' actearly='true' gaintype='affine' "
    "gainprm='2 .3 -.1' biastype='affine' biasprm='.2 -.5 -.4' gear='1.2'/>"
    "<general joint='ball' gear='1 2 3' gaintype='affine' gainprm='1 .5 -.2' biastype='affine' "
    "biasprm='.1 -.3 -.2'/>"
    "<general jointinparent='ball' gear='-1 .5 2' dyntype='filterexact' dynprm='.02' "
    "actearly='true' biastype='affine' biasprm='.1 -.3 -.2' actlimited='true' actrange='-3 3'/>"
    "<general joint='free' gear='1 2 3 4 5 6' biastype='affine' biasprm='.1 0 -.2'/>"
    "<general jointinparent='free' gear='3 1 2 -4 1 6' dyntype='integrator' biastype='affine' "
    "biasprm='.1 0 -.2'/>"
    "<general joint='b' dyntype='filter' group='3'/>"
    "<velocity joint='c' kv='2' forcerange='-50 50' gear='.5'/></actuator></mujoco>";

// gravity compensation and a fluid with wind, which see boxes in frames of their own
static const char pushes_text[] =
    "<mujoco><option density='20' viscosity='.7' wind='.3 -.2 .5'/><worldbody>"
    "<body pos='.1 .2 .3' gravcomp='.7'><freejoint/><geom type='box' size='.1 .2 .3'/>"
    "<geom size='.1' pos='.1 .2 .3'/>"
    "<body pos='.3 0 .1' euler='10 20 30'><joint type='ball' pos='.1 .2 .3'/>"
    "<geom type='ellipsoid' size='.1 .15 .2' pos='.1 0 0' euler='30 10 0'/>"
    "<body pos='0 0 .2' gravcomp='2'><joint axis='1 0 1'/><geom type='box' size='.1 .02 .1' "
    "pos='0 .1 0'/><body pos='.1 0 0'><joint type='slide' axis='0 1 0'/>"
    "<geom type='capsule' size='.05 .2'/></body></body></body></body>"
    "<body pos='0 0 1' gravcomp='-1'><joint axis='0 1 0' damping='.1'/>"
    "<geom type='box' size='.1 .1 .05' pos='0 .2 0'/></body></worldbody></mujoco>";

#endif
