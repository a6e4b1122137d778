"""A second verifier of ledger exports, written from docs/spec/ledger.md alone.

It uses Python's standard library only and shares no code with Plimsoll, so that the two can be held against each other.

    python3 verify_ledger.py [--key FILE] [--checkpoint FILE] FOLDER...

prints one JSON object per folder. The exit status is that of the worst of them: 0 proven, 3 consistent, 2 no export, 1 broken.
"""

import argparse
import base64
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
    "HpaObservation", "StrategyChange", "PolicyChange", "SyncRun", "CommitReview", "OperatorAction", "SettingsChange",
    "Checkpoint", "KeyRotation", "KeyLost", "LedgerGap", "RetentionRun",
}
MOST_GAPS = 100
LONGEST_LINE = 64 * 1024 * 1024
LONGEST_MANIFEST = 16 * 1024 * 1024
LONGEST_NOTE_FILE = 64 * 1024
AHEAD_NANOSECONDS = 600 * 10**9
CLOCKS_NANOSECONDS = 60 * 10**9
END_OF_TIME = 9_214_646_400
DEEPEST = 1_000
MOST_ROTATIONS = 100_000
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
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,1000}))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)


# Exit statuses, the worst last.
SEVERITY = [0, 3, 2, 1]


class Unusable(Exception):
    """The folder is no export that this program knows."""


class Fault(Exception):
    """The first thing that is wrong with an export."""

    def __init__(self, code, stream=None, seq=None):
        super().__init__(code)
        self.code, self.stream, self.seq = code, stream, seq


class Unreadable(Exception):
    """A line is not in its form."""


