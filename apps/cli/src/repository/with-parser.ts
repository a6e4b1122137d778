import { ParserPool } from '#adapter-parser';

/** Gives the work threads that parse, with the controller's limits, and ends them after it. */
export async function withParser<T>(work: (parser: ParserPool) => Promise<T>): Promise<T> {
  const parser = new ParserPool();
  try {
    return await work(parser);
  } finally {
    await parser.close();
  }
}
