#!/usr/bin/env python3
"""The emulator's console in a headless browser: console_test.py EMULATOR [SCREENSHOTS]

SCREENSHOTS is a folder into which it writes those of docs/emulator/console.md. Exit status 77: there is no browser here, which under
CI is a failure.
"""

import json
import os
import pathlib
import struct
import sys
import tempfile
import urllib.error
import urllib.parse
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent.parent / "clients/python"))

from browser import Browser, find_browser  # noqa: E402
from emulator import Emulator  # noqa: E402

ATTACK = "<img src=x onerror=\"document.title='attacked'\">"
SECTIONS = ("objects", "traffic", "settings")
WIDTHS = (360, 768, 1280)


def picture() -> bytes:
    """A PNG of 96 x 64 pixels."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"".join(bytes((x * 2, y * 3, 160)) for x in range(96)) for y in range(64))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 96, 64, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def store(emulator: Emulator, name: str, content: bytes, kind: str = "text/plain") -> None:
    query = urllib.parse.urlencode({"uploadType": "media", "name": name})
    emulator.send("POST", f"/upload/storage/v1/b/pictures/o?{query}", content, {"Content-Type": kind})


class Console:
    """The console of an emulator, in a page of its own."""

    def __init__(self, browser: Browser, emulator: Emulator) -> None:
        self.emulator = emulator
        self.page = browser.open(emulator.endpoint + "/_emulator/")
        self.page.show(1280, "light")

    def media(self, name: str) -> bytes:
        return self.emulator.call("GET", f"/storage/v1/b/pictures/o/{urllib.parse.quote(name, safe='')}?alt=media")

    def admin(self, path: str):
        return json.loads(self.emulator.call("GET", f"/_emulator/{path}"))

    def go(self, section: str) -> None:
        self.page.click(f"header a[href='#{section}']")
        self.page.until(f"!document.getElementById('{section}').hidden")

    def await_message(self, text: str) -> None:
        self.page.until(f"document.getElementById('message').textContent.includes({json.dumps(text)})")

    def open_bucket(self) -> None:
        self.go("objects")
        if self.page.evaluate("!document.getElementById('bucket').hidden"):
            self.page.click("#path button")
            self.page.until("document.getElementById('bucket').hidden")
        self.page.until("document.querySelector('#bucket-rows button')")
        self.page.evaluate("document.querySelector('#bucket-rows button').click()")
        self.page.until("document.querySelector('#object-rows').textContent.includes('photo.png')")

    def tab_to(self, text: str) -> None:
        """Presses Tab until the control with this text or name has the focus."""
        for _ in range(60):
            self.page.press("Tab")
            if self.page.evaluate("document.activeElement.textContent || document.activeElement.name || ''") == text:
                return
        raise AssertionError(f"no Tab leads to {text}")

    def press_button_of(self, name: str) -> None:
        """Clicks the row's button with this text, at once: a list that is read again would replace it under the mouse."""
        assert self.page.evaluate(f"(() => {{ const button = [...document.querySelectorAll('main button')].find((one) => "
                                  f"one.textContent === {json.dumps(name)}); button?.click(); return Boolean(button); }})()"), name


def browses_with_the_keyboard_alone(console: Console) -> None:
    page = console.page
    console.tab_to("pictures")
    page.press("Enter")
    page.until("document.querySelector('#object-rows button')")
    console.tab_to("notes/")
    page.press("Space")
    page.until("document.querySelector('#object-rows').textContent.includes('today')")
    console.tab_to("notes/today.txt")
    page.press("Enter")
    page.until("document.querySelector('#preview pre')")
    assert page.evaluate("document.querySelector('#preview').textContent") == "milk, bread, ünï"
    assert page.evaluate("document.activeElement.id") == "object-name"
    assert json.loads(page.evaluate("document.querySelector('#metadata').textContent"))["size"] == "18"
    console.tab_to("Close")
    page.press("Enter")
    page.until("document.getElementById('object').hidden")


