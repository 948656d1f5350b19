"use strict";
/* First what dpmc.released does, by the same names, then the page. A rating is kept by the place of
   its item. Nothing is stored, and there is no statement here that could send anything. */

const model = JSON.parse(document.getElementById("model").textContent);

async function load() {
  const text = atob(document.getElementById("numbers").textContent);
  const packed = new Blob([Uint8Array.from(text, each => each.charCodeAt(0))]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  const numbers = new Float64Array(await new Response(stream).arrayBuffer());
  const n = model.titles.length;
  model.offsets = numbers.subarray(0, n);
  model.weights = numbers.subarray(n, 2 * n); // precisions, or scales of a ranking, or ones
  model.factors = numbers.subarray(2 * n);
}

function system(ratings) {
  // the Cholesky factor, by rows, of V'PV + lambda I
  const {rank, factors, weights, regularization} = model, lower = new Float64Array(rank * rank);
  for (let i = 0; i < rank; i++) lower[i * rank + i] = regularization;
  for (const place of ratings.keys())
    for (let i = 0; i < rank; i++)
      for (let j = 0; j <= i; j++)
        lower[i * rank + j] += factors[place * rank + i] * weights[place] * factors[place * rank + j];
  for (let i = 0; i < rank; i++)
    for (let j = 0; j <= i; j++) {
      let left = lower[i * rank + j];
      for (let k = 0; k < j; k++) left -= lower[i * rank + k] * lower[j * rank + k];
      lower[i * rank + j] = i === j ? Math.sqrt(left) : left / lower[j * rank + j];
    }
  return lower;
}

function forward(lower, vector) {
  const {rank} = model, solved = Float64Array.from(vector);
  for (let i = 0; i < rank; i++) {
    for (let k = 0; k < i; k++) solved[i] -= lower[i * rank + k] * solved[k];
    solved[i] /= lower[i * rank + i];
  }
  return solved;
}

function solve(ratings) {
  // the user's factors
  const {rank, factors, weights, offsets, ranks, precise} = model;
  const right = new Float64Array(rank);
  if (ranks) {
    for (const place of ratings.keys())
      for (let i = 0; i < rank; i++) right[i] += factors[place * rank + i];
    return right;
  }
  const [low, high] = model.range, half = (high - low) / 2;
  for (const [place, value] of ratings) {
    let left = clip(value) - offsets[place];
    if (!precise) left = Math.min(Math.max(left, -half), half);
    for (let i = 0; i < rank; i++) right[i] += factors[place * rank + i] * weights[place] * left;
  }
  const lower = system(ratings), user = forward(lower, right);
  for (let i = rank - 1; i >= 0; i--) {
    for (let k = i + 1; k < rank; k++) user[i] -= lower[k * rank + i] * user[k];
    user[i] /= lower[i * rank + i];
  }
  return user;
}

function clip(value) {
  return model.ranks ? value : Math.min(Math.max(value, model.range[0]), model.range[1]);
}

function complete(ratings) {
  // of all items, not clipped
  const {rank, factors, offsets, weights, ranks} = model, user = solve(ratings);
  const values = new Float64Array(offsets.length);
  for (let place = 0; place < values.length; place++) {
    let value = 0;
    for (let i = 0; i < rank; i++) value += user[i] * factors[place * rank + i];
    values[place] = offsets[place] + (ranks ? weights[place] * value : value);
  }
  return values;
}

function deviations(ratings, places) {
  if (!model.precise) return places.map(() => null);
  const {rank, factors, weights} = model, lower = system(ratings);
  return places.map(place => {
    const along = forward(lower, factors.subarray(place * rank, (place + 1) * rank));
    return Math.sqrt(along.reduce((sum, each) => sum + each * each, 1 / weights[place]));
  });
}

function best(values, n, ratings) {
  // by what dpmc.ties rounds to, then in the order of the catalogue
  const sorted = values.slice().sort(), last = sorted.length - 1;
  const tie = model.tie * Math.max(Math.abs(sorted[0]), Math.abs(sorted[last]));
  const least = sorted[Math.max(last + 1 - n - ratings.size, 0)] - 2 * tie;
  const rounded = place => tie ? Math.floor(values[place] / tie + 0.5) : values[place];
  const places = [];
  for (let place = 0; place <= last; place++)
    if (values[place] >= least && !ratings.has(place)) places.push(place);
  return places.sort((a, b) => rounded(b) - rounded(a) || a - b).slice(0, n);
}

/* The page */

const TEN = 10, MATCHES = 8, QUIET = 600;
const at = id => document.getElementById(id);
const mine = new Map(); // place -> rating; undefined until it is given
let shown = TEN, saying = 0;

function rated() {
  return new Map([...mine].filter(([, value]) => value !== undefined));
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name === "onclick") element.onclick = value;
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  element.append(...children);
  return element;
}

