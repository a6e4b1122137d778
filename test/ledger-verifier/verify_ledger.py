"""A second verifier of ledger exports, written from docs/spec/ledger.md alone.

It uses Python's standard library only and shares no code with Plimsoll, so that the two can be held against each other.

    python3 verify_ledger.py FOLDER...

prints one JSON object per folder. The exit status is that of the last folder.
"""

import hashlib
import json
import os
import re
import stat
import sys
import time as clock
from calendar import timegm

KINDS = {
    "Decision", "DecisionRun", "ScalingIntent", "ScalingEvent", "ScalingFailure", "ActuationIntent", "ActuationOutcome",
    "HpaObservation", "StrategyChange", "PolicyChange", "SyncRun", "OperatorAction", "SettingsChange", "Checkpoint",
}
LONGEST_LINE = 64 * 1024 * 1024
LONGEST_MANIFEST = 16 * 1024 * 1024
AHEAD_NANOSECONDS = 600 * 10**9
END_OF_TIME = 9_214_646_400
GENESIS = "0" * 64
HASH = re.compile(r"[0-9a-f]{64}")
REFERENCE = re.compile(r"sha256:[0-9a-f]{64}")
STRING = r'("(?:[^"\\]|\\.)*")'
FRONT = re.compile(
    r'\{"cluster":' + STRING + r',"format":([1-9][0-9]{0,2}),"hash":"([0-9a-f]{64})","kind":' + STRING
    + r',"(payload|payloadHash|payloadWithoutObservation)":'
)
BACK = re.compile(
    r',"previousHash":"([0-9a-f]{64})","seq":"([1-9][0-9]{0,18})","stream":' + STRING + r',"time":' + STRING + r"\}"
)
HEAD = re.compile(r'\{"hash":"([0-9a-f]{64})","seq":"([1-9][0-9]{0,18})","stream":' + STRING + r"\}")
TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,1000}))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


class Unusable(Exception):
    """The folder is no export that this program knows."""


class Fault(Exception):
    """The first thing that is wrong with an export."""

    def __init__(self, code, stream=None, seq=None):
        super().__init__(code)
        self.code, self.stream, self.seq = code, stream, seq


class Unreadable(Exception):
    """A line is not in its form."""


def sha256(text):
    # A half of a surrogate pair is escaped in canonical JSON, so every text here has UTF-8.
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