def shows_names_and_content_as_text(console: Console) -> None:
    page = console.page
    console.open_bucket()
    console.press_button_of(ATTACK)
    page.until("document.querySelector('#preview pre')")
    assert page.evaluate("document.querySelector('#preview').textContent") == ATTACK
    assert page.evaluate("document.querySelector('#object-name').textContent") == ATTACK
    console.emulator.load_faults({"rules": [{"name": ATTACK, "match": {"bucket": "none"}, "action": {"type": "reset"}}]})
    console.emulator.call("POST", "/_emulator/snapshot?" + urllib.parse.urlencode({"name": ATTACK}))
    console.go("settings")
    page.until("document.querySelector('#snapshots button') && document.querySelector('#fault-rows td')")
    assert page.evaluate("document.querySelector('#snapshots').textContent").startswith(ATTACK)
    assert page.evaluate("document.querySelector('#fault-rows td').textContent") == ATTACK
    console.go("traffic")
    page.until("document.querySelector('#request-rows td')")
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert page.evaluate("document.title") == "gcsflux emulator"
    console.emulator.clear_faults()


def shows_a_picture(console: Console) -> None:
    console.open_bucket()
    console.press_button_of("photo.png")
    console.page.until("document.querySelector('#preview img')")
    size = console.page.evaluate("document.querySelector('#preview img').decode().then(() => "
                                 "document.querySelector('#preview img').naturalWidth)")
    assert size == 96, size


def uploads_downloads_and_deletes(console: Console, browser: Browser, directory: pathlib.Path) -> None:
    page = console.page
    (directory / "a b%.bin").write_bytes(bytes(range(256)) * 300)
    console.open_bucket()
    page.choose_files("#upload input", [directory / "a b%.bin"])
    page.click("#upload button")
    console.await_message("Uploaded 1 file.")
    assert console.media("a b%.bin") == bytes(range(256)) * 300
    console.press_button_of("a b%.bin")
    page.until("document.querySelector('#preview pre')")
    assert page.evaluate("document.querySelector('#preview').textContent").startswith("00 01 02 03")

    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(directory / "down"), eventsEnabled=True)
    page.click("#object-download")
    browser.await_event("Browser.downloadProgress", lambda event: event["state"] == "completed")
    (downloaded,) = (directory / "down").iterdir()
    assert downloaded.read_bytes() == bytes(range(256)) * 300

    page.click("#object-delete")
    console.await_message("Deleted a b%.bin.")
    assert browser.dialogs[-1] == "Delete a b%.bin?", browser.dialogs
    try:
        console.media("a b%.bin")
        raise AssertionError("it is still there")
    except urllib.error.HTTPError as error:
        assert error.code == 404


def turns_pages(console: Console) -> None:
    page = console.page
    console.open_bucket()
    console.press_button_of("many/")
    page.until("document.querySelector('#object-rows').textContent.includes('many/099')")
    assert page.evaluate("document.querySelectorAll('#object-rows tr').length") == 100
    page.click("#objects-next")
    page.until("document.querySelector('#object-rows').textContent.includes('many/149')")
    assert page.evaluate("document.querySelectorAll('#object-rows tr').length") == 50
    assert page.evaluate("document.getElementById('objects-next').disabled")
    page.fill("#search input", "many/12")
    page.click("#search button")
    page.until("document.querySelectorAll('#object-rows tr').length === 10")


def makes_and_deletes_buckets(console: Console) -> None:
    page = console.page
    page.click("#path button")
    page.until("document.getElementById('bucket').hidden")
    page.fill("#make-bucket input", "another")
    page.click("#make-bucket button")
    console.await_message("Made bucket another.")
    page.click("[aria-label='Delete bucket another']")
    console.await_message("Deleted bucket another.")
    page.click("[aria-label='Delete bucket pictures']")
    console.await_message("409: ")  # it is not empty