function say(text) {
  clearTimeout(saying); // what changes quickly is told once
  saying = setTimeout(() => { at("said").textContent = text; }, QUIET);
}

const minus = text => String(text).replace("-", "−");
const write = value => minus(value.toFixed(1));
const spoken = value => String(value).replace("-", "minus ");
const ofMost = text => model.range[0] < 0 ? text : `${text} of ${model.range[1]}`;

function update() {
  const ratings = rated(), values = complete(ratings);
  const places = best(values, shown, ratings), spread = deviations(ratings, places);
  at("best").replaceChildren(...places.map((place, rank) => row(place, values[place], spread[rank])));
  at("more").hidden = places.length < shown;
  at("none").hidden = mine.size > 0;
  at("jump").hidden = mine.size === 0;
  at("forget").hidden = mine.size < 2;
  const [things, verb] = model.ranks ? ["like", "named"] : ["rating", "rated"];
  const number = `${ratings.size} ${things}${ratings.size === 1 ? "" : "s"} of yours`;
  const basis = ratings.size ? `Made of ${number}.` : `You have ${verb} nothing yet. ${model.general}`;
  at("basis").textContent = `${basis} ${model.sure}`;
  return places.length ? `${number}. First for you: ${model.titles[places[0]]}.` : number;
}

function row(place, value, deviation) {
  const title = make("div", {class: "title"}, model.titles[place]);
  const told = make("div", {class: "told"});
  if (model.ranks) title.append(make("data", {value: String(value)}));
  else {
    const [low, high] = model.range, percent = each => `${100 * (clip(each) - low) / (high - low)}%`;
    told.append(make("span", {}, make("span", {class: "vh"}, "predicted "),
      make("b", {}, make("data", {value: String(clip(value))}, write(clip(value)))),
      low < 0 ? "" : ` of ${high}`));
    if (deviation !== null) {
      const ends = [-1, 1].map(side => value + side * model.eightOfTen * deviation);
      const bar = make("span", {class: "bar", "aria-hidden": "true"});
      bar.style.setProperty("--left", percent(ends[0]));
      bar.style.setProperty("--right", `calc(100% - ${percent(ends[1])})`);
      bar.style.setProperty("--at", percent(value));
      told.append(bar, make("span", {class: "small", "data-deviation": String(deviation)},
        make("span", {class: "vh"}, "eight of ten "),
        `${write(clip(ends[0]))} to ${write(clip(ends[1]))}`));
    }
  }
  const words = model.ranks ? "I like it" : "Rate it";
  const label = `${words}: ${model.titles[place]}`;
  return make("li", {}, title, model.ranks ? "" : told,
    make("button", {type: "button", "aria-label": label, onclick: () => pick(place)}, words));
}

function pick(place) {
  if (!mine.has(place)) {
    mine.set(place, model.ranks ? 1 : undefined);
    at("mine").prepend(own(place));
    say(update());
  }
  if (model.ranks) at("search").focus();
  else at(`own-${place}`).querySelector("input:checked, input").focus();
}

function own(place) {
  const title = model.titles[place];
  const remove = make("button", {type: "button", class: "remove", "aria-label": `Remove ${title}`,
    onclick: () => forget(place)}, "Remove");
  const item = make("li", {id: `own-${place}`});
  if (model.ranks) item.append(make("div", {class: "title"}, title));
  else item.append(make("fieldset", {}, make("legend", {class: "title"}, title),
    model.choices ? choices(place) : slider(place)));
  item.append(remove);
  return item;
}

