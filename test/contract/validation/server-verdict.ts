import type { ApiClient } from '../../control-plane/api-client.ts';

/** What the server made of a document. */
export interface ServerVerdict {
  readonly isAccepted: boolean;
  /** Whether it got as far as validation, which reports every field; decoding ends at the first wrong type. */
  readonly isComplete: boolean;
  /** The object as the server answers it, where it accepted. */
  readonly object: unknown;
  readonly message: string;
  /** The fields that it refuses, as it writes them: `spec.metrics[0].type`; a wrong type's without indexes. */
  readonly fields: readonly string[];
}

/** An API server that has every gate that a document may need, and for which namespaces need not exist. */
export const validationArguments = {
  'kube-apiserver': [
    '--feature-gates=HPAScaleToZero=true',
    '--disable-admission-plugins=ServiceAccount,NamespaceLifecycle',
  ],
} as const;

/** Requests at once: the API server answers dry runs faster in parallel. */
const parallel = 8;
const unprocessable = 422;

/** Asks the API server what it would make of a document: create, dry run, strict field validation. */
export async function judge(
  api: ApiClient,
  resource: string,
  document: Readonly<Record<string, unknown>>,
): Promise<ServerVerdict> {
  const metadata = document['metadata'] as { readonly namespace?: unknown } | null | undefined;
  const own = metadata?.namespace;
  const namespace = encodeURIComponent(typeof own === 'string' && own !== '' ? own.toWellFormed() : 'shop');
  const path = `/apis/${String(document['apiVersion'])}/namespaces/${namespace}/${resource}?dryRun=All&fieldValidation=Strict`;
  const { status, body } = await api({ method: 'POST', path, body: document });
  const answer = (body ?? {}) as ServerStatus;
  const isAccepted = status === 201;
  return {
    isAccepted,
    isComplete: status === unprocessable,
    object: body,
    message: isAccepted ? '' : (answer.message ?? ''),
    fields: isAccepted ? [] : refusedFields(answer),
  };
}

interface ServerStatus {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

function refusedFields({ message = '', details }: ServerStatus): readonly string[] {
  const causes = (details?.causes ?? []).flatMap(({ field = '', message: cause = '' }) =>
    field === '' || field === '<nil>' ? matches(cause, / in (spec\S*)$/g) : [field],
  );
  return [
    ...causes,
    ...matches(message, /unknown field "((?:[^"\\]|\\.)+)"/g).map(unescaped),
    ...matches(message, /Go struct field \w+\.(\S+) of type/g),
    ...(/Go value of type v1\.ObjectMeta/.test(message) ? ['metadata'] : []),
  ];
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, field = '']) => field);
}

/** Go quotes a field's name for kinds of its own, and not a custom resource's. */
function unescaped(field: string): string {
  try {
    return String(JSON.parse(`"${field.replaceAll(String.raw`\x`, String.raw`\u00`)}"`));
  } catch {
    return field;
  }
}

/** Works on several items at once. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}
