// An arm that moves in the viewer: frames come from it, and what a hand does goes to it.

const AGAIN = 400; // milliseconds after which a push is said again, that it does not end by itself
const OFTEN = 40; // milliseconds between two targets: to find the posture for one takes a part of that
const KEPT = 3000; // milliseconds for which a target is shown where the hand put it, until the arm says so too
const APART = 1e-3; // m between a target and the nearest place to it: it is out of reach
const BY_STEP = 0.01; // by which an arrow key moves a target, in sizes of the view

class Live extends Moving {
  constructor(header) {
    super(header);
    this.wanted = {};
    this.controlled = Boolean(header.live.controller);
    this.pusher = new Pusher(this, header.live.push, (force) => this.send("push", force));
    if (this.controlled) this.target = this.targetRing();
    showParts({ ...header, motions: [{ parts: [{ part: "payload" }] }] });
    find("controls").append(this.world());
    find("controls").after(find("open"));
  }

  // With a controller a hand drags the target, or pushes the tip where that is chosen: they lie one over the other.
  moves() {
    if (!this.header.live.controller) return super.moves();
    const reset = make("button", { class: "main", click: () => this.do({ reset: true }) }, "Reset");
    this.choices = Object.fromEntries([["move the target", false], ["push the tip", true]].map(([name, pushes]) => [
      name, make("button", { "aria-pressed": String(!pushes), click: () => this.choose(pushes) }, name),
    ]));
    return make("div", { class: "buttons" }, reset, ...Object.values(this.choices));
  }

  sliders() {
    this.hands = [];
    return this.header.live.controller ? [] : super.sliders();
  }

  choose(pushes) {
    this.pushes = pushes;
    Object.values(this.choices).forEach((each, k) => each.setAttribute("aria-pressed", String(pushes === (k === 1))));
    find("handle").hidden = !pushes;
    find("target").classList.toggle("idle", pushes);
    stale = true;
  }

  targetRing() {
    find("handle").hidden = true;
    return new Handle(this.camera, find("target"), {
      at: () => this.own?.place ?? [...this.state.target],
      pulled: (way, from) => this.aim(plus(from, way)),
      free: () => { if (this.own) this.own.until = performance.now() + KEPT; },
    });
  }

  aim(place) {
    this.own = { place, until: Infinity };
    this.wasAimed = stale = true;
    this.send("target", place);
  }

  // What a hand wants last of each kind, one message at a time: what it does meanwhile goes with the next.
  async send(kind, value) {
    this.wanted[kind] = value;
    if (this.sending) return;
    this.sending = true;
    for (let next = Object.entries(this.wanted)[0]; next; next = Object.entries(this.wanted)[0]) {
      delete this.wanted[next[0]];
      await this.do(Object.fromEntries([next]));
      if (next[0] === "target") await new Promise((resume) => { setTimeout(resume, OFTEN); });
    }
    this.sending = false;
  }

  shows(series) {
    return this.header.live.frame.some(([name]) => name === series);
  }

  world() {
    const field = (name, label, step) => make("input", { type: "number", step, "aria-label": label, "data-world": name });
    const change = (name, value) => this.do({ world: { [name]: value } });
    this.fields = {
      payload: [field("payload", "payload, kg", 0.01)],
      damping: [field("damping", "damping, times", 0.1)],
      gravity: ["x", "y", "z"].map((axis) => field("gravity", `gravity along ${axis}, m/s²`, 0.1)),
    };
    for (const [name, inputs] of Object.entries(this.fields)) {
      for (const input of inputs) {
        input.addEventListener("change", () => {
          const values = inputs.map((each) => Number(each.value));
          change(name, name === "gravity" ? values : values[0]);
        });
      }
    }
    const rows = [["payload, kg", "payload"], ["damping, times that of the arm", "damping"], ["gravity, m/s²", "gravity"]]
      .map(([label, name]) => make("div", { class: "field" }, make("span", {}, label), ...this.fields[name]));
    return make("details", { open: true }, make("summary", {}, "world"), ...rows);
  }

  async do(what) {
    try {
      await ask("/do", JSON.stringify(what));
      this.refused = "";
    } catch (error) {
      this.refused = error.message;
      this.told = -Infinity;
      if (this.news) this.showWorld(this.news.world);
    }
    this.notice();
  }

  press(name, pressure) {
    this.send("pressures", { ...this.wanted.pressures, [name]: pressure });
  }

  showWorld(world) {
    for (const [name, inputs] of Object.entries(this.fields)) {
      inputs.forEach((input, k) => { input.value = name === "gravity" ? world[name][k] : world[name]; });
    }
  }