def utf8(name):
    """The bytes that names are sorted by. Half of a surrogate pair has none, and counts as U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd", name).encode("utf-8")


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


def is_too_deep(value, levels=DEEPEST):
    """Whether more lists and objects are within each other than canonical JSON has here."""
    if not isinstance(value, (list, dict)):
        return False
    items = value if isinstance(value, list) else value.values()
    return levels == 0 or any([is_too_deep(item, levels - 1) for item in items])


def parse_canonical(text):
    """The value of a text of canonical JSON; Unreadable for any other text."""
    try:
        value = json.loads(text)
        if not is_too_deep(value) and canonical(value) == text:
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


def gap_of(entry):
    """What an entry says that the restore of a backup has lost, None where it says nothing of it."""
    if entry["stream"] != "admin" or entry["kind"] != "LedgerGap" or entry["member"] != "payload":
        return None
    try:
        payload = parse_canonical(entry["content"])
    except Unreadable:
        return None
    gap = {name: payload.get(name) for name in ("backup", "number", "restored")} if isinstance(payload, dict) else {}
    return gap if gap and all(isinstance(value, str) for value in gap.values()) else None


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


SEGMENT = re.compile(
    r'\{"expired":\{"hash":"([0-9a-f]{64})","last":"([1-9][0-9]{0,18})"\},"stream":("(?:[^"\\]|\\.)*")\}'
)


def parse_segment(line):
    """The hash and number of the last entry that has been deleted, and the stream; None for another line."""
    match = SEGMENT.fullmatch(line)
    if match is None:
        return None
    try:
        return match.group(1), int(match.group(2)), parse_string(match.group(3))
    except Unreadable:
        return None


MOST_RECORDS = 16
NUMBER = re.compile("[1-9][0-9]{0,18}")


class SegmentRecords:
    """What the stream admin says of deleted entries."""

    def __init__(self, manifest_filter):
        self.is_compared = manifest_filter["namespaces"] is None and manifest_filter["policies"] is None
        self.filter = Filter(manifest_filter)
        self.records, self.last_hidden, self.own = {}, 0, None

    def begin(self, segment):
        if segment[2] == "admin":
            self.own = segment
        else:
            self.check(segment)

    def look(self, entry):
        if entry["stream"] != "admin" or entry["kind"] != "RetentionRun":
            return
        if entry["member"] != "payload":
            if not self.filter.selects(entry):
                self.last_hidden = entry["seq"]
            return
        try:
            payload = parse_canonical(entry["content"])
        except Unreadable:
            return
        segments = payload.get("segments") if isinstance(payload, dict) else None
        for each in segments if isinstance(segments, list) else ():
            found = [each.get(name) for name in ("stream", "last", "hash")] if isinstance(each, dict) else [None]
            if not all(isinstance(text, str) for text in found):
                continue
            if NUMBER.fullmatch(found[1]) and HASH.fullmatch(found[2]):
                of_stream = self.records.setdefault(found[0], [])
                of_stream.append((int(found[1]), found[2], entry["seq"]))
                del of_stream[:-MOST_RECORDS]

    def end(self, stream):
        if self.own is not None and stream == "admin":
            self.check(self.own)

    def check(self, segment):
        if not self.is_compared:
            return
        last_hash, last, stream = segment
        records = self.records.get(stream, [])
        same = [record for record in records if record[0] == last]
        if same:
            if same[-1][1] != last_hash:
                raise Fault("WrongSegment", stream, 1)
            return
        is_later = any(number < last and at > self.last_hidden for number, _, at in records)
        if self.last_hidden <= (last if stream == "admin" else 0) or is_later:
            raise Fault("SegmentUnrecorded", stream, 1)


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

    def begins_with(self, segment):
        return self.seq == 0 and segment[2] == self.stream and segment[1] < self.head_seq

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
    # Years before this one have no such time, whatever the offset.
    if year < 1969 or (match.group(8) and not (int(match.group(9)) < 24 and int(match.group(10)) < 60)):
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


class Retention:
    def __init__(self, rules):
        self.rules = [(rule["kind"], rule["content"], nanoseconds(rule["before"]) or 0) for rule in rules]

    def has_deleted(self, entry):
        at = nanoseconds(entry["time"])
        return at is not None and any(
            kind == entry["kind"] and at < before and (content == "Payload" or entry["member"] == "payloadWithoutObservation")
            for kind, content, before in self.rules
        )


# Checkpoints: Merkle trees (RFC 6962), signed notes, and Ed25519 (RFC 8032, section 6).


def node_hash(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def leaf_hash(text):
    return hashlib.sha256(b"\x00" + text.encode("utf-8")).digest()


def merkle_root(leaves):
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return node_hash(merkle_root(leaves[:split]), merkle_root(leaves[split:]))


def root_of_proof(leaf, index, size, proof):
    """The root that a leaf has with the nodes of its proof, None where their number is wrong (RFC 9162, 2.1.3.2)."""
    if index >= size:
        return None
    place, last, root = index, size - 1, leaf
    for neighbour in proof:
        if last == 0:
            return None
        if place & 1 or place == last:
            root = node_hash(neighbour, root)
            while not place & 1 and place != 0:
                place, last = place >> 1, last >> 1
        else:
            root = node_hash(root, neighbour)
        place, last = place >> 1, last >> 1
    return root if last == 0 else None


P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def point_add(one, two):
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def point_multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = point_add(result, point)
        point, scalar = point_add(point, point), scalar >> 1
    return result


def point_equal(one, two):
    return (one[0] * two[2] - two[0] * one[2]) % P == 0 and (one[1] * two[2] - two[1] * one[2]) % P == 0


def recover_x(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P != 0:
        return None
    return P - x if x & 1 != sign else x


def decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (recover_x(BASE_Y, 0), BASE_Y, 1, recover_x(BASE_Y, 0) * BASE_Y % P)


def is_signed(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    point, r = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or r is None or s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    return point_equal(point_multiply(s, BASE), point_add(r, point_multiply(h, point)))


BODY = re.compile(
    r"(plimsoll/[a-z0-9-]{1,63}/[0-9a-f]{32})\ncheckpoint ([1-9][0-9]{0,18})\nprevious ([0-9a-f]{64})\n"
    r"streams (0|[1-9][0-9]{0,14})\nentries (0|[1-9][0-9]{0,18})\nroot ([0-9a-f]{64})\ntime ([!-~]{1,64})\n"
)
ROTATION = re.compile(
    r"(plimsoll/[a-z0-9-]{1,63}/[0-9a-f]{32})\nkey-rotation ([1-9][0-9]{0,18})\nprevious ([0-9a-f]{64})\n"
    r"key ([A-Za-z0-9+/]{43}=)\ntime ([!-~]{1,64})\n"
)
SIGNATURE = re.compile("\u2014 ([!-*,-~]{1,300}) ([A-Za-z0-9+/=]{1,1000})")


def from_base64(text):
    """The bytes of a text that is their one base64."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Unreadable from error
    if base64.b64encode(data).decode() != text:
        raise Unreadable
    return data