# Canonical JSON (RFC 8785).

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def canonical(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return canonical_number(float(value))
    if isinstance(value, str):
        return canonical_string(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(canonical_string(name) + ":" + canonical(value[name]) for name in names) + "}"


def canonical_string(text):
    def character(match):
        found = match.group()
        return ESCAPES.get(found) or "\\u%04x" % ord(found)

    return '"' + re.sub(r'["\\\x00-\x1f\ud800-\udfff]', character, text) + '"'


def canonical_number(value):
    """ECMAScript's Number::toString: the shortest digits, with an exponent from 1e21 on and below 1e-6."""
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("no JSON number")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, exponent = ("%r" % abs(value) if "e" in "%r" % abs(value) else "%re0" % abs(value)).split("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    text = digits[0] + ("." + digits[1:] if count > 1 else "")
    return sign + text + "e" + ("+" if power > 0 else "-") + str(abs(power))


def parse_canonical(text):
    """The value of a text of canonical JSON; Unreadable for any other text."""
    try:
        value = json.loads(text)
        if canonical(value) == text:
            return value
    except (ValueError, RecursionError, OverflowError):
        pass
    raise Unreadable


def parse_string(literal):
    value = parse_canonical(literal)
    if not isinstance(value, str):
        raise Unreadable
    return value


# Entries and their hashes.


def parse_entry(line):
    back_at = line.rfind(',"previousHash":"')
    front = FRONT.match(line)
    back = BACK.fullmatch(line, back_at) if back_at >= 0 else None
    if front is None or back is None or front.end() > back_at:
        raise Unreadable
    content = line[front.end():back_at]
    member = front.group(5)
    if member == "payloadHash":
        content = parse_string(content)
    elif member == "payloadWithoutObservation":
        content = parse_canonical(content)
        if not isinstance(content, dict):
            raise Unreadable
    return {
        "cluster": parse_string(front.group(1)),
        "format": int(front.group(2)),
        "hash": front.group(3),
        "kind": parse_string(front.group(4)),
        "member": member,
        "content": content,
        "previousHash": back.group(1),
        "seq": int(back.group(2)),
        "stream": parse_string(back.group(3)),
        "time": parse_string(back.group(4)),
    }


def observation_of(payload):
    """The pair of input and observation of a decision's payload, or None."""
    found = payload.get("input") if isinstance(payload, dict) else None
    return found if isinstance(found, dict) and "observation" in found else None


def payload_hash(entry):
    """The hash of an entry's payload, None where there is not enough of it."""
    content = entry["content"]
    if entry["member"] == "payloadHash":
        return content if HASH.fullmatch(content) else None
    if entry["member"] == "payloadWithoutObservation":
        found = observation_of(content) if entry["kind"] == "Decision" else None
        reference = found["observation"] if found else None
        return sha256(canonical(content)) if isinstance(reference, str) and REFERENCE.fullmatch(reference) else None
    if entry["kind"] == "Decision":
        try:
            payload = parse_canonical(content)
        except Unreadable:
            return sha256(content)
        found = observation_of(payload)
        if found is not None:
            found["observation"] = "sha256:" + sha256(canonical(found["observation"]))
            return sha256(canonical(payload))
    return sha256(content)


def hash_of(entry):
    header = {name: entry[name] for name in ("cluster", "kind", "previousHash", "stream", "time")}
    header["seq"] = str(entry["seq"])
    if entry["format"] == 1:
        if entry["member"] != "payload":
            return None
        before = '{"cluster":%s,"kind":%s,"payload":' % (canonical(entry["cluster"]), canonical(entry["kind"]))
        after = {name: header[name] for name in ("previousHash", "seq", "stream", "time")}
        return sha256(before + entry["content"] + "," + canonical(after)[1:])
    header["format"] = 2
    header["payloadHash"] = payload_hash(entry)
    return None if header["payloadHash"] is None else sha256(canonical(header))


# Streams.


class Chain:
    """A stream, as far as it is verified."""

    def __init__(self, head):
        self.head_hash, self.head_seq, self.stream = head
        self.seq, self.hash, self.format = 0, GENESIS, 1

    def fault(self, code):
        return Fault(code, self.stream, self.seq + 1)

    def is_complete(self):
        return self.seq >= self.head_seq

    def take(self, entry):
        if entry["stream"] != self.stream:
            raise self.fault("WrongStream")
        if entry["seq"] != self.seq + 1:
            raise self.fault("WrongSequence")
        if entry["format"] not in (1, 2) or entry["format"] < self.format:
            raise self.fault("WrongFormat")
        if entry["previousHash"] != self.hash:
            raise self.fault("WrongPredecessor")
        made = hash_of(entry)
        if made is None:
            raise self.fault("ContentMissing")
        if made != entry["hash"]:
            raise self.fault("WrongHash")
        self.seq, self.hash, self.format = entry["seq"], made, entry["format"]

    def finish(self):
        if self.seq < self.head_seq:
            raise self.fault("Truncated")
        if self.hash != self.head_hash:
            raise self.fault("NotTheHead")


def nanoseconds(text):
    """A time as nanoseconds since 1970, None where it is none."""
    match = TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    days = [31, 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if not (1 <= month <= 12 and 1 <= day <= days[month - 1] and hour < 24 and minute < 60 and second < 60):
        return None
    at = timegm((year, month, day, hour, minute, second))
    if match.group(8):
        at -= (1 if match.group(8) == "+" else -1) * (int(match.group(9)) * 3600 + int(match.group(10)) * 60)
    if not 0 <= at < END_OF_TIME:
        return None
    return at * 10**9 + int(((match.group(7) or "") + "0" * 9)[:9])


class Filter:
    def __init__(self, given):
        self.kinds = given["kinds"]
        self.start = None if given["from"] is None else nanoseconds(given["from"])
        self.end = None if given["until"] is None else nanoseconds(given["until"])

    def selects(self, entry):
        if self.kinds is not None and entry["kind"] not in self.kinds:
            return False
        if self.start is None and self.end is None:
            return True
        at = nanoseconds(entry["time"])
        return at is not None and (self.start is None or at >= self.start) and (self.end is None or at < self.end)


# The folder.


def open_file(path):
    """The file, None where there is none; links and other things of that name are of no use."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unusable("%s: %s" % (path, error)) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unusable("%s is no regular file" % path)
    return os.fdopen(handle, "rb")


def lines_of(file):
    """Each line as text, None where it is too long or no UTF-8. Holds one line of the longest at most."""
    with file:
        while True:
            line = file.readline(LONGEST_LINE + 1)
            if not line:
                return
            if not line.endswith(b"\n") and len(line) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = file.readline(LONGEST_LINE)
                yield None
                continue
            try:
                yield (line[:-1] if line.endswith(b"\n") else line).decode("utf-8")
            except UnicodeDecodeError:
                yield None


def members(value, names):
    if not isinstance(value, dict) or set(value) != set(names):
        raise Unusable("an object of the manifest has other members than %s" % ", ".join(names))
    return value


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 2**53 - 1


def read_manifest(folder):
    if os.path.lexists(os.path.join(folder, "progress.json")):
        raise Unusable("the export is not complete")
    file = open_file(os.path.join(folder, "manifest.json"))
    if file is None:
        raise Unusable("there is no manifest")
    with file:
        text = file.read(LONGEST_MANIFEST + 1)
    try:
        # As text that is no UTF-8 is usually read, which matters in no name that has a meaning.
        manifest = json.loads(text[:LONGEST_MANIFEST].decode("utf-8", "replace"))
    except ValueError as error:
        raise Unusable("the manifest is no JSON") from error
    members(manifest, ["entries", "exportFormat", "files", "filter", "madeAt", "streams"])
    check_filter(members(manifest["filter"], ["from", "kinds", "namespaces", "policies", "until"]))
    if manifest["exportFormat"] != 1 or not isinstance(manifest["madeAt"], str):
        raise Unusable("this form of export is not known")
    if not (is_count(manifest["entries"]) and is_count(manifest["streams"]) and isinstance(manifest["files"], list)):
        raise Unusable("the manifest has no counts")
    for each in manifest["files"]:
        members(each, ["entries", "path"])
        if not isinstance(each["path"], str) or not re.fullmatch(r"entries-[0-9]{6,12}\.ndjson", each["path"]):
            raise Unusable("the manifest names a file that is none of an export")
        if not is_count(each["entries"]):
            raise Unusable("the manifest has no counts")
    return manifest


def check_filter(given):
    for name in ("from", "until"):
        if given[name] is not None and not isinstance(given[name], str):
            raise Unusable("a time of the filter is no string")
    for name in ("kinds", "namespaces", "policies"):
        values = given[name]
        if values is not None and not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
            raise Unusable("a list of the filter is none")
    if given["kinds"] is not None and not set(given["kinds"]) <= KINDS:
        raise Unusable("a kind of the filter is not known")


def heads_of(folder):
    file = open_file(os.path.join(folder, "heads.ndjson"))
    if file is None:
        raise Unusable("there are no heads")
    before = b""
    for line in lines_of(file):
        match = HEAD.fullmatch(line) if line is not None else None
        try:
            stream = parse_string(match.group(3)) if match else None
            name = stream.encode("utf-8", "replace") if stream is not None else b""
        except Unreadable:
            name = b""
        if name <= before:
            raise Fault("UnreadableHead")
        before = name
        yield match.group(1), int(match.group(2)), stream


def entries_of(folder, manifest):
    for each in manifest["files"]:
        file = open_file(os.path.join(folder, each["path"]))
        if file is not None:
            yield from lines_of(file)


def verify(folder):
    manifest = read_manifest(folder)
    selection = Filter(manifest["filter"])
    heads = heads_of(folder)
    latest = clock.time_ns() + AHEAD_NANOSECONDS
    chain, streams, entries, headers = None, 0, 0, 0
    for line in entries_of(folder, manifest):
        try:
            entry = parse_entry(line) if line is not None else None
        except Unreadable:
            entry = None
        if chain is None or chain.is_complete():
            if chain is not None:
                chain.finish()
                if entry is not None and entry["stream"] == chain.stream:
                    raise chain.fault("NotTheHead")
            head = next(heads, None)
            if head is None:
                raise Fault("NotTheHead", *((None, None) if entry is None else (entry["stream"], entry["seq"])))
            chain, streams = Chain(head), streams + 1
        if entry is None:
            raise chain.fault("UnreadableEntry")
        chain.take(entry)
        entries += 1
        if entry["member"] != "payload":
            headers += 1
            if selection.selects(entry):
                raise Fault("ContentMissing", entry["stream"], entry["seq"])
        at = nanoseconds(entry["time"])
        if at is None or at > latest:
            raise Fault("FutureTime", entry["stream"], entry["seq"])
    while True:
        if chain is not None:
            chain.finish()
        head = next(heads, None)
        if head is None:
            break
        chain, streams = Chain(head), streams + 1
    if manifest["entries"] != entries or manifest["streams"] != streams:
        raise Fault("WrongCount")
    return {"entries": entries, "headers": headers, "streams": streams}


def report(folder):
    try:
        return 3, {"status": "Consistent", "fault": None, **verify(folder)}
    except Fault as fault:
        seq = None if fault.seq is None else str(fault.seq)
        return 1, {"status": "Broken", "fault": {"code": fault.code, "stream": fault.stream, "seq": seq}}
    except Unusable as error:
        return 2, {"status": "Unusable", "message": str(error)}


def main(folders):
    status = 2
    for folder in folders:
        status, result = report(folder)
        print(json.dumps(result, sort_keys=True))
    return status


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    sys.exit(main(sys.argv[1:]))
