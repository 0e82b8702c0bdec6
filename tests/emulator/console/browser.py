"""A headless Chromium that a test drives by the DevTools protocol: https://chromedevtools.github.io/devtools-protocol/

Python's standard library is enough: the browser reads commands from a pipe and writes answers to another one.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile

PATIENCE_S = 60  # what takes longer has failed
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), "Space": (" ", 32, " ")}


def find_browser():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)


class Browser:
    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                   "--no-proxy-server", "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}"]
        self._process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", *command],
                                         pass_fds=(commands, answers), stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._received = b""
        self._count = 0
        self.events = []  # what the browser told unasked
        self.dialogs = []  # the texts of the dialogs, which are all accepted

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_) -> None:
        self.call("Browser.close")
        self._process.wait(PATIENCE_S)
        self._profile.cleanup()

    def call(self, method: str, session: str = "", **parameters):
        number = self._send(method, session, parameters)
        while True:
            message = self._receive(method + str(parameters)[:300])
            if message.get("id") == number:
                assert "error" not in message, (method, message)
                return message["result"]

    def await_event(self, method: str, is_wanted):
        """Returns the parameters of the first event of this kind that is wanted; it may have come already."""
        while True:
            found = [event["params"] for event in self.events if event["method"] == method and is_wanted(event["params"])]
            if found:
                return found[0]
            self._receive(method)

    def open(self, url: str) -> "Page":
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "DOM", "Accessibility"):
            page.call(f"{domain}.enable")
        page.call("Page.navigate", url=url)
        page.until("document.readyState === 'complete' && location.href !== 'about:blank'")
        return page

    def _send(self, method: str, session: str, parameters) -> int:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        return self._count

    def _receive(self, awaited: str):
        while b"\0" not in self._received:
            assert select.select([self._answers], [], [], PATIENCE_S)[0], f"the browser does not answer: {awaited}"
            received = os.read(self._answers, 1 << 20)
            assert received, f"the browser has ended: {awaited}"
            self._received += received
        text, self._received = self._received.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
            if message["method"] == "Page.javascriptDialogOpening":
                self.dialogs.append(message["params"]["message"])
                self._send("Page.handleJavaScriptDialog", message["sessionId"], {"accept": True})
        return message


class Page:
    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session

    def call(self, method: str, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def evaluate(self, expression: str):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, (expression, answer["exceptionDetails"])
        return answer["result"].get("value")

    def until(self, condition: str) -> None:
        """Returns when the JavaScript condition holds. It is looked at after each change of the page."""
        self.evaluate("""new Promise((done) => {
          const observer = new MutationObserver(look);
          function look() { if (%s) { observer.disconnect(); done(); } }
          observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
          document.addEventListener('readystatechange', look);
          look();
        })""" % condition)

    def click(self, selector: str) -> None:
        """With the mouse, in the middle of the first element that the selector finds."""
        x, y = self.evaluate("""(() => {
          const element = document.querySelector(%s);
          element.scrollIntoView({block: 'center'});
          const box = element.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        })()""" % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        name, code, text = KEYS[key]
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, code=key, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=key, windowsVirtualKeyCode=code)

    def fill(self, selector: str, text: str) -> None:
        """Replaces what a field has, as a keyboard would."""
        self.evaluate(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.focus(); field.select(); }})()")
        self.call("Input.insertText", text=text)

    def choose_files(self, selector: str, paths) -> None:
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def show(self, width: int, scheme: str) -> None:
        self.call("Page.bringToFront")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path) -> None:
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
