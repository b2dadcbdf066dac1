// The colour that a ray sees.
//
//   rays --trace--> hits --occlude--> light, ambient --[this file]--> colour
//
// Lambert and Blinn-Phong for each light, light of the sky from above and of the ground from below,
// a little mirror image of the sky, all in linear light (docs/render.md eq. 7 to 10).

#include "draw/shade.h"

#include <math.h>

#define LAYERS 6 // transparent items that a ray passes

static const tacVec3 zenith = {0.22, 0.40, 0.72}, horizon = {0.80, 0.87, 0.95};
static const tacVec3 floor_light = {0.42, 0.40, 0.38};

static tacVec3 mix(tacVec3 a, tacVec3 b, double s) {
    return tac_add_scaled(tac_scale(a, 1.0 - s), s, b);
}

static double smooth_step(double low, double high, double x) {
    double s = fmax(0.0, fmin(1.0, (x - low) / (high - low)));
    return s * s * (3.0 - 2.0 * s);
}

//---------------------------------- sky ------------------------------------------

// what is seen where nothing is hit
static tacVec3 sky(tacVec3 along) {
    double up = fmax(along.z, 0.0);
    return mix(horizon, zenith, 1.0 - exp(-2.2 * up));
}

// what a mirror sees: sky above, ground below
static tacVec3 surroundings(tacVec3 along) {
    return mix(floor_light, sky(along), smooth_step(-0.12, 0.12, along.z));
}

//---------------------------------- ground ---------------------------------------

// mean of a square wave of period 2 over a width around x
static double wave_mean(double x, double width) {
    double a = 0.5 * (x - 0.5 * width), b = 0.5 * (x + 0.5 * width);
    a = fabs(a - floor(a) - 0.5);
    b = fabs(b - floor(b) - 0.5);
    return 2.0 * (a - b) / width;
}

// brightness of the checker pattern, averaged over a pixel
static double checker(const tacStage* stage, const tacItem* plane, const tacRays* rays, int i) {
    tacVec3 along = tac_vector(&rays->along, i);
    tacVec3 x = tac_sub(tac_ray_point(rays, i, rays->distance[i]), plane->pose.position);
    // a mirror that is bent spreads the rays of a pixel
    double spread = rays->before[i] > 0.0 ? 6.0 : 1.2;
    double pixel = spread * rays->pixel * (rays->before[i] + rays->distance[i]);
    double fall = fabs(tac_dot(along, plane->axes[2]));
    double wave = 1.0;
    for (int k = 0; k < 2; ++k) {
        double lean = tac_dot(along, plane->axes[k]) / fmax(fall, 1e-6);
        double width = pixel * sqrt(1.0 + lean * lean) / stage->cell;
        wave *= wave_mean(tac_dot(x, plane->axes[k]) / stage->cell, fmax(width, 1e-9));
    }
    return 1.0 + 0.10 * wave;
}

// share of the sky in front of something that reaches to the horizon
static double haze(const tacStage* stage, const tacItem* item, tacVec3 x) {
    if (isfinite(item->ball.radius)) return 0.0;
    double away = tac_distance(x, stage->centre) / stage->radius;
    return smooth_step(2.5, TAC_HAZE_END, away);
}

//---------------------------------- surfaces -------------------------------------

// gathers the hits of a packet as spots a hair above the surface
static void collect_spots(const tacRays* rays, tacShadeSpace* space) {
    tacSpots* spots = &space->spots;
    spots->count = 0;
    for (int i = 0; i < rays->count; ++i) {
        if (rays->item[i] < 0) continue;
        int k = spots->count++;
        tacVec3 n = tac_vector(&rays->normal, i), x = tac_ray_point(rays, i, rays->distance[i]);
        x = tac_add_scaled(x, 1e-7 * rays->distance[i], n);
        tac_set_vector(&spots->normal, k, n);
        tac_set_vector(&spots->x, k, x);
        space->spot_ray[k] = i;
    }
    tac_spots_measure(spots);
}

