import { expect, test } from '@jest/globals'
import { mostImportedPreferences, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { countRowsRead, many } from '@notify/test-kit/database'
import { changeChoices, type NewChoice } from '../src/catalogue/preferences/change-choices.ts'
import { createFrequencyDirectory } from '../src/catalogue/preferences/frequency-directory.ts'
import { findRecipientsOf, saveRecipient } from '../src/catalogue/recipients/recipient-store.ts'
import { db } from './own-schema.ts'

const tables = ['preferences', 'preference_changes', 'recipients']
const owner = { tenantId: newId('ten'), applicationId: newId('app'), mode: 'live' as const }
const asked = { ...owner, topic: 'news', channel: 'email' as const, indexes: ['index 1', 'index 2'] }
const origin = { source: 'import', actor: null } as const

const choicesOf = (count: number, fields: Pick<NewChoice, 'state'>): NewChoice[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: newId('pref'), recipient_index: `index ${at}`, topic: 'news', channel: 'email' as const },
    ...fields,
  }))
const change = (choices: NewChoice[]) => db.transaction((run) => changeChoices(run, owner, choices, origin))

test('a choice does not read those of others, nor an import all of them for each of its rules', async () => {
  await change(choicesOf(1, { state: 'off' }))
  await createFrequencyDirectory(db).find(asked)
  await db.runLong(
    `insert into preferences (tenant_id, application_id, mode, recipient_index, topic, channel, state, source, changed_at)
     select $1, $2, 'live', 'index of another ' || i, 'news', 'email', 'off', 'import', now() from generate_series(1, $3::int) as i`,
    [owner.tenantId, owner.applicationId, many],
  )
  const one = await countRowsRead(db, tables, ({ run }) =>
    changeChoices(run, owner, choicesOf(1, { state: 'on' }), origin),
  )
  expect(one).toBeLessThan(20)
  for (const state of ['off', 'on', null]) {
    const all = choicesOf(mostImportedPreferences, { state: state as NewChoice['state'] })
    const read = await countRowsRead(db, tables, ({ run }) => changeChoices(run, owner, all, origin))
    expect(read).toBeLessThan(10 * mostImportedPreferences)
  }
})

test('an import compares no rule with all others', async () => {
  // So many, compared each with each, would take longer than even a long statement may.
  for (const state of ['off', 'on', 'off'] as const) {
    const choices = choicesOf(20 * mostImportedPreferences, { state })
    expect(await changeChoices(db.runLong, owner, choices, origin)).toHaveLength(choices.length)
  }
})

test('how often somebody wants messages is read without the choices of others', async () => {
  const read = await countRowsRead(db, tables, (on) => createFrequencyDirectory(on).find(asked))
  expect(read).toBeLessThan(20)
})

test('the users of a name are found without those of others', async () => {
  const { tenantId: tenant_id, applicationId: application_id, mode } = owner
  const names = { user_index: 'user', email_index: 'email', phone_index: 'phone' }
  const user = { ...{ tenant_id, application_id, mode }, content: Buffer.from('sealed'), has_quiet_hours: false }
  await saveRecipient(db.run, { id: 'all', ...user, ...names })
  await saveRecipient(db.run, { id: 'shared', ...user, ...names, user_index: 'another user' })
  const find = (index: string) => (on: Queries) => findRecipientsOf(on.run, { ...owner, index })
  const idsOf = async (index: string) => (await find(index)(db)).map(({ id }) => id)
  expect([await idsOf('user'), await idsOf('email'), await idsOf('phone')]).toEqual([
    ['all'],
    ['all', 'shared'],
    ['all', 'shared'],
  ])
  await db.runLong(
    `insert into recipients (id, tenant_id, application_id, mode, user_index, email_index, phone_index, content, has_quiet_hours)
     select 'other ' || i, 'ten_1', 'app_1', 'live', 'user ' || i, 'email ' || i, 'phone ' || i, '', false
     from generate_series(1, $1::int) as i`,
    [many],
  )
  for (const index of Object.values(names)) expect(await countRowsRead(db, tables, find(index))).toBeLessThan(10)
})
