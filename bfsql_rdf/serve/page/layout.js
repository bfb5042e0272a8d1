// Where nodes stand: rings around the seeds, then, if wanted, forces between them. The same answer lies the same way.

const STEP = 120;
const ROW = 58;

/** A position for every node: `Map id -> {x, y}`; `style` is "forces" or "rings". */
export function layout(nodes, edges, seeds, style) {
  const near = neighbours(nodes, edges);
  const parts = components(nodes, near).map((part) => {
    const compact = style === "forces" && part.length > 400;
    const at = rings(part, near, part.filter((id) => seeds.has(id)), compact);
    if (style === "forces") relax(at, edges, iterations(part.length));
    return at;
  });
  return pack(parts);
}

/** Positions for what was added around nodes that stay where they are. */
export function place(nodes, edges, fixed) {
  const near = neighbours(nodes, edges);
  const at = new Map(fixed);
  const fresh = nodes.filter((node) => !at.has(node.id));
  const placed = new Map();
  for (const node of fresh) {
    const anchor = (near.get(node.id) ?? []).find((id) => at.has(id));
    const from = at.get(anchor) ?? { x: 0, y: 0 };
    const turn = (placed.get(anchor) ?? 0) + 1;
    placed.set(anchor, turn);
    const angle = turn * 2.39996;
    const far = STEP * (0.7 + 0.12 * Math.sqrt(turn));
    at.set(node.id, { x: from.x + Math.cos(angle) * far, y: from.y + Math.sin(angle) * far });
  }
  relax(at, edges, fresh.length > 600 ? 40 : 120, new Set(fixed.keys()));
  return at;
}

function iterations(size) {
  if (size > 2200) return 70;
  return size > 1200 ? 100 : size > 400 ? 200 : 260;
}

function neighbours(nodes, edges) {
  const near = new Map(nodes.map((node) => [node.id, []]));
  for (const { source, target } of edges) {
    if (source === target) continue;
    near.get(source)?.push(target);
    near.get(target)?.push(source);
  }
  return near;
}

function components(nodes, near) {
  const seen = new Set();
  const found = [];
  for (const { id } of nodes) {
    if (seen.has(id)) continue;
    const part = [id];
    seen.add(id);
    for (let at = 0; at < part.length; at += 1) {
      for (const other of near.get(part[at])) {
        if (seen.has(other)) continue;
        seen.add(other);
        part.push(other);
      }
    }
    found.push(part);
  }
  return found.sort((a, b) => b.length - a.length);
}

/**
 * One ring for each hop; a branch gets an angle in proportion to its leaves. A crowded ring is several rows deep.
 * `compact` keeps the angles but fills a disc from its middle, as a start for forces.
 */
function rings(part, near, seeds, compact) {
  const roots = seeds.length ? seeds : [part.reduce((best, id) => (near.get(id).length > near.get(best).length ? id : best), part[0])];
  const children = new Map(part.map((id) => [id, []]));
  const order = [...roots];
  const level = new Map(roots.map((id) => [id, roots.length > 1 ? 1 : 0]));
  for (let at = 0; at < order.length; at += 1) {
    for (const other of near.get(order[at])) {
      if (level.has(other)) continue;
      level.set(other, level.get(order[at]) + 1);
      children.get(order[at]).push(other);
      order.push(other);
    }
  }
  const leaves = new Map();
  for (const id of order.toReversed()) {
    const below = children.get(id).reduce((sum, child) => sum + leaves.get(child), 0);
    leaves.set(id, Math.max(1, below));
  }
  const crowd = [];
  for (const id of order) crowd[level.get(id)] = (crowd[level.get(id)] ?? 0) + 1;
  const rows = crowd.map((count) => Math.max(1, Math.ceil(Math.sqrt(count) / 7)));
  const radius = [0];
  for (let ring = 1; ring < crowd.length; ring += 1) {
    const wanted = (((crowd[ring] ?? 0) / (rows[ring] ?? 1)) * 50) / (2 * Math.PI);
    radius[ring] = Math.max(radius[ring - 1] + STEP + ((rows[ring - 1] ?? 1) - 1) * ROW, wanted);
  }
  const rank = new Map(order.map((id, number) => [id, number]));
  const turn = [];
  const far = (id) => {
    if (compact) return STEP * 0.6 * Math.sqrt(rank.get(id));
    const ring = level.get(id);
    turn[ring] = (turn[ring] ?? 0) + 1;
    return radius[ring] + (turn[ring] % rows[ring]) * ROW;
  };
  const at = new Map();
  const spread = (ids, from, to) => {
    const all = ids.reduce((sum, id) => sum + leaves.get(id), 0);
    let angle = from;
    for (const id of ids) {
      const share = ((to - from) * leaves.get(id)) / all;
      const middle = angle + share / 2;
      const away = far(id);
      at.set(id, { x: Math.cos(middle) * away, y: Math.sin(middle) * away });
      todo.push([children.get(id), angle, angle + share]);
      angle += share;
    }
  };
  const todo = [[roots, -Math.PI / 2, 1.5 * Math.PI]];
  while (todo.length) spread(...todo.pop());
  return at;
}