static tacVec3 base_colour(const tacStage* stage, const tacRays* rays, int i) {
    const tacItem* item = &stage->items[rays->item[i]];
    tacVec3 rgb = tac_vec3(item->rgb[0], item->rgb[1], item->rgb[2]);
    return item->shape < 0 ? tac_scale(rgb, checker(stage, item, rays, i)) : rgb;
}

// what each spot mirrors: other items, or the sky
static void mirror_spots(const tacStage* stage, const tacRays* rays, tacShadeSpace* space,
                         tacScratch* scratch) {
    tacRays* out = &space->mirrored;
    out->count = space->spots.count;
    out->pixel = rays->pixel;
    for (int k = 0; k < out->count; ++k) {
        int i = space->spot_ray[k];
        tacVec3 n = tac_vector(&space->spots.normal, k), along = tac_vector(&rays->along, i);
        along = tac_add_scaled(along, -2.0 * fmin(0.0, tac_dot(n, along)), n);
        tac_set_vector(&out->origin, k, tac_vector(&space->spots.x, k));
        tac_set_vector(&out->along, k, tac_normalize(along));
        out->start[k] = 0.0;
        out->before[k] = rays->before[i] + rays->distance[i];
        tac_store3(space->spot_mirror[k], surroundings(along));
    }
    if (!space->mirror) return;
    tac_shade(stage, out, space->mirror, scratch);
    for (int k = 0; k < out->count; ++k)
        if (out->item[k] >= 0)
            tac_store3(space->spot_mirror[k], tac_load3(space->mirror->colour[k]));
}

// light that comes from everywhere
static tacVec3 ambient_light(const tacStage* stage, const tacRays* rays, const tacSpots* spots,
                             const double mirrored[3], int k, int i) {
    tacVec3 n = tac_vector(&spots->normal, k), along = tac_vector(&rays->along, i);
    double open = spots->ambient[k], facing = fmax(0.0, -tac_dot(n, along));
    int is_plane = stage->items[rays->item[i]].shape < 0;
    tacVec3 around = mix(floor_light, tac_vec3(0.62, 0.72, 0.90), 0.5 + 0.5 * n.z);
    tacVec3 colour = tac_scale(tac_mul(base_colour(stage, rays, i), around), 0.50 * open);
    // Fresnel's part of a smooth dielectric
    double part = (0.04 + 0.55 * pow(1.0 - facing, 5.0)) * (is_plane ? 0.4 : 1.0);
    return tac_add_scaled(colour, part, tac_load3(mirrored));
}

static tacVec3 direct_light(const tacStage* stage, const tacRays* rays, const tacSpots* spots,
                            const tacLight* light, int k, int i) {
    if (spots->light[k] <= 0.0) return tac_vec3_zero();
    tacVec3 n = tac_vector(&spots->normal, k), to = tac_vector(&spots->to_light, k);
    tacVec3 half = tac_normalize(tac_sub(to, tac_vector(&rays->along, i)));
    int is_plane = stage->items[rays->item[i]].shape < 0;
    double lambert = fmax(0.0, tac_dot(n, to));
    double shine = is_plane ? 0.0 : 0.55 * pow(fmax(0.0, tac_dot(n, half)), 70.0);
    tacVec3 rgb = tac_add(tac_scale(base_colour(stage, rays, i), 1.75 * lambert),
                          tac_vec3(shine, shine, shine));
    return tac_scale(tac_mul(rgb, tac_load3(light->diffuse)), spots->light[k]);
}

static void aim(const tacLight* light, tacSpots* spots) {
    for (int k = 0; k < spots->count; ++k) {
        tacVec3 to = tac_neg(tac_load3(light->direction));
        if (!light->directional) {
            to = tac_sub(tac_load3(light->position), tac_vector(&spots->x, k));
            spots->reach[k] = tac_norm(to);
        } else {
            spots->reach[k] = INFINITY;
        }
        tac_set_vector(&spots->to_light, k, tac_normalize(to));
    }
}