def shows_requests_refusals_and_faults(console: Console) -> None:
    page, emulator = console.page, console.emulator
    console.go("traffic")
    emulator.load_faults({"rules": [{"name": "busy", "match": {"objectPrefix": "notes/"},
                                     "action": {"type": "status", "status": 503}}]})
    emulator.call("PUT", "/_emulator/quotas", {"object_mutations_per_second": 0.001})
    statuses = []
    for send in (lambda: console.media("notes/today.txt"), lambda: store(emulator, "hot", b"1"),
                 lambda: store(emulator, "hot", b"2")):
        try:
            send()
            statuses.append(200)
        except urllib.error.HTTPError as error:
            statuses.append(error.code)
    assert statuses == [503, 200, 429] and emulator.fired("busy") == 1, statuses
    rows = "[...document.querySelectorAll('#request-rows tr')].map((row) => row.textContent)"
    page.until(f"{rows}.some((row) => row.includes('GET') && row.includes('503') && row.includes('busy')) && "
               f"{rows}.some((row) => row.includes('POST') && row.includes('429'))")
    page.until("document.querySelector('#rates').textContent.includes('Requests/s')")
    page.click("#only-failed")
    page.until(f"{rows}.length && !{rows}.some((row) => row.includes('POST') && !row.includes('429'))")
    page.click("#only-failed")
    page.click("#pause")
    page.until("document.getElementById('pause').getAttribute('aria-pressed') === 'true'")
    page.click("#pause")
    emulator.clear_faults()
    emulator.call("PUT", "/_emulator/quotas", {})


def changes_settings(console: Console, browser: Browser) -> None:
    page = console.page
    console.go("settings")
    page.until("document.querySelector('#shaping input')")
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    page.fill("#quotas input[name=reads_per_second]", "1234")
    page.click("#quotas button")
    console.await_message("Applied quotas.")
    assert console.admin("quotas")["reads_per_second"] == 1234
    page.fill("#shaping input[name=read_first_byte_ms]", "quick")
    page.click("#shaping button")
    console.await_message("read_first_byte_ms")
    page.evaluate("document.querySelector('#profile-form select').value = 'gcs'")
    page.click("#profile-form button")
    console.await_message("Applied profile gcs.")
    assert console.admin("quotas")["reads_per_second"] == 5000
    assert console.admin("shaping")["read_first_byte_ms"] == "lognormal(50,200)"

    page.evaluate("(() => { const list = document.getElementById('fault-example'); list.selectedIndex = 1; "
                  "list.dispatchEvent(new Event('change')); })()")
    page.click("#faults button")
    console.await_message("Loaded the plan.")
    assert console.admin("faults")["rules"][0]["name"] == "busy"
    page.fill("#faults textarea", '{"rules": [{"name": "wrong"}]}')
    page.click("#faults button")
    console.await_message("400: ")
    page.click("#faults-remove")
    console.await_message("Removed all faults.")
    assert console.admin("faults")["rules"] == []

    before = console.admin("clock")["now"]
    page.click("#clock button")
    console.await_message("Advanced the clock by 86400 s.")
    assert console.admin("clock")["now"][:10] > before[:10]

    page.fill("#snapshot input", "start")
    page.click("#snapshot button")
    console.await_message("Took snapshot start.")
    console.emulator.call("DELETE", "/storage/v1/b/pictures/o/photo.png")
    page.click("[aria-label='Restore snapshot start']")
    console.await_message("Restored snapshot start.")
    assert console.media("photo.png") == picture()
    page.evaluate("document.querySelector('#profile-form select').value = 'none'")
    page.click("#profile-form button")
    console.await_message("Applied profile none.")


# The texts whose contrast to what is behind them is below 4.5 to 1, as WCAG 2 asks for.
FAINT = """(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => channels(colour).slice(0, 3).map((c) => c / 255).map((c) =>
    c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    const colour = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)';
    return channels(colour)[3] === 0 ? behind(element.parentElement) : colour;
  };
  return [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility() && !element.disabled &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).filter((element) => {
      const [light, dark] = [getComputedStyle(element).color, behind(element)].map(luminance).sort((a, b) => b - a);
      return (light + 0.05) / (dark + 0.05) < 4.5;
    }).map((element) => element.outerHTML.slice(0, 100));
})()"""


def fits_at_all_widths_in_both_schemes(console: Console) -> None:
    page = console.page
    backgrounds = set()
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            page.show(width, scheme)
            backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            for section in SECTIONS:
                console.go(section)
                case = (width, scheme, section)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (case, page.evaluate(
                    "[...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > "
                    f"{width}).map((element) => element.outerHTML.slice(0, 100))"))
                assert page.evaluate(FAINT) == [], (case, page.evaluate(FAINT))
    assert len(backgrounds) == 2, backgrounds
    page.show(1280, "light")