  hear(news) {
    if (this.news && JSON.stringify(news.arm) !== JSON.stringify(this.news.arm)) this.picture.replaceArm(0, news.arm);
    this.news = news;
    this.overlay.gravity = news.world.gravity;
    this.stopped = news.stopped;
    this.showWorld(news.world);
    this.notice();
    stale = true;
  }

  // The stream of messages, for as long as somebody can see the page: a browser has few connections to spare.
  async follow() {
    for (;;) {
      if (document.visibilityState === "visible") await this.stream().catch(() => {});
      await new Promise((resume) => {
        setTimeout(resume, 1000);
        document.addEventListener("visibilitychange", resume, { once: true });
      });
    }
  }

  async stream() {
    const control = new AbortController();
    const hide = () => document.visibilityState === "visible" || control.abort();
    document.addEventListener("visibilitychange", hide);
    try {
      const answer = await fetch("/frames", { headers: { "X-Continuarm-Token": token }, signal: control.signal });
      if (!answer.ok) throw new Error(await answer.text());
      this.gone = "";
      this.notice();
      await this.read(answer.body.getReader());
    } finally {
      document.removeEventListener("visibilitychange", hide);
      if (document.visibilityState === "visible") {
        this.gone = "The viewer does not answer: its program has ended.";
        this.notice();
      }
    }
  }

  async read(reader) {
    let held = new Uint8Array(0);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const joined = new Uint8Array(held.length + value.length);
      joined.set(held);
      joined.set(value, held.length);
      let begin = 0;
      while (joined.length - begin >= 16) {
        const head = new DataView(joined.buffer, begin, 16);
        const end = begin + 16 + head.getUint32(0, true);
        if (end > joined.length) break;
        const content = joined.slice(begin + 16, end);
        if (head.getUint32(4, true)) this.hear(JSON.parse(new TextDecoder().decode(content)));
        else this.take(head.getFloat64(8, true), new Float32Array(content.buffer));
        begin = end;
      }
      held = joined.slice(begin);
    }
  }

  take(time, numbers) {
    const state = { time };
    let begin = 0;
    for (const [name, size] of this.header.live.frame) {
      state[name] = numbers.subarray(begin, begin + size);
      begin += size;
    }
    state.largest = { force: this.pusher.push.most, moment: 0 };
    const own = this.own && long(minus(this.own.place, [...state.target]));
    if ((own < 1e-5 && !this.target.finger) || this.own?.until < performance.now()) this.own = null;
    const missed = this.controlled ? long(minus([...state.target], [...state.nearest])) : 0;
    const { unit, factor } = lengthsIn(this.header.view);
    const far = missed > APART
      ? `The target is out of reach: the arm goes to the nearest place that was found, ${plain(factor * missed, unit === "mm" ? 1 : 3)} ${unit} away.` : "";
    if (far !== this.far) {
      this.far = far;
      this.notice();
    }
    this.see(state);
  }

  frame() {
    this.refresh();
    if (!this.state) return;
    if (!this.controlled || this.pushes) this.pusher.show();
    if (this.controlled) this.target.show(this.wasAimed || this.pushes ? "" : "drag", Boolean(this.target.finger));
    if (long(this.pusher.force) && !(performance.now() - this.said < AGAIN)) {
      this.said = performance.now();
      this.send("push", this.pusher.force);
    }
  }

  // Arrow keys move the target, or push.
  keys(target) {
    if (target.matches?.("input[type=range]")) return {};
    const step = (way) => {
      const way3 = this.target.across(way);
      this.aim(plus(this.target.at(), unit(way3), BY_STEP * this.header.view.size));
      this.own.until = performance.now() + KEPT;
    };
    return Object.fromEntries(Object.entries(KEYS).map(([key, way]) => [
      key, () => (this.controlled && !this.pushes ? step(way) : this.pusher.press(key)),
    ]));
  }

  listen() {
    const { canvas } = this.camera;
    const does = this.controlled ? "drag the ring at the target, or arrow keys: move it" : "drag the ring at its tip, or arrow keys: push it";
    canvas.setAttribute("aria-label", `${canvas.getAttribute("aria-label").split(";")[0]}; ${does}`);
    this.camera.isTaken = (event) => this.state && (this.controlled && !this.pushes ? this.target : this.pusher.handle).take(event);
    this.pusher.listen();
    this.target?.listen();
    takeFiles(this.header.files, () => { this.refused = ""; this.notice(); }, (sentence) => { this.refused = sentence; this.notice(); });
    this.follow();
  }
}

KINDS.live = (header) => new Live(header);
