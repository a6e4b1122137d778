import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

/** What a cost is computed from. */
export interface QueryCostInput {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
  /** How long lists without a page size are now, by field: `Query.sources`; others count as ten. */
  readonly lengths?: Readonly<Record<string, number>>;
}

/** What an operation costs. */
export interface QueryCost {
  readonly cost: number;
  /** Whether it is the same whatever the variables are, and however long lists are. */
  readonly isOfEveryCall: boolean;
}

/** Lists without a page size: steps, metrics, pods of a metric. Some are longer; the answer's bytes bound those. */
const unpagedLength = 10;

/** Lists of what the schema says of itself: everything at once is what tools ask for, and is asked for once. */
const introspectedLength = 6;

/** The fields of the schema that its root types do not name. */
const metaFields: Readonly<Record<string, string>> = { __schema: '__Schema', __type: '__Type' };

/** What a node of the type costs beside its fields: a decision is read with its complete input. */
const nodeCosts: Readonly<Record<string, number>> = { Decision: 40, AuditEntry: 40 };

/** Fields that cost more than 1. An input holds every pod of its policy: a query has room for a few, and a page does not. */
const fieldCosts: Readonly<Record<string, number>> = {
  'Blame.interventions': 100,
  'Decision.input': 4_000,
  'Decision.blame': 400,
  'Hold.effects': 100,
  'Hold.viewerMayApprove': 100,
  'Policy.chart': 2_000,
  'Policy.effectiveValues': 50,
  'Policy.period': 1_000,
  'Policy.recentReplicas': 10,
  'PolicyVersion.allowedBy': 10,
  'PolicyVersion.effectiveValues': 50,
  'Source.diagnostics': 500,
  'Query.flappingPolicies': 10_000,
  'Query.fleet': 500,
  'Query.leavingPolicies': 1_000,
  'Query.whatIf': 500,
};

/** Arguments with which a field costs more: all policies are looked at for a page of those in a state. */
const argumentCosts: Readonly<Record<string, number>> = { 'Query.policies.states': 2_000 };

/** What is asked beforehand of an action may be what it would do to every policy. */
const actionCost = 1_000;

/**
 * What a query may cost at most: each field is 1, a page multiplies what is asked of its nodes by its size, and nothing
 * is executed to know it. The costliest operation of the document counts. Each fragment is looked at once per type, so
 * that the time is linear in the document.
 */
export function queryCost(input: QueryCostInput): QueryCost {
  let isOfEveryCall = true;
  const costs = input.document.definitions
    .filter(
      (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
    )
    .map((operation) => {
      const walk = new CostWalk({ ...input, variables: { ...defaultsOf(operation), ...input.variables } });
      const root = input.schema.getRootType(operation.operation) ?? undefined;
      const cost = walk.selection(operation.selectionSet, root);
      if (!walk.isOfEveryCall) isOfEveryCall = false;
      return cost;
    });
  return { cost: Math.max(0, ...costs), isOfEveryCall };
}

/** The variables that stand in for those that are not given. */
function defaultsOf({
  variableDefinitions = [],
}: OperationDefinitionNode): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, numberIn(defaultValue)]],
    ),
  );
}

class CostWalk {
  readonly #input: QueryCostInput;
  readonly #fragments = new Map<string, number>();
  #isOfEveryCall = true;

  constructor(input: QueryCostInput) {
    this.#input = input;
  }

  /** Neither variables nor the lengths of lists made a difference so far. */
  get isOfEveryCall(): boolean {
    return this.#isOfEveryCall;
  }

