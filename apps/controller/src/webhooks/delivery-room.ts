import { type Standing, standings } from './sender-standings.ts';

/** A delivery whose body is being received, or verified. */
export interface OpenDelivery {
  readonly address: string;
  readonly standing: Standing;
  /** What its body may take: its declared length, or the most there may be. */
  readonly bytes: number;
  /** Whether its body has not arrived whole. One that has is verified within milliseconds, and is left alone. */
  readonly isReading: () => boolean;
  /** Cuts it off. */
  readonly end: () => void;
}

/** How much may be open at a time. */
interface Capacity {
  readonly deliveries: number;
  readonly bytes: number;
}

/** What bodies may take in all. */
const wholeRoom: Capacity = { deliveries: 256, bytes: 64 * 1024 * 1024 };

/** What unknown senders may take of it; the rest is kept for known ones. */
const unknownRoom: Capacity = { deliveries: 192, bytes: 48 * 1024 * 1024 };

/** What one address may take, unless it is known. */
const addressRoom: Capacity = { deliveries: 64, bytes: 32 * 1024 * 1024 };

/**
 * Bounds how many bodies are received at once. A newcomer does not wait: one that is being received gives way to it,
 * so that strangers who send slowly keep nobody out, and a sender that sends its few kilobytes at once is through
 * before its turn to give way comes. Who gives way: the lower standing, then the address that holds the most, then
 * (where bytes are short) the largest, then the oldest. A delivery never gives way to one of a lower standing.
 */
export class DeliveryRoom {
  /** Oldest first. */
  readonly #open = new Set<OpenDelivery>();

  /** Takes a delivery in; false: there is no room, and nothing in its place that would give way. */
  admit(newcomer: OpenDelivery): boolean {
    if (!this.#makeRoom(newcomer)) return false;
    this.#open.add(newcomer);
    return true;
  }

  release(delivery: OpenDelivery): void {
    this.#open.delete(delivery);
  }

  #makeRoom(newcomer: OpenDelivery): boolean {
    const isUnknown = !isKnown(newcomer);
    const isOfItsAddress = (open: OpenDelivery): boolean =>
      open.address === newcomer.address && !isKnown(open);
    return (
      (!isUnknown || this.#reduce(newcomer, addressRoom, isOfItsAddress)) &&
      (!isUnknown || this.#reduce(newcomer, unknownRoom, (open) => !isKnown(open))) &&
      this.#reduce(newcomer, wholeRoom, () => true)
    );
  }

  /** Ends deliveries of a part of the room until the newcomer fits into its capacity. */
  #reduce(newcomer: OpenDelivery, capacity: Capacity, isOfPart: (open: OpenDelivery) => boolean): boolean {
    for (;;) {
      const part = [...this.#open].filter(isOfPart);
      const isShortOfBytes = sumOfBytes(part) + newcomer.bytes > capacity.bytes;
      if (!isShortOfBytes && part.length < capacity.deliveries) return true;
      const candidates = part.filter((open) => open.isReading() && rank(open) <= rank(newcomer));
      const first = firstToGiveWay(candidates, isShortOfBytes ? ({ bytes }) => bytes : () => 1);
      if (first === undefined) return false;
      this.#open.delete(first);
      first.end();
    }
  }
}

function isKnown({ standing }: OpenDelivery): boolean {
  return standing === 'KnownHook' || standing === 'KnownAddress';
}

function rank({ standing }: OpenDelivery): number {
  return standings.indexOf(standing);
}

function sumOfBytes(deliveries: readonly OpenDelivery[]): number {
  return deliveries.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** `weight` is what is short; candidates come oldest first. */
function firstToGiveWay(
  candidates: readonly OpenDelivery[],
  weight: (delivery: OpenDelivery) => number,
): OpenDelivery | undefined {
  const held = new Map<string, number>();
  for (const open of candidates) held.set(open.address, (held.get(open.address) ?? 0) + weight(open));
  const heldBy = ({ address }: OpenDelivery): number => held.get(address) ?? 0;
  let first: OpenDelivery | undefined;
  for (const open of candidates) {
    const order =
      first === undefined
        ? -1
        : rank(open) - rank(first) || heldBy(first) - heldBy(open) || weight(first) - weight(open);
    if (order < 0) first = open;
  }
  return first;
}
