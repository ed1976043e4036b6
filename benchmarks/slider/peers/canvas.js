// Draw the picture on two canvases: the static parts once, and the moving parts again for every frame.
const INK = "#000000", SECANT = "#D55E00", TANGENT = "#0072B2", PURPLE = "#882255", GREEN = "#009E73";
const GAP = { left: 60, right: 12, top: 26, bottom: 42 };

// The look of each series, in the order in which the numbers arrive: its plot, and its line (width, dashes) or its
// markers (shape, size, hollow).
const LOOKS = [
  { plot: 0, color: SECANT, width: 4, name: "secant" },
  { plot: 0, color: TANGENT, width: 2, dash: [10, 6], name: "tangent" },
  { plot: 0, color: SECANT, shape: "diamond", size: 15, hollow: true },
  { plot: 0, color: INK, shape: "disc", size: 9, name: "x" },
  { plot: 1, color: PURPLE, width: 1.2, dash: [8, 2, 2, 2], shape: "square", size: 5, name: "float32" },
  { plot: 1, color: GREEN, width: 2.2, shape: "disc", size: 8, name: "float64" },
  { plot: 1, color: PURPLE, shape: "triangle", size: 8 },
  { plot: 1, color: GREEN, shape: "triangle", size: 8 },
  { plot: 1, color: INK, width: 1.2, dash: [2, 3] },
  { plot: 1, color: INK, shape: "disc", size: 13, hollow: true, name: "median" },
  { plot: 1, color: SECANT, shape: "diamond", size: 9, name: "at this x" },
  { plot: 1, color: SECANT, shape: "cross", size: 13 },
];

function scale(low, high, from, to, log) {
  const f = log ? Math.log10 : (v) => v;
  const [a, b] = [f(low), f(high)];
  return (v) => from + ((f(v) - a) / (b - a)) * (to - from);
}

function path(context, xs, ys, x, y) {
  context.beginPath();
  let drawing = false;
  for (let i = 0; i < xs.length; i++) {
    if (Number.isNaN(ys[i])) drawing = false;
    else if (drawing) context.lineTo(x(xs[i]), y(ys[i]));
    else {
      context.moveTo(x(xs[i]), y(ys[i]));
      drawing = true;
    }
  }
  context.stroke();
}

function mark(context, shape, x, y, size) {
  const r = size / 2;
  context.beginPath();
  if (shape === "disc") context.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === "square") context.rect(x - r, y - r, size, size);
  else if (shape === "cross") {
    context.moveTo(x - r, y - r); context.lineTo(x + r, y + r);
    context.moveTo(x - r, y + r); context.lineTo(x + r, y - r);
  } else {
    const corners = shape === "diamond" ? [[0, -r], [r, 0], [0, r], [-r, 0]] : [[-r, -r], [r, -r], [0, r]];
    for (const [dx, dy] of corners) context.lineTo(x + dx, y + dy);
    context.closePath();
  }
}

function draw(context, look, every, xs, ys, x, y) {
  context.strokeStyle = context.fillStyle = look.color;
  if (look.width) {
    context.lineWidth = look.width;
    context.setLineDash(look.dash ?? []);
    path(context, xs, ys, x, y);
  }
  if (!look.shape) return;
  context.lineWidth = 2;
  context.setLineDash([]);
  for (let i = 0; i < xs.length; i += look.width ? every : 1) {
    if (Number.isNaN(ys[i])) continue;
    mark(context, look.shape, x(xs[i]), y(ys[i]), look.size);
    if (look.hollow || look.shape === "cross") context.stroke();
    else context.fill();
  }
}

function axes(context, plot, x, y, box, limits, [xLabel, yLabel], log) {
  const powers = (low, high, step) => {
    const found = [];
    for (let k = Math.ceil(Math.log10(low)); k <= Math.log10(high); k++) if (k % step === 0) found.push(10 ** k);
    return found;
  };
  const whole = (low, high, step) => {
    const found = [];
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) found.push(v);
    return found;
  };
  const text = (v) => (log ? v.toExponential(0) : String(v));
  context.strokeStyle = "#e5e5e5";
  context.fillStyle = INK;
  context.font = "12px sans-serif";
  context.textAlign = "center";
  for (const v of (log ? powers(...limits[0], 3) : whole(...limits[0], 2))) {
    context.strokeRect(x(v), box.top, 0, box.bottom - box.top);
    context.fillText(text(v), x(v), box.bottom + 16);
  }
  context.fillText(xLabel, (box.left + box.right) / 2, box.bottom + 34);
  context.textAlign = "right";
  for (const v of (log ? powers(...limits[1], 3) : whole(...limits[1], 2))) {
    context.strokeRect(box.left, y(v), box.right - box.left, 0);
    context.fillText(text(v), box.left - 5, y(v) + 4);
  }
  context.textAlign = "left";
  context.fillText(yLabel, box.left - 50, 10);
  context.font = "11px sans-serif";
  let at = box.left + 60;
  for (const look of LOOKS.filter((look) => look.plot === plot && look.name)) {
    draw(context, look, 1, look.width ? [at, at + 16] : [at + 8], [10, 10], (v) => v, (v) => v);
    context.fillStyle = INK;
    context.fillText(look.name, at + 22, 14);
    at += 30 + context.measureText(look.name).width;
  }
  context.strokeStyle = INK;
  context.lineWidth = 1;
  context.setLineDash([]);
  context.strokeRect(box.left, box.top, 0, box.bottom - box.top);
  context.strokeRect(box.left, box.bottom, box.right - box.left, 0);
}

function render({ model, el }) {
  const { width, height, curve, limits, labels, every } = model.get("scene");
  const place = document.createElement("div");
  place.style.cssText = `position: relative; width: ${width}px; height: ${height}px; background: white`;
  const [still, moves] = [0, 1].map(() => {
    const canvas = document.createElement("canvas");
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    canvas.style.cssText = "position: absolute; width: 100%; height: 100%";
    place.append(canvas);
    const context = canvas.getContext("2d");
    context.scale(devicePixelRatio, devicePixelRatio);
    return context;
  });
  el.append(place);
  const plots = [0, 1].map((i) => {
    const box = {
      left: (i * width) / 2 + GAP.left, right: ((i + 1) * width) / 2 - GAP.right,
      top: GAP.top, bottom: height - GAP.bottom,
    };
    const x = scale(...limits[2 * i], box.left, box.right, i === 1);
    const y = scale(...limits[2 * i + 1], box.bottom, box.top, i === 1);
    axes(still, i, x, y, box, limits.slice(2 * i, 2 * i + 2), labels[i], i === 1);
    return { box, x, y };
  });
  draw(still, { color: INK, width: 1.6 }, 1, ...curve, plots[0].x, plots[0].y);

  const paint = () => {
    const bytes = model.get("numbers");
    const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    moves.clearRect(0, 0, width, height);
    let at = 0;
    for (const look of LOOKS) {
      const count = numbers[at++];
      const xs = numbers.subarray(at, at + count), ys = numbers.subarray(at + count, at + 2 * count);
      at += 2 * count;
      const { box, x, y } = plots[look.plot];
      moves.save();
      moves.beginPath();
      moves.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
      moves.clip();
      draw(moves, look, every, xs, ys, x, y);
      moves.restore();
    }
  };
  let waiting = 0;
  const soon = () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      paint();
    });
  };
  model.on("change:numbers", soon);
  soon();
}

export default { render };
