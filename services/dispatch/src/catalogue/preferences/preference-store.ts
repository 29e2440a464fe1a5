import type { Id, KeyMode } from '@notify/contracts'
import { defineStatement, pick, type RowOf, type Run } from '@notify/database'
import { tables } from '../../db/schema.ts'

/** The application and the mode in which choices are made. */
export interface PreferenceOwner {
  tenantId: Id<'ten'>
  applicationId: Id<'app'>
  mode: KeyMode
}

const choiceColumns = pick(
  tables.preferences,
  'recipient_index',
  'topic',
  'channel',
  'state',
  'frequency',
  'source',
  'changed_at',
)
export type ChoiceRow = RowOf<typeof choiceColumns>

const read = defineStatement({
  name: 'read-preferences',
  text: `
    select recipient_index, topic, channel, state, frequency, source, changed_at from preferences
    where recipient_index = any ($1) and application_id = $2 and mode = $3
    order by topic, channel, recipient_index`,
  columns: choiceColumns,
})

/** The choices of a person under several indexes: as a user, and for addresses. */
export function readChoices(
  run: Run,
  { applicationId, mode }: PreferenceOwner,
  indexes: readonly string[],
): Promise<ChoiceRow[]> {
  return run(read, [indexes, applicationId, mode])
}
