// The page begins.

let current = null;

async function show(content) {
  const fresh = find("view").cloneNode();
  find("view").replaceWith(fresh); // what was drawn before goes with its canvas
  fresh.addEventListener("webglcontextlost", (event) => event.preventDefault());
  fresh.addEventListener("webglcontextrestored", () => show(content));
  document.body.className = content.header.kind;
  const buffer = await unpacked(content.data);
  current = KINDS[content.header.kind](content.header, buffer);
  current.listen();
}

function listen() {
  find("home").onclick = () => current.camera.reset();
  find("theme").onclick = () => setTheme(!isDark());
  find("photo").onclick = () => savePicture(find("view"), current.header.names[0]);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches);
  dark.addEventListener("change", () => setTheme(dark.matches));
  new ResizeObserver(() => { stale = true; }).observe(document.querySelector("main"));
  const always = { r: () => current.camera.reset(), d: () => find("theme").click() };
  window.addEventListener("keydown", (event) => {
    const act = { ...always, ...current?.keys(event.target) }[event.key];
    const writes = event.target.matches?.("select, input[type=number]");
    if (!act || writes || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // so that a button or the timeline does not act on the key as well
    act(event);
  });
}

async function start() {
  listen();
  await show(JSON.parse(find("content").textContent));
  let before = performance.now();
  const frame = (now) => {
    const seconds = Math.min((now - before) / 1000, 0.25); // a page that was hidden does not leap
    before = now;
    current.picture.pace(seconds);
    current.frame(seconds);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

start().catch((error) => {
  find("trouble").hidden = false;
  find("trouble").textContent = error.message;
});