function choices(place) {
  // stars where ratings can be counted in them, else numbers; zero is a number
  const values = model.choices, step = values[1] - values[0], starred = values[0] >= 0;
  const said = make("span", {class: "small"}, "not rated yet");
  const marks = values.map((value, index) => {
    const id = `own-${place}-${index}`;
    const input = make("input", {type: "radio", name: `own-${place}`, id, value});
    const shape = starred && value > 0;
    const side = step < 1 ? (Number.isInteger(value) ? "right" : "left") : "";
    const label = make("label", {for: id, class: shape ? side : "number"},
      make("span", {class: shape ? "shape" : "", "aria-hidden": "true"}, shape ? "" : minus(value)),
      make("span", {class: "vh"}, shape ? ofMost(value) : spoken(value)));
    input.onchange = () => {
      mine.set(place, value);
      for (const [place, mark] of marks.entries()) {
        mark[1].classList.toggle("on", place <= index);
        mark[1].classList.toggle("chosen", place === index);
      }
      said.textContent = ofMost(minus(value));
      say(update());
    };
    return [input, label];
  });
  const group = make("div", {class: step < 1 && starred ? "stars halves" : "stars"}, ...marks.flat());
  return make("div", {class: "marks"}, group, said);
}

function slider(place) {
  const [low, high] = model.range, said = make("span", {class: "small"}, "not rated yet");
  const input = make("input", {type: "range", min: low, max: high, step: model.step,
    value: (low + high) / 2, "aria-label": `Rating from ${low} to ${high}`});
  input.setAttribute("aria-valuetext", "not rated yet");
  input.oninput = () => {
    mine.set(place, Number(input.value));
    said.textContent = ofMost(minus(input.value));
    input.setAttribute("aria-valuetext", ofMost(spoken(input.value)));
    say(update());
  };
  return make("div", {class: "marks"}, input, said);
}

function forget(place) {
  const item = at(`own-${place}`), next = item.nextElementSibling ?? item.previousElementSibling;
  mine.delete(place);
  item.remove();
  (next ? next.querySelector(".remove") : at("search")).focus();
  say(`Removed ${model.titles[place]}. ${update()}`);
}

/* The search: a combobox with a list, see the ARIA Authoring Practices */

const plain = text => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
let keys = [], active = -1;

function found(words) {
  const asked = plain(words).split(/\s+/).filter(Boolean), all = asked.join(" ");
  if (!asked.length) return [];
  const rank = key => key.startsWith(all) ? 0 : key.includes(` ${all}`) ? 1 : 2;
  return keys.flatMap((key, place) => asked.every(word => key.includes(word)) ? [[rank(key), place]] : [])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, place]) => place);
}

function search() {
  const places = found(at("search").value), few = places.slice(0, MATCHES);
  at("matches").replaceChildren(...few.map((place, index) => {
    const option = make("li", {role: "option", id: `match-${index}`, "aria-selected": "false",
      "data-place": place}, model.titles[place], mine.has(place) ? " – on your list" : "");
    option.onclick = () => take(place);
    return option;
  }));
  open(few.length > 0);
  const number = places.length === 1 ? "1 match" : `${places.length} matches`;
  at("found").textContent = !at("search").value.trim() ? ""
    : places.length > few.length ? `${number}, the first ${few.length} shown` : number;
}

function open(wanted) {
  at("matches").hidden = !wanted;
  at("search").setAttribute("aria-expanded", String(wanted));
  activate(-1);
}

function activate(index) {
  active = index;
  for (const [place, option] of [...at("matches").children].entries())
    option.setAttribute("aria-selected", String(place === index));
  if (index < 0) at("search").removeAttribute("aria-activedescendant");
  else at("search").setAttribute("aria-activedescendant", `match-${index}`);
}

function take(place) {
  at("search").value = "";
  search();
  pick(place);
}

function keyed(event) {
  const options = at("matches").children, n = at("matches").hidden ? 0 : options.length;
  if (event.key === "Escape") {
    at("search").value = "";
    search();
  } else if (event.key === "Enter" && n) take(Number(options[Math.max(active, 0)].dataset.place));
  else if (event.key === "ArrowDown" && n) activate((active + 1) % n);
  else if (event.key === "ArrowUp" && n) activate((Math.max(active, 0) + n - 1) % n);
  else return;
  event.preventDefault();
}

async function start() {
  await load();
  keys = model.titles.map(plain);
  at("search").oninput = search;
  at("search").onkeydown = keyed;
  at("search").onblur = () => open(false);
  at("search").onfocus = search;
  at("matches").onmousedown = event => event.preventDefault(); // the search keeps the focus
  at("more").onclick = () => {
    const first = at("best").children.length;
    shown += TEN;
    update();
    at("best").children[first]?.querySelector("button").focus();
  };
  at("forget").onclick = () => {
    mine.clear();
    at("mine").replaceChildren();
    at("search").focus();
    say(`Forgotten. ${update()}`);
  };
  update();
  document.body.dataset.ready = "";
}

start();