/** Springs along edges, and repulsion between what is near, found through a grid. */
function relax(at, edges, rounds, fixed = new Set()) {
  const ids = [...at.keys()];
  const index = new Map(ids.map((id, number) => [id, number]));
  const x = Float64Array.from(ids, (id) => at.get(id).x);
  const y = Float64Array.from(ids, (id) => at.get(id).y);
  const still = Uint8Array.from(ids, (id) => (fixed.has(id) ? 1 : 0));
  const degree = new Float64Array(ids.length);
  const links = [];
  for (const { source, target } of edges) {
    const [from, to] = [index.get(source), index.get(target)];
    if (from === undefined || to === undefined || from === to) continue;
    links.push([from, to]);
    degree[from] += 1;
    degree[to] += 1;
  }
  const reach = STEP * 2.2;
  const dx = new Float64Array(ids.length);
  const dy = new Float64Array(ids.length);
  for (let round = 0; round < rounds; round += 1) {
    const heat = 0.9 * (1 - round / rounds) + 0.05;
    dx.fill(0);
    dy.fill(0);
    push(x, y, dx, dy, reach);
    if (!fixed.size) gather(x, y, dx, dy, still.length);
    for (const [from, to] of links) {
      const [lx, ly] = [x[to] - x[from], y[to] - y[from]];
      const long = Math.hypot(lx, ly) || 1;
      const rest = STEP * (0.75 + 0.11 * Math.sqrt(Math.min(degree[from], degree[to])) + 0.025 * Math.sqrt(Math.max(degree[from], degree[to])));
      const pull = ((long - rest) / long) * 0.5;
      const share = degree[from] / (degree[from] + degree[to]);
      dx[to] -= lx * pull * share;
      dy[to] -= ly * pull * share;
      dx[from] += lx * pull * (1 - share);
      dy[from] += ly * pull * (1 - share);
    }
    for (let one = 0; one < ids.length; one += 1) {
      if (still[one]) continue;
      const long = Math.hypot(dx[one], dy[one]) || 1;
      const step = Math.min(long, 60) * heat;
      x[one] += (dx[one] / long) * step;
      y[one] += (dy[one] / long) * step;
    }
  }
  ids.forEach((id, number) => at.set(id, { x: x[number], y: y[number] }));
}

/** A light pull to the middle, so that large pictures close up. */
function gather(x, y, dx, dy, count) {
  const strength = Math.min(0.02, count / 60000);
  const middle = (values) => values.reduce((sum, value) => sum + value, 0) / count;
  const [mx, my] = [middle(x), middle(y)];
  for (let one = 0; one < count; one += 1) {
    dx[one] -= (x[one] - mx) * strength;
    dy[one] -= (y[one] - my) * strength;
  }
}

function push(x, y, dx, dy, reach) {
  const cells = new Map();
  const cell = (value) => Math.floor(value / reach);
  for (let one = 0; one < x.length; one += 1) {
    const key = cell(x[one]) * 100003 + cell(y[one]);
    const there = cells.get(key);
    if (there) there.push(one);
    else cells.set(key, [one]);
  }
  for (let one = 0; one < x.length; one += 1) {
    const [cx, cy] = [cell(x[one]), cell(y[one])];
    for (let gx = cx - 1; gx <= cx + 1; gx += 1) {
      for (let gy = cy - 1; gy <= cy + 1; gy += 1) {
        for (const other of cells.get(gx * 100003 + gy) ?? []) {
          if (other <= one) continue;
          let [ox, oy] = [x[one] - x[other], (y[one] - y[other]) * 1.3];
          let far = Math.hypot(ox, oy);
          if (far > reach) continue;
          if (far < 1) [ox, oy, far] = [Math.cos(one), Math.sin(one), 1];
          const force = (1 - far / reach) * Math.min(46, 3600 / far) / far;
          dx[one] += ox * force;
          dy[one] += oy * force;
          dx[other] -= ox * force;
          dy[other] -= oy * force;
        }
      }
    }
  }
}

/** Parts side by side in rows, the largest first. */
function pack(parts) {
  const boxes = parts.map((at) => {
    const all = [...at.values()];
    const [left, top] = [Math.min(...all.map((p) => p.x)), Math.min(...all.map((p) => p.y))];
    const [right, bottom] = [Math.max(...all.map((p) => p.x)), Math.max(...all.map((p) => p.y))];
    return { at, left, top, wide: right - left + STEP, high: bottom - top + STEP * 0.8 };
  });
  const area = boxes.reduce((sum, box) => sum + box.wide * box.high, 0);
  const row = Math.max(Math.sqrt(area) * 1.5, boxes[0]?.wide ?? 0);
  const placed = new Map();
  let [x, y, high] = [0, 0, 0];
  for (const box of boxes) {
    if (x > 0 && x + box.wide > row) [x, y, high] = [0, y + high, 0];
    for (const [id, point] of box.at) placed.set(id, { x: point.x - box.left + x, y: point.y - box.top + y });
    x += box.wide;
    high = Math.max(high, box.high);
  }
  return placed;
}