class Note:
    """A signed note; Unreadable for a text that is none."""

    def __init__(self, text, form):
        body, gap, rest = text.rpartition("\n\n")
        self.body = body + "\n"
        match = form.fullmatch(self.body)
        lines = rest[:-1].split("\n")
        self.signatures = [SIGNATURE.fullmatch(line) for line in lines]
        if not gap or not rest.endswith("\n") or match is None or None in self.signatures or len(text) > 16_384:
            raise Unreadable
        self.origin, self.number = match.group(1), int(match.group(2))
        self.groups = match.groups()
        self.nanoseconds = nanoseconds(self.groups[-1])
        if self.nanoseconds is None:
            raise Unreadable
        self.signatures = [(line.group(1), from_base64(line.group(2))) for line in self.signatures]

    def is_signed_with(self, key):
        identity = hashlib.sha256(self.origin.encode() + b"\n\x01" + key).digest()[:4]
        for name, data in self.signatures:
            if name == self.origin and data[:4] == identity and is_signed(key, self.body.encode(), data[4:]):
                return True
        return False


class Checkpoint(Note):
    def __init__(self, text):
        super().__init__(text, BODY)
        self.streams, self.entries, self.root = int(self.groups[3]), int(self.groups[4]), self.groups[5]
        self.rotations = []

    def is_genuine(self, key):
        """Whether it is signed with a key, or with one that followed it."""
        for rotation in self.rotations:
            is_before = rotation.number <= self.number and rotation.origin == self.origin
            if is_before and rotation.is_signed_with(key):
                key = rotation.key
        return self.is_signed_with(key)


# Checkpoints that were obtained elsewhere.


class Kept:
    """The notes of a file, in the order of their numbers."""

    def __init__(self, path):
        self.notes = list(kept_notes(path))
        self.bodies, self.is_contradictory = {}, False
        if not self.notes:
            raise Unusable("there is no checkpoint elsewhere")
        for before, note in zip(self.notes, self.notes[1:]):
            if before.origin != note.origin or before.number > note.number:
                raise Unusable("the checkpoints elsewhere are of two ledgers, or out of order")
        for note in self.notes:
            if self.bodies.setdefault(str(note.number), note.body) != note.body:
                self.is_contradictory = True


def kept_notes(path):
    """What an interrupted write has left of a note is passed over where all of it follows."""
    with open(path, encoding="utf-8", errors="replace") as file:
        chunks = re.split(r"^(?=plimsoll/)", file.read(), flags=re.MULTILINE)
    cut_off = None
    for chunk in chunks:
        if chunk.strip() == "":
            continue
        text = chunk.strip() + "\n"
        try:
            note = Checkpoint(text)
        except Unreadable:
            note = None
        if cut_off is not None and (note is None or not text.startswith(cut_off)):
            raise Unusable("a text elsewhere is no checkpoint")
        cut_off = text.rstrip() if note is None else None
        if note is not None:
            yield note
    if cut_off is not None:
        raise Unusable("a text elsewhere is no checkpoint")


