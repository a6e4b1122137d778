import { describe, expect, it } from '@jest/globals';
import type { PolicyFile, PolicyFileSource } from '#policy';
import { FakeClock } from '#reconciliation/testing';
import type { ParsedFile, PolicyParserPort } from '../ports/policy-parser.port.ts';
import { InProcessParser } from './in-process-parser.ts';
import { batchBytes, batchFiles, type FailedFile, parseFiles, parsingMilliseconds } from './parse-files.ts';

/** Answers on request, and keeps what it was asked. */
class SlowParser implements Pick<PolicyParserPort, 'batchesAtOnce' | 'parse'> {
  readonly batches: (readonly PolicyFileSource[])[] = [];
  readonly batchesAtOnce: number;
  atOnce = 0;
  most = 0;

  constructor(batchesAtOnce: number) {
    this.batchesAtOnce = batchesAtOnce;
  }

  async parse(batch: readonly PolicyFileSource[]): Promise<readonly ParsedFile[]> {
    this.batches.push(batch);
    this.most = Math.max(this.most, ++this.atOnce);
    await Promise.resolve();
    this.atOnce -= 1;
    return batch.map((source) => this.answer(source));
  }

  answer({ file }: PolicyFileSource): ParsedFile {
    return { kind: 'Parsed', file: { file, documents: [], diagnostics: [], others: [] } };
  }
}

describe('parsing the files of a commit', () => {
  it('cuts batches by files and by bytes, and a large file is one by itself', async () => {
    const small = Array.from({ length: batchFiles + 1 }, (_, index) => source(`s${index}`, 10));
    const large = source('large', batchBytes * 2);
    const half = [source('h1', batchBytes / 2), source('h2', batchBytes / 2), source('h3', 1)];
    const parser = new SlowParser(1);
    await parse(parser, [...small, large, ...half]);
    expect(parser.batches.map((batch) => batch.length)).toEqual([batchFiles, 1, 1, 2, 1]);
  });

  it('keeps as many batches under way as the parser has use for', async () => {
    const parser = new SlowParser(3);
    const files = Array.from({ length: batchFiles * 10 }, (_, index) => source(`f${index}`, 1));
    const { parsed, failed } = await parse(parser, files);
    expect(parser.most).toBe(3);
    expect(parsed).toHaveLength(files.length);
    expect(failed).toEqual([]);
  });

  it('says which files failed, and why', async () => {
    class FailingParser extends SlowParser {
      override answer(): ParsedFile {
        return { kind: 'Failed', reason: 'it took too long' };
      }
    }
    const files = [source('a', 1), source('b', 1)];
    const { parsed, failed } = await parse(new FailingParser(1), files);
    expect(parsed).toEqual([]);
    expect(failed).toEqual(files.map((file) => ({ source: file, reason: 'it took too long' })));
  });

  it('gives up a commit that takes for ever', async () => {
    const clock = new FakeClock();
    class EndlessParser extends SlowParser {
      override answer(asked: PolicyFileSource): ParsedFile {
        clock.advance(parsingMilliseconds / batchFiles + 1);
        return super.answer(asked);
      }
    }
    const files = Array.from({ length: batchFiles * 3 }, (_, index) => source(`f${index}`, 1));
    const { parsed, failed } = await parse(new EndlessParser(1), files, clock);
    expect(parsed).toHaveLength(batchFiles);
    expect(failed).toHaveLength(batchFiles * 2);
    expect(failed[0]?.reason).toContain('more than 300 s');
  });

  it('parses in the process as it would anywhere', async () => {
    const text = 'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n';
    const { parsed } = await parse(new InProcessParser(new FakeClock()), [source('a', 0, text)]);
    expect(parsed[0]?.documents[0]?.name).toBe('a');
  });
});

async function parse(
  parser: Pick<PolicyParserPort, 'batchesAtOnce' | 'parse'>,
  files: readonly PolicyFileSource[],
  clock = new FakeClock(),
): Promise<{ parsed: PolicyFile[]; failed: readonly FailedFile<PolicyFileSource>[] }> {
  const parsed: PolicyFile[] = [];
  const failed = await parseFiles(files, {
    parse: (batch) => parser.parse(batch),
    batchesAtOnce: parser.batchesAtOnce,
    clock,
    onParsed: (file) => parsed.push(file),
  });
  return { parsed, failed };
}

function source(file: string, bytes: number, text = ' '.repeat(bytes)): PolicyFileSource {
  return { file, bytes: new TextEncoder().encode(text) };
}
