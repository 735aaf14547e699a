"""A client of hookline for Python 3.9 and later: needs `websockets` (10 or later) and `cryptography`.

    from hookline import Hookline, load_key, FilePin

    async def main():
        client = Hookline("1f0c…", "my bot", key=load_key("bot-key.pem"), pin=FilePin("hookline-pin.json"))
        running = asyncio.create_task(client.run())
        await client.until("welcomed")
        result = await client.execute("positions", on_output=lambda kind, text: print(text))
        print(result)

The wire is described in PROTOCOL.md. A line is sent at most once: a connection that is lost before its end raises `HooklineError` with
`delivery` "sent", and only a person, or a look at `runs`, knows what became of it.
"""
from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import random
import struct
import time
import uuid
from typing import Any, Callable, Dict, List, Optional

import websockets
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from hookline_wire import CLIENT_FRAMES, CLOSE_CODES, LIMITS

URL = "ws://127.0.0.1:53219/ws"
ORIGIN = "http://127.0.0.1:53220"
FIRST_RETRY_MS, LONGEST_RETRY_MS, BUSY_MS = 500, 60_000, 30_000
#: States in which the client does not connect again by itself: a person decides.
ENDED = ("denied", "stopped", "other-listener", "unproven-listener", "idle")


class HooklineError(Exception):
    """`delivery` is "not-sent" (safe to send again) or "sent" (it may have run, or be running)."""

    def __init__(self, message: str, delivery: str) -> None:
        super().__init__(message)
        self.delivery = delivery


class MemoryPin:
    """Which hookline this client knows, for as long as the program runs."""

    def __init__(self) -> None:
        self.pinned: Dict[str, str] = {}

    def read(self) -> Dict[str, str]:
        return self.pinned

    def write(self, pin: Dict[str, str]) -> None:
        self.pinned = pin


class FilePin(MemoryPin):
    """The same, kept in a file that only its user may read."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.pinned = json.load(file)

    def write(self, pin: Dict[str, str]) -> None:
        super().write(pin)
        _write_private(self.path, json.dumps(pin).encode())


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def load_key(path: str) -> ec.EllipticCurvePrivateKey:
    """The key in the file, made at the first call. Each clientId needs one of its own."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            return serialization.load_pem_private_key(file.read(), None)  # type: ignore[return-value]
    key = new_key()
    pem = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    _write_private(path, key.private_bytes(*pem))
    return key


def _write_private(path: str, content: bytes) -> None:
    temporary = f"{path}.{uuid.uuid4().hex}"
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def signed_bytes(role: str, exchange: Dict[str, str]) -> bytes:
    """What the side of that role, "listener" or "client", signs."""
    names = ("listenerNonce", "clientNonce", "listenerKey", "clientKey", "clientId", "origin")
    texts = [f"hookline proof 1 {role}", *(exchange[name] for name in names)]
    return b"".join(struct.pack(">I", len(text.encode())) + text.encode() for text in texts)


def is_signed_by(key: str, signature: str, data: bytes) -> bool:
    try:
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decode(key))
        raw = _decode(signature)
        if len(raw) != 64:
            return False
        der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        point.verify(der, data, ec.ECDSA(hashes.SHA256()))
        return True
    except (InvalidSignature, ValueError):
        return False


class _Call:
    """An id that waits for its answer."""

    def __init__(self, on_output: Optional[Callable[[str, str], None]] = None) -> None:
        self.answered: "asyncio.Future[Dict[str, Any]]" = asyncio.get_running_loop().create_future()
        self.on_output = on_output


