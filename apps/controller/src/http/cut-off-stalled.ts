import type { FastifyReply } from 'fastify';

/** A reader that takes nothing for so long is cut off. */
const stalledMilliseconds = 60_000;

/** What the system's buffers take at once, so that no reader is waited for. */
const smallBytes = 64 * 1024;

/** Ends the connection of a reader that stops taking a large answer, which would be kept for it. */
export function cutOffStalled(reply: FastifyReply, payload: unknown): void {
  if (typeof payload === 'string' && payload.length < smallBytes) return;
  reply.raw.setTimeout(stalledMilliseconds, () => reply.raw.destroy());
}
