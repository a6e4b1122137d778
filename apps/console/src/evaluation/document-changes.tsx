import type { ReactElement } from 'react';
import { isJsonObject, type Json } from '#kernel';
import { compareDocuments } from '#policy';
import { FieldChanges } from '../components/facts/field-changes.tsx';
import { CodeBlock } from '../components/frames/code-block.tsx';
import { entry as texts } from '../messages/entry.ts';

/** What changed in a policy's document; the whole of it where it came or left. Loaded when it is needed. */
export default function DocumentChanges({ before, after }: DocumentChangesProps): ReactElement {
  if (isJsonObject(after) && isJsonObject(before))
    return <FieldChanges of={compareDocuments(before, after)} />;
  return (
    <>
      <p>{isJsonObject(after) ? texts.came : texts.left}</p>
      <CodeBlock
        title={texts.document}
        text={JSON.stringify(isJsonObject(after) ? after : before, null, 2)}
      />
    </>
  );
}

interface DocumentChangesProps {
  readonly before: Json;
  readonly after: Json;
}