  /** A node of an abstract type has one type: of what is asked of each, the costliest counts. */
  selection(set: SelectionSetNode | undefined, parent: GraphQLNamedType | undefined): number {
    let common = 0;
    const ofTypes = new Map<string, number>();
    for (const selection of set?.selections ?? []) {
      const cost = this.#cost(selection, parent);
      const type = isAbstractType(parent) ? this.#conditionOf(selection) : undefined;
      if (type === undefined || isAbstractType(this.#typeOf(type, undefined))) common += cost;
      else ofTypes.set(type, (ofTypes.get(type) ?? 0) + cost);
    }
    return common + Math.max(0, ...ofTypes.values());
  }

  #cost(selection: SelectionNode, parent: GraphQLNamedType | undefined): number {
    if (selection.kind === Kind.FIELD) return this.#field(selection, parent);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#fragment(selection.name.value);
    return this.selection(selection.selectionSet, this.#typeOf(selection.typeCondition?.name.value, parent));
  }

  /** The type that a fragment is about. */
  #conditionOf(selection: SelectionNode): string | undefined {
    if (selection.kind === Kind.FIELD) return undefined;
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.typeCondition?.name.value;
    return this.#definitionOf(selection.name.value)?.typeCondition.name.value;
  }

  #definitionOf(name: string): FragmentDefinitionNode | undefined {
    return this.#input.document.definitions.find(
      (definition): definition is FragmentDefinitionNode =>
        definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
    );
  }

  #fragment(name: string): number {
    const known = this.#fragments.get(name);
    if (known !== undefined) return known;
    // A fragment that spreads itself is refused by validation; here it would cost nothing more.
    this.#fragments.set(name, 0);
    const fragment = this.#definitionOf(name);
    if (fragment === undefined) return 0;
    const cost = this.selection(
      fragment.selectionSet,
      this.#typeOf(fragment.typeCondition.name.value, undefined),
    );
    this.#fragments.set(name, cost);
    return cost;
  }

  #field(node: FieldNode, parent: GraphQLNamedType | undefined): number {
    const name = node.name.value;
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    const type = field === undefined ? this.#typeOf(metaFields[name], undefined) : getNamedType(field.type);
    const own = ownCost(node, parent);
    const perNode = (nodeCosts[type?.name ?? ''] ?? 0) + this.selection(node.selectionSet, type);
    return own + this.#nodes(node, { field, parent }) * perNode;
  }

  /** A connection's edges are counted where its page size stands. */
  #nodes(node: FieldNode, { field, parent }: FieldPlace): number {
    const first = field?.args.find((argument) => argument.name === 'first');
    if (first !== undefined) {
      const given = node.arguments?.find((argument) => argument.name.value === 'first');
      return this.#number(given, Number(first.defaultValue ?? 1));
    }
    if (field === undefined || isPage(parent) || !isListType(getNullableType(field.type))) return 1;
    return this.#unpaged(`${parent?.name ?? ''}.${node.name.value}`, parent);
  }

  #unpaged(name: string, parent: GraphQLNamedType | undefined): number {
    const length = this.#input.lengths?.[name];
    if (length !== undefined) this.#isOfEveryCall = false;
    if (length !== undefined) return length;
    return parent !== undefined && isIntrospectionType(parent) ? introspectedLength : unpagedLength;
  }

  /** What is no number is refused later; until then it costs as if it were the default. */
  #number(argument: ArgumentNode | undefined, fallback: number): number {
    if (argument === undefined) return fallback;
    const { value } = argument;
    if (value.kind === Kind.VARIABLE) this.#isOfEveryCall = false;
    const given = value.kind === Kind.VARIABLE ? this.#input.variables[value.name.value] : numberIn(value);
    return typeof given === 'number' && given > 0 ? given : fallback;
  }

  #typeOf(name: string | undefined, otherwise: GraphQLNamedType | undefined): GraphQLNamedType | undefined {
    return name === undefined ? otherwise : this.#input.schema.getType(name);
  }
}

function ownCost({ name, arguments: given = [] }: FieldNode, parent: GraphQLNamedType | undefined): number {
  const field = `${parent?.name ?? ''}.${name.value}`;
  const plain = parent?.name === 'Mutation' && name.value !== '__typename' ? actionCost : 1;
  return given.reduce(
    (cost, argument) => cost + (argumentCosts[`${field}.${argument.name.value}`] ?? 0),
    fieldCosts[field] ?? plain,
  );
}

/** Its lists are counted where the page size stands. */
function isPage(type: GraphQLNamedType | undefined): boolean {
  return type?.name === 'DecisionsAround' || type?.name.endsWith('Connection') === true;
}

interface FieldPlace {
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly parent: GraphQLNamedType | undefined;
}

function numberIn(value: ValueNode): number | undefined {
  return value.kind === Kind.INT ? Number(value.value) : undefined;
}
