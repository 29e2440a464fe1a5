import { type ApplicationChange, OtpSettings } from '@notify/contracts'
import type { Queries, Statement } from '@notify/database'

const save: Statement = {
  name: 'save-settings',
  text: `insert into applications (id, tenant_id, revision, settings) values ($1, $2, $3, $4)
         on conflict (id) do update set revision = excluded.revision, settings = excluded.settings, updated_at = now()
         where applications.revision < excluded.revision`,
}

/** Keeps the settings of an application, unless a later revision is known. */
export async function saveSettings({ run }: Queries, change: ApplicationChange): Promise<void> {
  const { application_id, tenant_id, revision, otp } = change
  await run(save, [application_id, tenant_id, revision, JSON.stringify(otp)])
}

const find: Statement = { name: 'find-settings', text: 'select settings from applications where id = $1' }

/** The settings of an application; none for one that the gateway has not published yet. */
export async function findSettings({ run }: Queries, applicationId: string): Promise<OtpSettings> {
  const [row] = await run<{ settings: unknown }>(find, [applicationId])
  return OtpSettings.parse(row?.settings ?? {})
}
