import { Field, Int, ObjectType } from '@nestjs/graphql';

/** A checkpoint that was made. */
@ObjectType({ description: 'The newest checkpoint. Counts are texts, since they may be larger than an Int.' })
export class SealedCheckpoint {
  @Field(() => String, { description: 'Which checkpoint it is, counted from 1.' })
  declare number: string;

  @Field(() => String, { description: 'When it was made, RFC 3339.' })
  declare time: string;

  @Field(() => String, { description: 'Streams, the leaves of its tree.' })
  declare streams: string;

  @Field(() => String, { description: 'How many entries of the ledger it covers.' })
  declare entries: string;

  @Field(() => String, { description: 'Root of the tree, in hex.' })
  declare root: string;

  @Field(() => String, { description: 'The signed note, whole: keep it outside to verify the ledger by.' })
  declare note: string;
}

/** A place outside of the database that checkpoints are sent to. */
@ObjectType({ description: 'A place outside of the database that checkpoints are sent to.' })
export class CheckpointSinkState {
  @Field(() => String, { description: 'The file, address or Git ref that gets them.' })
  declare sink: string;

  @Field(() => Int, { description: 'Notes that are not delivered yet.' })
  declare waiting: number;

  @Field(() => Int, { description: 'Notes that were dropped; a later one covers what they cover.' })
  declare dropped: number;

  @Field(() => String, { nullable: true, description: 'RFC 3339; null: it works.' })
  declare failingSince: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'When it last took a note, RFC 3339; null: not since this process has started.',
  })
  declare deliveredAt: string | null;
}

/** How far the ledger is sealed. */
@ObjectType({ description: 'How far the ledger is sealed by signed checkpoints, and where they are.' })
export class LedgerSeal {
  @Field(() => SealedCheckpoint, { nullable: true, description: 'null: none was made yet.' })
  declare last: SealedCheckpoint | null;

  @Field(() => String, {
    nullable: true,
    description: 'Since when none can be made, RFC 3339; null: they can.',
  })
  declare failingSince: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The public key that signs, base64 of its 32 bytes: compare it with one from elsewhere. null: this process has not opened it.',
  })
  declare publicKey: string | null;

  @Field(() => [CheckpointSinkState], { description: 'Where checkpoints are sent to, and how that goes.' })
  declare sinks: readonly CheckpointSinkState[];
}