def names_all_controls(console: Console) -> None:
    for section in SECTIONS:
        console.go(section)
        nodes = console.page.call("Accessibility.getFullAXTree")["nodes"]
        controls = [node for node in nodes if not node["ignored"] and node["role"]["value"] in
                    ("button", "textbox", "checkbox", "combobox", "link", "spinbutton", "DisclosureTriangle")]
        assert len(controls) > 5, section
        nameless = [node["nodeId"] for node in controls if not node.get("name", {}).get("value", "").strip()]
        assert not nameless, (section, nameless)


def asks_for_the_admin_token(browser: Browser, directory: pathlib.Path) -> None:
    (directory / "token").write_text("secret")
    with Emulator(f"--admin_token_file={directory / 'token'}") as emulator:
        console = Console(browser, emulator)
        console.go("settings")
        console.await_message("401: ")
        console.page.fill("#tokens input[name=admin]", "secret")
        console.page.click("#tokens button")
        console.await_message("These tokens are used from now on.")
        assert console.page.evaluate("document.querySelectorAll('#quotas input').length") > 5


def meet_refusals(console: Console) -> None:
    """Reads for some seconds, of which some are refused."""
    console.emulator.call("PUT", "/_emulator/quotas", {"reads_per_second": 60})
    console.emulator.load_faults({"seed": 1, "rules": [{"name": "busy", "match": {"operation": "storage.objects.get", "probability": 0.1},
                                                        "action": {"type": "status", "status": 503}}]})
    points = "document.getElementById('chart-all').getAttribute('points').split(' ').length"
    for seen in range(console.page.evaluate(points), console.page.evaluate(points) + 12):
        for i in range(40 + 20 * (seen % 3)):
            try:
                console.media(f"many/{i:03}")
            except urllib.error.HTTPError as error:
                assert error.code in (429, 503), error
        console.page.until(f"{points} > {seen}")


def take_screenshots(console: Console, folder: pathlib.Path) -> None:
    page = console.page
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = false; })")
    for name, section, width, scheme in (("console", "objects", 1280, "light"), ("console_traffic", "traffic", 768, "dark"),
                                         ("console_phone", "settings", 360, "light")):
        page.show(width, scheme)
        if section == "objects":
            console.open_bucket()
            console.press_button_of("photo.png")
            page.until("document.querySelector('#preview img')")
        else:
            console.go(section)
        if section == "traffic":
            meet_refusals(console)
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(folder / f"{name}.png")


def failures(browser: Browser):
    """What went wrong in the page: uncaught exceptions, and what the policy refused. An answer that is an error is not."""
    thrown = [event for event in browser.events if event["method"] == "Runtime.exceptionThrown"]
    logged = [event for event in browser.events if event["method"] == "Log.entryAdded" and
              event["params"]["entry"]["source"] != "network"]
    return thrown + logged


def main() -> int:
    program = find_browser()
    if program is None:
        print("there is no chromium: see scripts/setup test")
        return 1 if os.environ.get("CI") else 77
    os.environ["EMULATOR"] = sys.argv[1]
    with tempfile.TemporaryDirectory() as name, Emulator() as emulator, Browser(program) as browser:
        directory = pathlib.Path(name)
        emulator.make_bucket("pictures")
        for path, content, kind in (("notes/today.txt", "milk, bread, ünï".encode(), "text/plain"), ("photo.png", picture(), "image/png"),
                                    (ATTACK, ATTACK.encode(), "text/html")):
            store(emulator, path, content, kind)
        for i in range(150):
            store(emulator, f"many/{i:03}", b"x")
        console = Console(browser, emulator)
        console.page.until("document.querySelector('#bucket-rows button')")
        browses_with_the_keyboard_alone(console)
        shows_names_and_content_as_text(console)
        shows_a_picture(console)
        uploads_downloads_and_deletes(console, browser, directory)
        turns_pages(console)
        makes_and_deletes_buckets(console)
        shows_requests_refusals_and_faults(console)
        changes_settings(console, browser)
        fits_at_all_widths_in_both_schemes(console)
        names_all_controls(console)
        asks_for_the_admin_token(browser, directory)
        if len(sys.argv) > 2:
            take_screenshots(console, pathlib.Path(sys.argv[2]))
        assert not failures(browser), failures(browser)
    print("console: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
