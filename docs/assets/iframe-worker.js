// Browsers do not start workers for pages that are opened from disk, and the site's search runs in a worker.
// For such pages this class takes the place of Worker: it runs the script in a hidden iframe.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const page = this.inside.document;
      page.open();
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded = new Promise((resolve) => {
        const script = page.createElement("script");
        script.onload = resolve;
        script.src = new URL(url, location.href);
        page.append(page.createElement("html"));
        page.documentElement.append(script);
      });
      page.close();
    }

    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
