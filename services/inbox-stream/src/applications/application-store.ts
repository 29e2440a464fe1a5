import type { ApplicationChange } from '@notify/contracts'
import type { Queries, Run, Statement } from '@notify/database'

const save: Statement = {
  name: 'save-application',
  text: `insert into applications (id, tenant_id, revision, allowed_origins, status) values ($1, $2, $3, $4, $5)
         on conflict (id) do update set revision = excluded.revision, allowed_origins = excluded.allowed_origins,
           status = excluded.status, updated_at = now()
         where applications.revision < excluded.revision`,
}

/** Stores a published application, unless a newer revision is known. */
export async function saveApplication({ run }: Queries, change: ApplicationChange): Promise<void> {
  const { application_id, tenant_id, revision, allowed_origins, status } = change
  await run(save, [application_id, tenant_id, revision, allowed_origins, status])
}

/** Stores an application of the bootstrap document, which has no revision: any published one takes precedence. */
export async function saveFirst(
  run: Run,
  {
    application_id,
    tenant_id,
    allowed_origins,
  }: Pick<ApplicationChange, 'application_id' | 'tenant_id' | 'allowed_origins'>,
): Promise<void> {
  await run(
    `insert into applications (id, tenant_id, revision, allowed_origins, status) values ($1, $2, 0, $3, 'active')
     on conflict (id) do update set allowed_origins = excluded.allowed_origins, updated_at = now()
     where applications.revision = 0`,
    [application_id, tenant_id, allowed_origins],
  )
}

export interface ApplicationAccess {
  isRevoked: boolean
  allowedOrigins: ReadonlySet<string>
}

/** What the users of an application may do; an unknown application is open, because only known ones get tokens. */
export async function findAccess({ run }: Queries, applicationId: string): Promise<ApplicationAccess> {
  const [row] = await run<{ status: string; allowed_origins: string[] }>(
    { name: 'find-application', text: 'select status, allowed_origins from applications where id = $1' },
    [applicationId],
  )
  return { isRevoked: row?.status === 'revoked', allowedOrigins: new Set(row?.allowed_origins ?? []) }
}

/** Which of these applications are revoked. */
export async function listRevoked({ run }: Queries, applicationIds: readonly string[]): Promise<string[]> {
  const rows = await run<{ id: string }>(
    { name: 'list-revoked', text: `select id from applications where id = any($1) and status = 'revoked'` },
    [applicationIds],
  )
  return rows.map(({ id }) => id)
}

/** Whether any application lists this origin. */
export async function isListed({ run }: Queries, origin: string): Promise<boolean> {
  const rows = await run(
    {
      name: 'find-origin',
      text: `select 1 from applications where allowed_origins @> array[$1] and status = 'active' limit 1`,
    },
    [origin],
  )
  return rows.length > 0
}
