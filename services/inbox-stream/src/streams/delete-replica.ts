import type { Queries } from '@notify/database'
import { build } from '../db/schema.ts'

/** Deletes a replica that ends, and its counts. */
export async function deleteReplica({ run }: Queries, replicaId: string): Promise<void> {
  await run(
    build
      .with('closed', () => build.deleteFrom('open_streams').where('replica_id', '=', replicaId))
      .deleteFrom('stream_replicas')
      .where('id', '=', replicaId),
  )
}
