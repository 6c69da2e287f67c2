// The picture as a file: as it is, or as a video.

function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name.replace(/[^\w.-]+/g, "-") });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function savePicture(canvas, name) {
  canvas.toBlob((blob) => save(blob, `${name}.png`));
}

// Records until it is stopped.
function record(canvas, name, ended) {
  const recorder = new MediaRecorder(canvas.captureStream(60), { videoBitsPerSecond: 1.2e7 });
  const pieces = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  recorder.onstop = () => {
    const kind = recorder.mimeType.includes("mp4") ? "mp4" : "webm";
    save(new Blob(pieces, { type: recorder.mimeType }), `${name}.${kind}`);
    ended();
  };
  recorder.start();
  return recorder;
}
