import type { ApplicationChange, Id } from '@notify/contracts'
import { anyOf, prepared, type Queries, type Run } from '@notify/database'
import { type Insertable, sql } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

const now = sql<Date>`now()`

type NewApplication = Required<Omit<Insertable<Tables['applications']>, 'updated_at' | 'moved_to'>>

const save = prepared('save-application', ({ id, tenant_id, revision, allowed_origins, status }: NewApplication) =>
  build
    .insertInto('applications')
    .values({ id, tenant_id, revision, allowed_origins, status })
    .onConflict((known) =>
      known
        .column('id')
        .doUpdateSet(({ ref }) => ({
          revision: ref('excluded.revision'),
          allowed_origins: ref('excluded.allowed_origins'),
          status: ref('excluded.status'),
          updated_at: now,
        }))
        .whereRef('applications.revision', '<', 'excluded.revision'),
    ),
)

/** Stores a published application, unless a newer revision is known. */
export async function saveApplication({ run }: Queries, change: ApplicationChange): Promise<void> {
  const { application_id: id, tenant_id, revision, allowed_origins, status } = change
  await run(save({ id, tenant_id, revision, allowed_origins, status }))
}

/** Stores an application of the bootstrap document, which has no revision: any published one takes precedence. */
export async function saveFirst(
  run: Run,
  {
    application_id: id,
    tenant_id,
    allowed_origins,
  }: Pick<ApplicationChange, 'application_id' | 'tenant_id' | 'allowed_origins'>,
): Promise<void> {
  await run(
    build
      .insertInto('applications')
      .values({ id, tenant_id, revision: 0, allowed_origins, status: 'active' })
      .onConflict((known) =>
        known.column('id').doUpdateSet({ allowed_origins, updated_at: now }).where('applications.revision', '=', 0),
      ),
  )
}

export interface ApplicationAccess {
  isRevoked: boolean
  /** The cell that serves the tenant, if it is another one. */
  movedTo: string | null
  allowedOrigins: ReadonlySet<string>
}

const find = prepared('find-application', ({ id }: { id: Id<'app'> }) =>
  build.selectFrom('applications').select(['status', 'moved_to', 'allowed_origins']).where('id', '=', id),
)

/** What the users of an application may do; an unknown application is open, because only known ones get tokens. */
export async function findAccess({ run }: Queries, id: Id<'app'>): Promise<ApplicationAccess> {
  const [row] = await run(find({ id }))
  return {
    isRevoked: row?.status === 'revoked',
    movedTo: row?.moved_to ?? null,
    allowedOrigins: new Set(row?.allowed_origins ?? []),
  }
}

const revoked = prepared('list-revoked', ({ ids }: { ids: readonly Id<'app'>[] }) =>
  build.selectFrom('applications').select('id').where('id', '=', anyOf(ids)).where('status', '=', 'revoked'),
)

/** Which of these applications are revoked. */
export async function listRevoked({ run }: Queries, ids: readonly Id<'app'>[]): Promise<Id<'app'>[]> {
  return (await run(revoked({ ids }))).map(({ id }) => id)
}

const findOrigin = prepared('find-origin', ({ origin }: { origin: string }) =>
  build
    .selectFrom('applications')
    .select('id')
    .where(sql<boolean>`allowed_origins @> array[${origin}]`)
    .where('status', '=', sql.lit('active'))
    .limit(1),
)

/** Whether any application lists this origin. */
export async function isListed({ run }: Queries, origin: string): Promise<boolean> {
  return (await run(findOrigin({ origin }))).length > 0
}
