// An arm that moves in the viewer: frames come from it, and what a hand does goes to it.

class Live extends Moving {
  constructor(header) {
    super(header);
    this.wanted = {};
    showParts({ motions: [{ parts: [{ part: "payload" }] }] });
    find("controls").append(this.world());
    find("controls").after(find("open"));
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

  // One message at a time: what a hand does meanwhile goes with the next.
  async press(name, pressure) {
    this.wanted[name] = pressure;
    if (this.pressing) return;
    this.pressing = true;
    while (Object.keys(this.wanted).length) {
      const pressures = this.wanted;
      this.wanted = {};
      await this.do({ pressures });
    }
    this.pressing = false;
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
    this.see(state);
  }

  frame() {
    this.refresh();
  }

  keys() {
    return {};
  }

  listen() {
    takeFiles(this.header.files, () => { this.refused = ""; this.notice(); }, (sentence) => { this.refused = sentence; this.notice(); });
    this.follow();
  }
}

KINDS.live = (header) => new Live(header);
