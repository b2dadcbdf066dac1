// MuJoCo's own numbers, for comparison: masses, forces and steps of models, constraints disabled.
//
//   node mujoco-reference.mjs PACKAGE_FOLDER SEED STATES STEPS MODEL... > OUT
//
// PACKAGE_FOLDER is where `npm install @mujoco/mujoco` put it. For each model OUT has a line
// "model PATH", then "failed REASON" or arrays, then "end". An array is a line "array NAME COUNT" and
// COUNT doubles of this machine. test/dynamics/mujoco_reference.h reads them.

import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [folder, seed, stateCount, stepCount] = process.argv.slice(2, 6);
const models = process.argv.slice(6);
const entry = path.join(folder, 'node_modules', '@mujoco', 'mujoco', 'mujoco.js');
const silent = {print() {}, printErr() {}};
const mujoco = await (await import(pathToFileURL(path.resolve(entry)))).default(silent);

//---------------------------------- output ----------------------------------------

function put(data) {
    for (let at = 0; at < data.length;) {
        try {
            at += fs.writeSync(1, data, at);
        } catch (error) {
            if (error.code !== 'EAGAIN') throw error; // a pipe that is full
        }
    }
}

const line = (text) => put(Buffer.from(text + '\n'));

function putArray(name, numbers) {
    const array = Float64Array.from(numbers);
    line(`array ${name} ${array.length}`);
    put(Buffer.from(array.buffer));
}

//---------------------------------- files -----------------------------------------

const readable = /\.(xml|urdf|obj|stl|ply|msh|png|txt|bin|skn)$/i;
const copied = new Map(); // folder -> its copy in MuJoCo's file system

function copyTree(from, to, flat) {
    mujoco.FS.mkdirTree(to);
    for (const item of fs.readdirSync(from, {withFileTypes: true})) {
        const source = path.join(from, item.name);
        if (item.isDirectory()) copyTree(source, flat ? to : path.join(to, item.name), flat);
        else if (readable.test(item.name))
            mujoco.FS.writeFile(path.join(to, item.name), withoutPaths(item.name, fs.readFileSync(source)));
    }
}

// a URDF that says nothing of its meshes' paths is told to look for them beside it
function withoutPaths(name, bytes) {
    const text = name.endsWith('.urdf') ? bytes.toString() : '';
    if (!text || text.includes('<mujoco')) return bytes;
    return text.replace(/<robot\b[^>]*>/, '$&<mujoco><compiler strippath="true"/></mujoco>');
}

// A model with all beside and below it. MuJoCo looks for the meshes of a URDF beside it, wherever
// the URDF says they are: a package is laid flat.
function copyModel(file) {
    const isUrdf = file.endsWith('.urdf');
    let from = path.dirname(file);
    if (isUrdf && path.basename(from) === 'urdf') from = path.dirname(from);
    if (!copied.has(from)) {
        const to = `/model${copied.size}`;
        copyTree(from, to, isUrdf);
        copied.set(from, to);
    }
    return path.join(copied.get(from), path.basename(file));
}

//---------------------------------- chance ----------------------------------------

// mulberry32
function makeRandom(state) {
    const uniform = (low, high) => {
        state = (state + 0x6d2b79f5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return low + (high - low) * (((t ^ (t >>> 14)) >>> 0) / 4294967296);
    };
    const normal = () => Math.sqrt(-2 * Math.log(1 - uniform(0, 1))) * Math.cos(uniform(0, 2 * Math.PI));
    return {uniform, normal};
}

// flags such as jnt_limited cannot be read from JavaScript; what has no range has 0 0
function rangeOr(ranges, i, otherwise) {
    const [low, high] = ranges.slice(2 * i, 2 * i + 2);
    return low < high ? [low, high] : [-otherwise, otherwise];
}

// in the middle `share` of their ranges
function drawControls(m, d, random, share) {
    for (let i = 0; i < m.nu; ++i) {
        const [low, high] = rangeOr(m.actuator_ctrlrange, i, 1);
        const middle = (low + high) / 2, half = share * (high - low) / 2;
        d.ctrl[i] = random.uniform(middle - half, middle + half);
    }
}

// free positions, quaternions and velocities normal, the others uniform in their range or [-pi, pi]
function drawState(m, d, random) {
    const widths = [7, 4, 1, 1];
    for (let j = 0; j < m.njnt; ++j) {
        const at = m.jnt_qposadr[j], kind = m.jnt_type[j], width = widths[kind];
        const [low, high] = rangeOr(m.jnt_range, j, Math.PI);
        for (let k = 0; k < width; ++k)
            d.qpos[at + k] = kind < 2 ? random.normal() : random.uniform(low, high);
        if (kind > 1) continue;
        const turn = d.qpos.subarray(at + width - 4, at + width);
        const norm = Math.hypot(...turn);
        for (let k = 0; k < 4; ++k) turn[k] /= norm;
    }
    for (let i = 0; i < m.nv; ++i) d.qvel[i] = random.normal();
    for (let i = 0; i < m.na; ++i) d.act[i] = random.uniform(0, 1);
    drawControls(m, d, random, 1);
}

//---------------------------------- numbers ---------------------------------------

const meshType = 7;

function putModel(m) {
    putArray('version', mujoco.mj_versionString().split('.').map(Number));
    putArray('sizes', [m.nq, m.nv, m.nu, m.na, m.nbody, m.njnt, m.nmesh]);
    putArray('parent', m.body_parentid);
    const hasmesh = new Float64Array(m.nbody);
    for (let g = 0; g < m.ngeom; ++g)
        if (m.geom_type[g] === meshType) hasmesh[m.geom_bodyid[g]] = 1;
    putArray('hasmesh', hasmesh);
    putArray('mass', m.body_mass);
    putArray('inertia', m.body_inertia);
    putArray('ipos', m.body_ipos);
    putArray('iquat', m.body_iquat);
}

// count, then (place, number) of what is not 0 in the lower triangle
function sparseLower(n, dense) {
    const pairs = [];
    for (let i = 0; i < n; ++i)
        for (let j = 0; j <= i; ++j)
            if (dense[i * n + j] !== 0) pairs.push(i * n + j, dense[i * n + j]);
    return [pairs.length / 2, ...pairs];
}

function massMatrix(m, d) {
    const full = new mujoco.DoubleBuffer(m.nv * m.nv);
    mujoco.mj_fullM(m, d, full);
    const lower = sparseLower(m.nv, full.GetView());
    full.delete();
    return lower;
}

function putStates(m, d, random, count) {
    const fields = ['qpos', 'qvel', 'act', 'ctrl', 'xpos', 'xquat', 'qfrc_bias', 'qfrc_passive',
                    'qfrc_actuator', 'qacc'];
    const all = Object.fromEntries([...fields, 'M'].map((name) => [name, []]));
    for (let i = 0; i < count; ++i) {
        mujoco.mj_resetData(m, d);
        drawState(m, d, random);
        mujoco.mj_forward(m, d);
        for (const name of fields) all[name].push(...d[name]);
        if (m.nv) all.M.push(...massMatrix(m, d));
    }
    for (const name in all) putArray(name, all[name]);
}

//---------------------------------- runs ------------------------------------------

const upOneUlp = (x) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, x);
    view.setBigInt64(0, view.getBigInt64(0) + 1n);
    return view.getFloat64(0);
};

