/**
 * The few DER (X.690) types that an X.509 certificate is made of. Node.js signs, but issues no certificates, and the
 * tests must not need openssl.
 */

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

/** SEQUENCE of already encoded members. */
export function sequence(...members: readonly Buffer[]): Buffer {
  return encode(tags.sequence, Buffer.concat(members));
}

/** SET with one member, which is all that a distinguished name needs (more would have to be sorted). */
export function setOfOne(member: Buffer): Buffer {
  return encode(tags.set, member);
}

/** INTEGER from an unsigned big-endian number. */
export function unsignedInteger(bytes: Buffer): Buffer {
  const firstByte = bytes.findIndex((byte) => byte !== 0);
  const magnitude = firstByte === -1 ? Buffer.from([0]) : bytes.subarray(firstByte);
  // A leading one bit would make it negative.
  const sign = (magnitude[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0);
  return encode(tags.integer, Buffer.concat([sign, magnitude]));
}

/** BOOLEAN TRUE; false is always a default here, and DER leaves defaults out. */
export function booleanTrue(): Buffer {
  return encode(tags.boolean, Buffer.from([0xff]));
}

/** BIT STRING; `unusedBits` of the last byte (0 to 7) are not part of it. */
export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return encode(tags.bitString, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

/** OCTET STRING. */
export function octetString(bytes: Buffer): Buffer {
  return encode(tags.octetString, bytes);
}

/** UTF8String. */
export function utf8String(text: string): Buffer {
  return encode(tags.utf8String, Buffer.from(text, 'utf8'));
}

/** UTCTime, to the second, rounded down; holds for the years 1950 to 2049. */
export function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14);
  return encode(tags.utcTime, Buffer.from(`${digits}Z`, 'ascii'));
}

/** OBJECT IDENTIFIER from its dotted form: `2.5.4.3` is `55 04 03`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return encode(tags.objectIdentifier, Buffer.from([40 * first + second, ...rest.flatMap(base128)]));
}

/** A context-specific tag: `[number]`, constructed where it wraps other values. */
export function contextTag(number: number, form: 'primitive' | 'constructed', content: Buffer): Buffer {
  return encode((form === 'constructed' ? 0xa0 : 0x80) | number, content);
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

function encode(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...length(content.length)]), content]);
}

function length(bytes: number): number[] {
  if (bytes < 0x80) return [bytes];
  const digits: number[] = [];
  for (let left = bytes; left > 0; left >>= 8) digits.unshift(left & 0xff);
  return [0x80 | digits.length, ...digits];
}
