/** What a reader may stop for, as where its disk is busy. */
const patienceMilliseconds = 60_000;
/** Slower than any line that an export of a ledger is meant for. */
const minimumBytesPerMillisecond = 16;

/**
 * Passes texts on as they are taken. A reader that takes one slower than 16 kB per second, and a minute, is cut off: a few
 * bytes now and then, which no socket's timeout notices, would keep a place of an export for ever.
 *
 * The first text is empty, to be taken before anything can end the rest: a generator that has not begun ends nothing.
 *
 * @param cutOff ends the reader's connection, and so these texts.
 */
export async function* cutOffSlow(
  texts: AsyncGenerator<string, undefined>,
  cutOff: () => void,
): AsyncGenerator<string, undefined> {
  try {
    yield '';
    for await (const text of texts) {
      const timer = setTimeout(
        cutOff,
        patienceMilliseconds + Buffer.byteLength(text) / minimumBytesPerMillisecond,
      );
      try {
        yield text;
      } finally {
        clearTimeout(timer);
      }
    }
    return undefined;
  } finally {
    await texts.return(undefined);
  }
}