function startRun(m, d, random) {
    mujoco.mj_resetData(m, d);
    for (let i = 0; i < m.nv; ++i) d.qvel[i] = 0.3 * random.normal();
}

// 1000 steps under small random controls; 0 or fewer states when MuJoCo itself breaks off
function run(m, d, count, controls, record) {
    for (let i = 0; i < count; ++i) {
        record(d);
        d.ctrl.set(controls.subarray(i * m.nu, (i + 1) * m.nu));
        const time = d.time;
        mujoco.mj_step(m, d);
        if (!(d.time > time)) return i; // not finite: MuJoCo starts again from 0
    }
    record(d);
    return count;
}

const apart = (a, b, at) => {
    let difference = 0, norm = 0;
    for (let i = 0; i < a.length; ++i) {
        difference += (a[i] - b[at + i]) ** 2;
        norm += a[i] ** 2;
    }
    return norm > 0 ? Math.sqrt(difference / norm) : Math.sqrt(difference);
};

// the run, and how far a run that started one ulp apart is from it at each step
function putRun(m, d, name, seed, count) {
    const random = makeRandom(seed), controls = new Float64Array(count * m.nu);
    for (let i = 0; i < count; ++i) {
        drawControls(m, d, random, 0.3);
        controls.set(d.ctrl, i * m.nu);
    }
    startRun(m, d, random);
    const qvel = Float64Array.from(d.qvel), all = {qpos: [], qvel: [], act: []}, ulp = [];
    const done = run(m, d, count, controls, () => {
        for (const field in all) all[field].push(...d[field]);
    });
    mujoco.mj_resetData(m, d);
    d.qvel.set(qvel.map(upOneUlp));
    for (let j = 0; j < m.njnt; ++j)
        if (m.jnt_type[j] > 1) d.qpos[m.jnt_qposadr[j]] = upOneUlp(d.qpos[m.jnt_qposadr[j]]);
    run(m, d, done, controls, () => {
        const i = ulp.length;
        ulp.push(Math.max(apart(d.qpos, all.qpos, i * m.nq), apart(d.qvel, all.qvel, i * m.nv)));
    });
    for (const field in all) putArray(`${name}/${field}`, all[field]);
    putArray(`${name}/ctrl`, controls);
    putArray(`${name}/ulp`, ulp);
}

//---------------------------------- models ----------------------------------------

const constraint = 1;
const integrators = {Euler: 0, RK4: 1, implicitfast: 3};

function putNumbers(m, d) {
    m.opt.disableflags |= constraint;
    putModel(m);
    putStates(m, d, makeRandom(Number(seed)), Number(stateCount));
    for (const name in integrators) {
        m.opt.integrator = integrators[name];
        putRun(m, d, name, Number(seed) + 1, Number(stepCount));
    }
}

for (const file of models) {
    line(`model ${file}`);
    let m = null;
    try {
        m = mujoco.MjModel.mj_loadXML(copyModel(file));
    } catch (error) {
        const text = String(error.message ?? error).replace(/MuJoCo Error: Loading error: /, '');
        line('failed ' + text.replace(/\s*\n\s*/g, '; ').trim());
    }
    if (m) {
        const d = new mujoco.MjData(m);
        putNumbers(m, d);
        d.delete(), m.delete();
    }
    line('end');
}