class Hookline:
    """One client. `on_state(state, facts)` is called after each change; `on(t, handler)` hands over frames of that `t`.

    States: idle, connecting, welcomed, retrying (`retryMs`), denied, stopped (`code`), other-listener and unproven-listener.
    """

    def __init__(
        self,
        client_id: str,
        label: str,
        *,
        key: Optional[ec.EllipticCurvePrivateKey] = None,
        pin: Optional[MemoryPin] = None,
        url: str = URL,
        origin: str = ORIGIN,
        grant: Optional[Dict[str, Any]] = None,
        on_state: Callable[[str, Dict[str, Any]], None] = lambda _state, _facts: None,
        random: Callable[[], float] = random.random,
    ) -> None:
        if not 1 <= len(client_id) <= LIMITS["clientIdLength"]:
            raise ValueError(f"a clientId has 1 to {LIMITS['clientIdLength']} characters")
        self.client_id, self.label, self.url, self.origin = client_id, label[: LIMITS["labelLength"]], url, origin
        self.state, self.facts = "idle", {}  # type: str, Dict[str, Any]
        self._key, self._pin, self._random, self._on_state = key, pin or MemoryPin(), random, on_state
        self._socket: Any = None
        self._hello: Dict[str, Any] = {}
        self._asks = {} if grant is None else {"grant": grant}
        self._listener_key: Optional[str] = None
        self._topics: List[str] = []
        self._calls: Dict[str, _Call] = {}
        self._handlers: Dict[str, List[Callable[[Dict[str, Any]], None]]] = {}
        self._ids = (f"{uuid.uuid4()}.{count}" for count in itertools.count(1))
        self._changed = asyncio.Event()
        self._clock_ahead_ms = 0.0

    # --- what a program asks ------------------------------------------------------------------------------------------------

    async def run(self) -> str:
        """Connects and stays connected. Returns the state that needs a person, and `facts` has the reason."""
        failures = 0
        while True:
            self._become("connecting")
            code, was_welcomed = await self._connection()
            if self.state in ENDED:
                return self.state
            failures = 1 if was_welcomed else failures + 1
            if code == 4001:
                return self._become("denied")
            if CLOSE_CODES.get(code or 1006) == "never":
                return self._become("stopped", code=code)
            least = BUSY_MS if code == 4429 else 0
            ceiling = min(LONGEST_RETRY_MS - least, FIRST_RETRY_MS * 2 ** (failures - 1))
            retry_ms = least + ceiling * (1 + self._random()) / 2
            self._become("retrying", retryMs=retry_ms, code=code)
            await asyncio.sleep(retry_ms / 1_000)

    async def until(self, state: str) -> None:
        while self.state != state:
            self._changed.clear()
            await self._changed.wait()

    async def execute(
        self,
        command: str,
        *,
        account: Optional[str] = None,
        symbol: Optional[str] = None,
        detach: bool = False,
        within_ms: Optional[int] = None,
        on_output: Optional[Callable[[str, str], None]] = None,
    ) -> Dict[str, Any]:
        """Runs a line as if typed. The result has `success`, and `error`, `outcome` or `warned`. Never repeated, and never waits for a connection.

        `within_ms`: how long after now the line may begin, default 30 s; hookline refuses it later.
        """
        within_ms = LIMITS["lineMs"] if within_ms is None else within_ms
        latest = int(time.time() * 1_000 + self._clock_ahead_ms + within_ms)
        fields = {"command": command, "account": account, "symbol": symbol, "detach": detach or None, "latest": latest}
        answer = await self._ask("cmd:exec", fields, on_output)
        return {name: answer[name] for name in ("success", "error", "outcome", "warned") if name in answer}

    async def request(self, t: str, **fields: Any) -> Dict[str, Any]:
        """Any other frame that is answered under its id: `preview`, `mutate:*`, `runs:query` and its like. Returns the answer."""
        return await self._ask(t, fields, None)

    def subscribe(self, *topics: str) -> None:
        """Snapshots come to `on("state:…", handler)`, also after each reconnect."""
        added = [topic for topic in topics if topic not in self._topics]
        self._topics.extend(added)
        if added and self.state == "welcomed":
            self._send_soon({"t": "subscribe", "topics": added})

    def on(self, t: str, handler: Callable[[Dict[str, Any]], None]) -> None:
        self._handlers.setdefault(t, []).append(handler)

    async def close(self) -> None:
        self._become("idle")
        if self._socket is not None:
            await self._socket.close()

    # --- the connection -----------------------------------------------------------------------------------------------------

    async def _connection(self) -> "tuple[Optional[int], bool]":
        """One connection from its upgrade to its end. Returns the close code, None for none, and whether it was welcomed."""
        was_welcomed = False
        options: Dict[str, Any] = {"origin": self.origin, "compression": None, "max_size": None}
        if int(websockets.__version__.split(".")[0]) >= 15:
            options["proxy"] = None
        try:
            async with websockets.connect(self.url, **options) as socket:
                self._socket, self._listener_key = socket, None
                await self._say_hello()
                async for message in socket:
                    await self._receive(_frame_in(message))
                    was_welcomed = was_welcomed or self.state == "welcomed"
                    if self.state in ENDED:
                        break
                # The library ends the loop without an error after 1000 and 1001.
                return (socket.close_code if self.state not in ENDED else None), was_welcomed
        except websockets.ConnectionClosed as error:
            return (error.rcvd.code if error.rcvd is not None else None), was_welcomed
        except (OSError, websockets.InvalidHandshake, asyncio.TimeoutError):
            return None, was_welcomed
        finally:
            self._socket = None
            lost, self._calls = self._calls, {}
            for call in lost.values():
                if not call.answered.done():
                    call.answered.set_exception(HooklineError("the connection was lost before the answer", "sent"))

    async def _say_hello(self) -> None:
        self._hello = {"t": "hello", "clientId": self.client_id, "label": self.label, "features": ["beats"], **self._asks}
        if self._key is not None:
            point = self._key.public_key().public_bytes(
                serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
            )
            self._hello.update(key=_encode(point), nonce=_encode(os.urandom(32)))
        await self._send(self._hello)

    async def _receive(self, frame: Dict[str, Any]) -> None:
        t = frame.get("t")
        if self.state != "welcomed":
            if t == "rejected":
                self._become("denied")
            elif t == "challenge":
                await self._answer_challenge(frame)
            elif t == "welcome":
                self._welcome(frame)
            return
        if t == "welcome" and frame.get("listenerId") != self._pin.read().get("listenerId"):
            self._become("other-listener", got=frame.get("listenerId"))
        if t == "beat" and isinstance(frame.get("at"), int):
            self._clock_ahead_ms = frame["at"] - time.time() * 1_000
        self._take_answer(frame)
        for handler in self._handlers.get(t or "", []):
            handler(frame)

    async def _answer_challenge(self, frame: Dict[str, Any]) -> None:
        key, nonce, signature = (frame.get(name) for name in ("key", "nonce", "signature"))
        if self._key is None or self._listener_key is not None:
            return
        if not (isinstance(key, str) and isinstance(nonce, str) and isinstance(signature, str)):
            return
        exchange = {
            "listenerNonce": nonce,
            "clientNonce": self._hello["nonce"],
            "listenerKey": key,
            "clientKey": self._hello["key"],
            "clientId": self.client_id,
            "origin": self.origin,
        }
        pinned = self._pin.read().get("key")
        if not is_signed_by(key, signature, signed_bytes("listener", exchange)) or pinned not in (None, key):
            self._become("unproven-listener", expected=pinned, got=key)
            return
        self._listener_key = key
        der = self._key.sign(signed_bytes("client", exchange), ec.ECDSA(hashes.SHA256()))
        r, s = utils.decode_dss_signature(der)
        await self._send({"t": "proof", "signature": _encode(r.to_bytes(32, "big") + s.to_bytes(32, "big"))})

    def _welcome(self, frame: Dict[str, Any]) -> None:
        listener_id, pinned = frame.get("listenerId"), self._pin.read()
        if not isinstance(listener_id, str) or listener_id == "":
            return
        if pinned.get("key") not in (None, self._listener_key):
            self._become("unproven-listener", expected=pinned.get("key"))
        elif pinned.get("listenerId") not in (None, listener_id):
            self._become("other-listener", expected=pinned.get("listenerId"), got=listener_id)
        else:
            pin = {"listenerId": listener_id, **({"key": self._listener_key} if self._listener_key else {})}
            if pin != pinned:
                self._pin.write(pin)
            self._become("welcomed", listenerId=listener_id)
            if self._topics:
                self._send_soon({"t": "subscribe", "topics": list(self._topics)})

    # --- frames out, answers in ---------------------------------------------------------------------------------------------

    async def _ask(
        self, t: str, fields: Dict[str, Any], on_output: Optional[Callable[[str, str], None]]
    ) -> Dict[str, Any]:
        frame = {"t": t, "id": next(self._ids), **{name: value for name, value in fields.items() if value is not None}}
        fault = _fault_in(frame)
        if fault is not None:
            raise HooklineError(fault, "not-sent")
        if self.state != "welcomed" or self._socket is None:
            raise HooklineError("hookline is not connected", "not-sent")
        call = self._calls[frame["id"]] = _Call(on_output)
        await self._send(frame)
        return await call.answered

    def _take_answer(self, frame: Dict[str, Any]) -> None:
        call = self._calls.get(str(frame.get("id")))
        if call is None:
            return
        if frame["t"] == "cmd:output":
            if call.on_output is not None and isinstance(frame.get("text"), str):
                call.on_output(str(frame.get("kind")), frame["text"])
            return
        del self._calls[frame["id"]]
        if frame["t"] in ("error", "mutate:err", "preview:err"):
            call.answered.set_exception(HooklineError(str(frame.get("error")), "sent"))
        else:
            call.answered.set_result(frame)

    async def _send(self, frame: Dict[str, Any]) -> None:
        if self._socket is not None:
            await self._socket.send(json.dumps(frame, ensure_ascii=False))

    def _send_soon(self, frame: Dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._send(frame))
        # The end of the connection is reported by the connection.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _become(self, state: str, **facts: Any) -> str:
        self.state, self.facts = state, facts
        self._on_state(state, facts)
        self._changed.set()
        return state


def _frame_in(message: Any) -> Dict[str, Any]:
    """Empty for what is no frame: it is ignored."""
    try:
        value = json.loads(message) if isinstance(message, str) else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _fault_in(frame: Dict[str, Any]) -> Optional[str]:
    fields = CLIENT_FRAMES.get(frame["t"])
    if fields is None:
        return f"unknown frame: {frame['t']}"
    for name, kind in fields.items():
        value = frame.get(name.rstrip("?"))
        if value is None and not name.endswith("?"):
            return f"`{name}` is missing"
        if value is not None and type(value).__name__ not in kind.split():
            return f"`{name.rstrip('?')}` must be of type {kind}"
    return None
