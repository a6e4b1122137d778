import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { maximumPageSize, type Page } from '../../admin/requests/page.ts';

/** Where a page stands in its list. Pages go one way, so there is never a previous page to ask for. */
export interface PagePlace {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** Relay's page information. */
@ObjectType({ description: 'Where a page ends.' })
export class PageInfo implements PagePlace {
  @Field(() => Boolean, { description: 'Whether there is more after endCursor.' })
  declare hasNextPage: boolean;

  @Field(() => Boolean, { description: 'Always false: pages are read forward.' })
  declare hasPreviousPage: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the first item; null: the page is empty.',
  })
  declare startCursor: string | null;

  @Field(() => String, { nullable: true, description: 'Give it as `after` to read on.' })
  declare endCursor: string | null;
}

/** `first` and `after` of every list. */
@ArgsType()
export class PageArguments {
  @Field(() => Int, { defaultValue: 20, description: `Page size, 1 to ${maximumPageSize}.` })
  declare first: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The endCursor of the page before. It is a place in the order of the list, which no filter changes: with other filters the page begins behind the same place.',
  })
  declare after?: string | null;
}

/** One item of a page and its cursor. */
export interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

/** A page of a list, in Relay's form. */
export interface Connection<T> {
  readonly edges: readonly Edge<T>[];
  readonly pageInfo: PagePlace;
}

/** Makes the connection type of a node type: `Decision` → `DecisionConnection` of `DecisionEdge`. */
export function connectionOf<T>(node: Type<T>, name: string): Type<Connection<T>> {
  @ObjectType(`${name}Edge`, { description: 'An item of a page, and its place in the list.' })
  class EdgeType implements Edge<T> {
    @Field(() => String, { description: 'Give it as `after` for the page that begins behind this item.' })
    declare cursor: string;

    @Field(() => node, { description: 'The item itself.' })
    declare node: T;
  }

  @ObjectType(`${name}Connection`, { description: 'A page of a list; read on with `first` and `after`.' })
  class ConnectionType implements Connection<T> {
    @Field(() => [EdgeType], {
      description: 'The items of the page, in the order of the list, each with its cursor.',
    })
    declare edges: EdgeType[];

    @Field(() => PageInfo, { description: 'Whether there is more, and where to go on.' })
    declare pageInfo: PageInfo;
  }
  return ConnectionType;
}

/** A page of the application layer as a connection of its GraphQL forms. */
export function pageConnection<T, N>(page: Page<T>, form: (item: T) => N): Connection<N> {
  const edges = page.items.map(({ item, cursor }) => ({ cursor, node: form(item) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: page.hasMore,
      hasPreviousPage: false,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