class Comparison:
    """Compares the notes that the stream of administration has with those that were kept."""

    def __init__(self, kept):
        self.kept, self.contradiction = kept, None

    def look(self, entry):
        if entry["stream"] != "admin" or entry["kind"] not in ("Checkpoint", "LedgerGap") or entry["member"] != "payload":
            return
        try:
            payload = parse_canonical(entry["content"])
        except Unreadable:
            return
        number, text = (payload.get(name) for name in ("number", "note")) if isinstance(payload, dict) else (None, None)
        known = self.kept.bodies.get(number) if self.kept and isinstance(number, str) and isinstance(text, str) else None
        if known is None or self.contradiction is not None:
            return
        try:
            body = Checkpoint(text).body
        except Unreadable:
            body = None
        if body != known:
            self.contradiction = number, body

    def is_proven(self, note, key, made_at):
        """Whether the kept notes prove the origin of an export."""
        if note is not None and note.origin != self.kept.notes[-1].origin:
            raise Unusable("the checkpoints elsewhere are of another ledger")
        own = 0 if note is None else note.number
        covered = [each for each in self.kept.notes if each.number <= own][-1:]
        lacking = [each for each in self.kept.notes if each.number > own and made_at - each.nanoseconds > CLOCKS_NANOSECONDS][:1]
        for each in covered + lacking:
            each.rotations = [] if note is None else note.rotations
            if key is not None and not each.is_genuine(key):
                raise Unusable("a checkpoint elsewhere is not signed with the key")
        if self.kept.is_contradictory:
            raise Fault("Equivocation")
        if lacking:
            raise Fault("CheckpointMissing")
        if note is None:
            return False
        number, body = self.contradiction or (str(note.number), note.body)
        known = self.kept.bodies.get(number)
        if known is not None and known != body:
            raise Fault("Equivocation")
        return known is not None


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
    """Numbers are compared by their value, however they are written."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 <= value <= 2**53 - 1 and value == int(value)


def refuse_constant(name):
    raise ValueError(name + " is no JSON")


def read_manifest(folder):
    if os.path.lexists(os.path.join(folder, "progress.json")):
        raise Unusable("the export is not complete")
    file = open_file(os.path.join(folder, "manifest.json"))
    if file is None:
        raise Unusable("there is no manifest")
    with file:
        text = file.read(LONGEST_MANIFEST + 1)
    if len(text) > LONGEST_MANIFEST:
        raise Unusable("the manifest is too long")
    try:
        # As text that is no UTF-8 is usually read, which matters in no name that has a meaning.
        manifest = json.loads(text.decode("utf-8", "replace"), parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Unusable("the manifest is no JSON") from error
    if isinstance(manifest, dict):
        check_retention(manifest.setdefault("retention", []))
    members(manifest, ["entries", "exportFormat", "files", "filter", "madeAt", "retention", "streams"])
    check_filter(members(manifest["filter"], ["from", "kinds", "namespaces", "policies", "until"]))
    if isinstance(manifest["exportFormat"], bool) or manifest["exportFormat"] != 1:
        raise Unusable("this form of export is not known")
    if not is_time(manifest["madeAt"]):
        raise Unusable("it is not known when the export was made")
    if not (is_count(manifest["entries"]) and is_count(manifest["streams"]) and isinstance(manifest["files"], list)):
        raise Unusable("the manifest has no counts")
    for each in manifest["files"]:
        members(each, ["entries", "path"])
        if not isinstance(each["path"], str) or not re.fullmatch(r"entries-[0-9]{6,12}\.ndjson", each["path"]):
            raise Unusable("the manifest names a file that is none of an export")
        if not is_count(each["entries"]):
            raise Unusable("the manifest has no counts")
    return manifest


def check_retention(rules):
    if not isinstance(rules, list):
        raise Unusable("the retention is no list")
    for rule in rules:
        members(rule, ["before", "content", "kind"])
        if not isinstance(rule["before"], str) or rule["content"] not in ("Payload", "Observation"):
            raise Unusable("a rule of the retention is not known")
        if not isinstance(rule["kind"], str) or rule["kind"] not in KINDS:
            raise Unusable("a kind of the retention is not known")


def is_time(value):
    return isinstance(value, str) and nanoseconds(value) is not None


def check_filter(given):
    for name in ("from", "until"):
        if given[name] is not None and not is_time(given[name]):
            raise Unusable("a time of the filter is none")
    for name in ("kinds", "namespaces", "policies"):
        values = given[name]
        if values is not None and not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
            raise Unusable("a list of the filter is none")
    if given["kinds"] is not None and not set(given["kinds"]) <= KINDS:
        raise Unusable("a kind of the filter is not known")


def heads_of(folder, selection):
    file = open_file(os.path.join(folder, "heads.ndjson"))
    if file is None:
        raise Unusable("there are no heads")
    before = b""
    for line in lines_of(file):
        match = HEAD.fullmatch(line) if line is not None else None
        try:
            stream = parse_string(match.group(3)) if match else None
            name = utf8(stream) if stream is not None else b""
        except Unreadable:
            name = b""
        if name <= before or (selection is not None and not selection.selects(name)):
            raise Fault("UnreadableHead")
        before = name
        yield match.group(1), int(match.group(2)), stream


PROVEN = re.compile(
    r'(\{"hash":"[0-9a-f]{64}"),"index":"(0|[1-9][0-9]{0,14})","proof":\[((?:"[0-9a-f]{64}"(?:,"[0-9a-f]{64}"){0,63})?)\]'
    r'(,"seq":.*)'
)


def read_note(folder):
    file = open_file(os.path.join(folder, "checkpoint.note"))
    if file is None:
        return None
    try:
        with file:
            note = Checkpoint(file.read(LONGEST_NOTE_FILE + 1).decode("utf-8", "replace"))
        note.rotations = list(rotations_of(folder))
        return note
    except Unreadable as error:
        raise Fault("UnreadableCheckpoint") from error


def rotations_of(folder):
    """The notes that say how keys follow each other."""
    file = open_file(os.path.join(folder, "rotations.ndjson"))
    for index, line in enumerate(() if file is None else lines_of(file)):
        value = parse_canonical(line) if line is not None and len(line.encode()) <= LONGEST_NOTE_FILE else None
        if not isinstance(value, dict) or set(value) != {"note"} or not isinstance(value["note"], str):
            raise Unreadable
        if index == MOST_ROTATIONS:
            raise Unreadable
        rotation = Note(value["note"], ROTATION)
        rotation.key = from_base64(rotation.groups[3])
        yield rotation


class Selection:
    """The names that namespaces and policies select, as ranges of the sorted names."""

    def __init__(self, selection):
        def ranges(names, end):
            return [utf8(kind + name + end) for kind in ("policy:", "late:") for name in names or ()]

        self.prefixes, self.names = ranges(selection["namespaces"], "/"), ranges(selection["policies"], "")

    def selects(self, name):
        return name in self.names or any(name.startswith(prefix) and name != prefix for prefix in self.prefixes)

    def is_between(self, after, before):
        """Whether a selected name may be after one and before another; None: the beginning, or the end."""
        for name in self.names:
            if (after is None or after < name) and (before is None or name < before):
                return True
        for prefix in self.prefixes:
            is_behind = after is not None and after > prefix and not after.startswith(prefix)
            if not is_behind and (before is None or before > prefix):
                return True
        return False


def sealed_of(folder, note, selection):
    """The heads that the checkpoint covers, checked against its root."""
    file = open_file(os.path.join(folder, "sealed.ndjson"))
    if file is None:
        raise Fault("UnreadableCheckpoint")
    is_of_some = selection is not None
    before, last, leaves, entries = b"", -1, [], 0
    for line in lines_of(file):
        proven = PROVEN.fullmatch(line) if is_of_some and line is not None else None
        plain = (proven.group(1) + proven.group(4) if proven else None) if is_of_some else line
        match = HEAD.fullmatch(plain) if plain is not None else None
        try:
            stream = parse_string(match.group(3)) if match else ""
        except Unreadable:
            stream = ""
        name = utf8(stream)
        index = int(proven.group(2)) if proven else last + 1
        if name <= before or index <= last:
            raise Fault("UnreadableCheckpoint")
        leaf, seq = leaf_hash(plain), int(match.group(2))
        if is_of_some:
            proof = [bytes.fromhex(node) for node in re.findall("[0-9a-f]{64}", proven.group(3))]
            root = root_of_proof(leaf, int(proven.group(2)), note.streams, proof)
            if root is None or root.hex() != note.root:
                raise Fault("WrongRoot")
            if index != last + 1 and selection.is_between(before or None, name):
                raise Fault("SealIncomplete")
        else:
            leaves.append(leaf)
            entries += seq
        before, last = name, index
        if not is_of_some or selection.selects(name):
            yield match.group(1), seq, stream
    if is_of_some and last + 1 != note.streams and selection.is_between(before or None, None):
        raise Fault("SealIncomplete")
    if not is_of_some and (merkle_root(leaves).hex() != note.root or len(leaves) != note.streams or entries != note.entries):
        raise Fault("WrongRoot")


class Seals:
    """The sealed heads, beside the heads."""

    def __init__(self, sealed):
        self.sealed, self.peeked = sealed, False
        self.ahead = None

    def peek(self):
        if not self.peeked:
            self.ahead, self.peeked = next(self.sealed, None), True
        return self.ahead

    def begin(self, head):
        """The sealed head of a stream, None where the checkpoint does not cover it."""
        sealed = self.peek()
        if sealed is None or utf8(sealed[2]) > utf8(head[2]):
            return None
        if sealed[2] != head[2]:
            raise Fault("Truncated", sealed[2], 1)
        self.peeked = False
        if sealed[1] > head[1]:
            raise Fault("Truncated", head[2], head[1] + 1)
        return sealed

    def finish(self):
        if self.peek() is not None:
            raise Fault("Truncated", self.ahead[2], 1)


def entries_of(folder, manifest):
    for each in manifest["files"]:
        file = open_file(os.path.join(folder, each["path"]))
        if file is not None:
            yield from lines_of(file)


def verify(folder, key, kept):
    manifest = read_manifest(folder)
    note = read_note(folder)
    is_of_some = manifest["filter"]["namespaces"] is not None or manifest["filter"]["policies"] is not None
    streams_of_filter = Selection(manifest["filter"]) if is_of_some else None
    seals = Seals(iter(()) if note is None else sealed_of(folder, note, streams_of_filter))
    selection, retention = Filter(manifest["filter"]), Retention(manifest["retention"])
    records = SegmentRecords(manifest["filter"])
    heads = heads_of(folder, streams_of_filter)
    latest = clock.time_ns() + AHEAD_NANOSECONDS
    chain, seal, streams, entries, headers, unsealed, expired = None, None, 0, 0, 0, 0, 0
    gaps, comparison = [], Comparison(kept)
    for line in entries_of(folder, manifest):
        try:
            entry = parse_entry(line) if line is not None else None
        except Unreadable:
            entry = None
        if chain is None or chain.is_complete():
            if chain is not None:
                chain.finish()
                records.end(chain.stream)
                if entry is not None and entry["stream"] == chain.stream:
                    raise chain.fault("NotTheHead")
            head = next(heads, None)
            if head is None:
                raise Fault("NotTheHead", *((None, None) if entry is None else (entry["stream"], entry["seq"])))
            chain, streams = Chain(head), streams + 1
            seal = seals.begin(head)
        segment = parse_segment(line) if entry is None and line is not None else None
        if segment is not None and chain.begins_with(segment):
            if seal is None or segment[1] >= seal[1]:
                raise chain.fault("SegmentUnsealed")
            records.begin(segment)
            chain.hash, chain.seq = segment[0], segment[1]
            entries, expired = entries + 1, expired + chain.seq
            continue
        if entry is None:
            raise chain.fault("UnreadableEntry")
        chain.take(entry)
        if seal is None or chain.seq > seal[1]:
            unsealed += 1
        elif chain.seq == seal[1] and chain.hash != seal[0]:
            raise Fault("WrongSeal", chain.stream, chain.seq)
        entries += 1
        gap = gap_of(entry)
        if gap is not None and len(gaps) < MOST_GAPS:
            gaps.append(gap)
        if entry["member"] != "payload":
            headers += 1
            if selection.selects(entry) and not retention.has_deleted(entry):
                raise Fault("ContentMissing", entry["stream"], entry["seq"])
        at = nanoseconds(entry["time"])
        if at is None or at > latest:
            raise Fault("FutureTime", entry["stream"], entry["seq"])
        records.look(entry)
        comparison.look(entry)
    while True:
        if chain is not None:
            chain.finish()
            records.end(chain.stream)
        head = next(heads, None)
        if head is None:
            break
        chain, streams = Chain(head), streams + 1
        seal = seals.begin(head)
    seals.finish()
    if manifest["entries"] != entries or manifest["streams"] != streams:
        raise Fault("WrongCount")
    if note is not None and key is not None and not note.is_genuine(key):
        raise Fault("WrongSignature")
    is_proven = note is not None and key is not None
    if kept is not None and comparison.is_proven(note, key, nanoseconds(manifest["madeAt"])):
        is_proven = True
    return {
        "status": "Proven" if is_proven else "Consistent",
        "entries": entries,
        "headers": headers,
        "streams": streams,
        "unsealed": unsealed,
        "expired": expired,
        "gaps": gaps,
    }


def report(folder, key, kept):
    try:
        result = verify(folder, key, None if kept is None else Kept(kept))
        return 0 if result["status"] == "Proven" else 3, {"fault": None, **result}
    except Fault as fault:
        seq = None if fault.seq is None else str(fault.seq)
        return 1, {"status": "Broken", "fault": {"code": fault.code, "stream": fault.stream, "seq": seq}}
    except Unusable as error:
        return 2, {"status": "Unusable", "message": str(error)}


def read_key(path):
    """The raw key of a PEM file: the last 32 bytes of the form that Ed25519 keys have."""
    with open(path, encoding="ascii") as file:
        data = base64.b64decode("".join(line for line in file.read().splitlines() if "-" not in line))
    if data[:-32] != bytes.fromhex("302a300506032b6570032100"):
        raise SystemExit("this is no public key of Ed25519")
    return data[-32:]


def main(arguments):
    parser = argparse.ArgumentParser(description="Verifies exports of a ledger: one JSON object per folder.")
    parser.add_argument("--key", help="the public key of the checkpoints, as PEM, obtained elsewhere")
    parser.add_argument("--checkpoint", help="a file of checkpoints obtained elsewhere")
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="the folder of an export")
    options = parser.parse_args(arguments)
    key = None if options.key is None else read_key(options.key)
    worst = 0
    for folder in options.folders:
        status, result = report(folder, key, options.checkpoint)
        print(json.dumps(result, sort_keys=True))
        worst = max(worst, status, key=SEVERITY.index)
    return worst


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    sys.exit(main(sys.argv[1:]))