// colours of all hits of a packet
static void light_spots(const tacStage* stage, const tacRays* rays, tacShadeSpace* space,
                        tacScratch* scratch) {
    tacSpots* spots = &space->spots;
    // in a mirror image nobody misses the ambient occlusion
    for (int k = 0; k < spots->count; ++k) spots->ambient[k] = 0.8;
    if (space->mirror) tac_ambient(stage, spots, &space->occlude, scratch);
    mirror_spots(stage, rays, space, scratch);
    for (int k = 0; k < spots->count; ++k)
        tac_store3(space->spot_colour[k],
                   ambient_light(stage, rays, spots, space->spot_mirror[k], k, space->spot_ray[k]));
    for (int l = 0; l < stage->nlight; ++l) {
        aim(&stage->lights[l], spots);
        if (stage->lights[l].castshadow)
            tac_shadows(stage, spots, &space->occlude, scratch);
        else
            for (int k = 0; k < spots->count; ++k) spots->light[k] = 1.0;
        for (int k = 0; k < spots->count; ++k) {
            tacVec3 add =
                direct_light(stage, rays, spots, &stage->lights[l], k, space->spot_ray[k]);
            tac_store3(space->spot_colour[k], tac_add(tac_load3(space->spot_colour[k]), add));
        }
    }
}

//---------------------------------- tone -----------------------------------------

// a shoulder keeps highlights from clipping: x for small x, 1 at infinity
double tac_tone(double x) {
    const double knee = 0.60, rest = 1.0 - knee;
    return x <= knee ? x : 1.0 - rest * rest / (rest + x - knee);
}

unsigned char tac_srgb_byte(double linear) {
    double x = fmax(0.0, fmin(1.0, linear));
    double y = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
    return (unsigned char)(255.0 * y + 0.5);
}

//---------------------------------- rays -----------------------------------------

// adds what a layer of hits and misses gives; keeps the rays that pass through a transparent item
static void add_layer(const tacStage* stage, tacRays* rays, const int* owner,
                      tacShadeSpace* space) {
    for (int i = 0; i < rays->count; ++i) {
        if (rays->item[i] >= 0) continue;
        double* colour = space->colour[owner[i]];
        tacVec3 seen = sky(tac_vector(&rays->along, i));
        tac_store3(colour, tac_add_scaled(tac_load3(colour), space->left[owner[i]], seen));
        space->left[owner[i]] = 0.0;
    }
    for (int k = 0; k < space->spots.count; ++k) {
        int i = space->spot_ray[k];
        const tacItem* item = &stage->items[rays->item[i]];
        tacVec3 lit = tac_load3(space->spot_colour[k]), along = tac_vector(&rays->along, i);
        double far = haze(stage, item, tac_vector(&space->spots.x, k));
        double *colour = space->colour[owner[i]], *left = &space->left[owner[i]];
        lit = mix(lit, sky(along), far);
        tac_store3(colour, tac_add_scaled(tac_load3(colour), *left * item->alpha, lit));
        *left *= 1.0 - item->alpha;
    }
}

// the rays of `from` that something is still seen through, from behind their hits
static void pass_on(const tacRays* from, tacShadeSpace* space, tacRays* out) {
    int count = 0;
    out->pixel = from->pixel;
    for (int i = 0; i < from->count; ++i) {
        int owner = from == out ? space->owner[i] : i;
        if (space->left[owner] < 1.0 / 512.0) continue;
        tac_set_vector(&out->origin, count, tac_vector(&from->origin, i));
        tac_set_vector(&out->along, count, tac_vector(&from->along, i));
        out->start[count] = from->distance[i] * (1.0 + 1e-6);
        out->before[count] = from->before[i];
        space->owner[count++] = owner;
    }
    out->count = count;
}

void tac_shade(const tacStage* stage, tacRays* rays, tacShadeSpace* space, tacScratch* scratch) {
    for (int i = 0; i < rays->count; ++i) {
        space->owner[i] = i;
        space->left[i] = 1.0;
        for (int c = 0; c < 3; ++c) space->colour[i][c] = 0.0;
    }
    tacRays* now = rays;
    for (int layer = 0; layer < LAYERS && now->count > 0; ++layer) {
        tac_trace(stage, now, &space->trace, scratch);
        collect_spots(now, space);
        light_spots(stage, now, space, scratch);
        add_layer(stage, now, space->owner, space);
        pass_on(now, space, &space->layer);
        now = &space->layer;
    }
}
