import { type ApplicationChange, type Id, OtpSettings } from '@notify/contracts'
import { prepared, type Queries } from '@notify/database'
import { type Insertable, sql } from 'kysely'
import { z } from 'zod'
import { build, type Tables } from '../db/schema.ts'

/** What otp keeps of an application. */
export const ApplicationSettings = OtpSettings.extend({
  default_locale: z.string().optional(),
  default_time_zone: z.string().optional(),
})
export type ApplicationSettings = z.output<typeof ApplicationSettings>

type NewSettings = Required<Omit<Insertable<Tables['applications']>, 'updated_at'>>

const save = prepared('save-settings', ({ id, tenant_id, revision, settings }: NewSettings) =>
  build
    .insertInto('applications')
    .values({ id, tenant_id, revision, settings })
    .onConflict((known) =>
      known
        .column('id')
        .doUpdateSet(({ ref }) => ({
          revision: ref('excluded.revision'),
          settings: ref('excluded.settings'),
          updated_at: sql<Date>`now()`,
        }))
        .whereRef('applications.revision', '<', 'excluded.revision'),
    ),
)

/** Stores the settings of an application, unless a later revision is known. */
export async function saveSettings({ run }: Queries, change: ApplicationChange): Promise<void> {
  const { application_id: id, tenant_id, revision, otp } = change
  const { default_locale, default_time_zone } = change
  const settings: ApplicationSettings = {
    ...otp,
    ...(default_locale ? { default_locale } : {}),
    ...(default_time_zone ? { default_time_zone } : {}),
  }
  await run(save({ id, tenant_id, revision, settings: JSON.stringify(settings) }))
}

const find = prepared('find-settings', ({ id }: { id: Id<'app'> }) =>
  build.selectFrom('applications').select('settings').where('id', '=', id),
)

/** The settings of an application; empty until the gateway has published it. */
export async function findSettings({ run }: Queries, id: Id<'app'>): Promise<ApplicationSettings> {
  const [row] = await run(find({ id }))
  return ApplicationSettings.parse(row?.settings ?? {})
}
