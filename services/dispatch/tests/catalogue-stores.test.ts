import { expect, test } from '@jest/globals'
import type { CarrierTemplate } from '@notify/carriers/sending'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { many } from '@notify/test-kit/database'
import {
  applyTemplateReport,
  forgetAccount,
  listTemplateRows,
  planSyncs,
  postponeSync,
  requestSync,
  type TemplatePosition,
} from '../src/catalogue/carrier-templates/carrier-template-store.ts'
import { claimSyncs, type DueSync } from '../src/catalogue/carrier-templates/claim-syncs.ts'
import { saveTemplates } from '../src/catalogue/carrier-templates/save-templates.ts'
import {
  claimPurges,
  type ProviderValues,
  purgeProvider,
  upsertProvider,
} from '../src/catalogue/providers/provider-store.ts'
import { recipientId, sealRecipient } from '../src/catalogue/recipients/recipient-content.ts'
import { createRecipientDirectory } from '../src/catalogue/recipients/recipient-directory.ts'
import { saveRecipient } from '../src/catalogue/recipients/recipient-store.ts'
import { build } from '../src/db/schema.ts'
import { db } from './own-schema.ts'

const kind = 'pigeon'

/** Inserts a provider whose templates are due to be read. */
async function connect(fields: Partial<ProviderValues> = {}) {
  const row = await upsertProvider(db.run, {
    ...{ id: newId('prov'), tenant_id: newId('ten'), application_id: null, channel: 'whatsapp', kind, name: 'Pigeon' },
    ...{
      priority: 1,
      weight: 100,
      rate_limit_per_second: null,
      revision: 1,
      credentials: Buffer.from('{}'),
      account_id: null,
    },
    ...{ updated_by: null, subscription_id: null, credentialsChanged: true, isDeleted: false },
    ...fields,
  })
  await planSyncs(db.run, [kind])
  return row
}

const template = (name: string, language: string): CarrierTemplate => ({
  ...{ name, language, status: 'approved', category: 'utility', quality: null, content: null },
})

async function claimOf(id: string) {
  return (await claimSyncs(db.run, 100, 60_000)).find(({ provider_id }) => provider_id === id)!
}

test('templates of an account are saved again without comparing each with each', async () => {
  const { id, tenant_id } = await connect()
  // So many comparisons would take longer than even a long statement may.
  const templates = Array.from({ length: many }, (_, at) => template(`template ${at}`, 'de'))
  const due = await claimOf(id)
  const later = { ...due, started_at: new Date(due.started_at.getTime() + 1) }
  await saveTemplates(db.runLong, due, templates, 60_000)
  await saveTemplates(db.runLong, later, templates.slice(1), 60_000)
  const rows = await listTemplateRows(db.runLong, tenant_id, { after: undefined, limit: many })
  expect(rows).toHaveLength(templates.length - 1)
})

test('templates of an account that is deleted while they are read or saved are not stored', async () => {
  const { id, tenant_id } = await connect()
  const due = await claimOf(id)
  const save = () => saveTemplates(db.run, due, [template('a', 'de')], 60_000)
  const forgotten = Promise.withResolvers<void>()
  const waited = Promise.withResolvers<void>()
  const deleting = db.transaction(async (run) => {
    await forgetAccount(run, id)
    forgotten.resolve()
    await waited.promise
  })
  await forgotten.promise
  const saving = save()
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%carrier_template_syncs%'`
  await eventually(async () => expect(await db.run(waiting)).toHaveLength(1))
  waited.resolve()
  await Promise.all([deleting, saving])
  await save()
  expect(await listTemplateRows(db.run, tenant_id, { after: undefined, limit: 1 })).toEqual([])
})

test('pages of templates follow each other by provider, name and language', async () => {
  const { id, tenant_id } = await connect()
  const templates = [template('b', 'de'), template('a', 'en'), template('a', 'de'), template('c', 'de')]
  await saveTemplates(db.run, await claimOf(id), templates, 60_000)
  const seen: string[] = []
  let after: TemplatePosition | undefined
  do {
    const [row] = await listTemplateRows(db.run, tenant_id, { after, limit: 1 })
    if (row) seen.push(`${row.name} ${row.language}`)
    after = row && [row.provider_id, row.name, row.language]
  } while (after)
  expect(seen).toEqual(['a de', 'a en', 'b de', 'c de'])
})

test('a report changes only the fields that it names, and an older one changes nothing', async () => {
  const { id, tenant_id } = await connect()
  await saveTemplates(db.run, await claimOf(id), [template('a', 'en')], 60_000)
  const report = { provider_id: id, tenant_id, channel: 'whatsapp' as const, name: 'a', language: 'en' }
  await applyTemplateReport(db.run, {
    ...report,
    status: 'paused',
    received_at: new Date(Date.now() + 1000).toISOString(),
  })
  await applyTemplateReport(db.run, { ...report, category: 'marketing', received_at: new Date(0).toISOString() })
  const [row] = await listTemplateRows(db.run, tenant_id, { after: undefined, limit: 2 })
  expect(row).toMatchObject({ status: 'paused', category: 'utility', quality: null, content: null })
})

test('a report of a status causes a synchronisation soon, because it may repeat an older one; a report of a category does not', async () => {
  const { id, tenant_id } = await connect()
  await saveTemplates(db.run, await claimOf(id), [template('a', 'en')], 60_000)
  const received_at = new Date(Date.now() + 1000).toISOString()
  const report = { provider_id: id, tenant_id, channel: 'whatsapp' as const, name: 'a', language: 'en', received_at }
  const isSoon = `select next_sync_at < now() + interval '10 seconds' as soon from carrier_template_syncs where provider_id = $1`
  await applyTemplateReport(db.run, { ...report, category: 'marketing' })
  expect(await db.run(isSoon, [id])).toEqual([{ soon: false }])
  await applyTemplateReport(db.run, { ...report, status: 'paused' })
  expect(await db.run(isSoon, [id])).toEqual([{ soon: true }])
  await applyTemplateReport(db.run, { ...report, name: 'unknown', status: 'paused' })
  expect(await claimOf(id)).toBeDefined()
})

test('an account whose templates are asked for while they are read is read again', async () => {
  const { id, tenant_id } = await connect()
  for (const end of [
    (due: DueSync) => saveTemplates(db.run, due, [], 60_000),
    (due: DueSync) => postponeSync(db.run, due, 'no answer', 60_000),
  ]) {
    const due = await claimOf(id)
    expect(await requestSync(db.run, tenant_id)).toBe(1)
    await end(due)
  }
  await saveTemplates(db.run, await claimOf(id), [], 60_000)
  expect(await claimOf(id)).toBeUndefined()
})

test('a reading that failed is repeated after 5 s, then 10 s, and at the latest after the longest wait', async () => {
  const { id } = await connect()
  const waitOf = async (longestMs: number, failuresBefore?: number) => {
    await db.run(
      'update carrier_template_syncs set next_sync_at = now(), failures = coalesce($2, failures) where provider_id = $1',
      [id, failuresBefore],
    )
    const due = await claimOf(id)
    // Within a transaction now() stands still.
    return db.transaction(async (run) => {
      await postponeSync(run, due, 'no answer', longestMs)
      const [row] = await run<{ failures: number; seconds: number; error: string }>(
        `select failures, round(extract(epoch from next_sync_at - now()))::int as seconds, error
         from carrier_template_syncs where provider_id = $1`,
        [id],
      )
      return [row!.failures, row!.seconds, row!.error]
    })
  }
  expect(await waitOf(60_000)).toEqual([1, 5, 'no answer'])
  expect(await waitOf(60_000)).toEqual([2, 10, 'no answer'])
  expect(await waitOf(8000)).toEqual([3, 8, 'no answer'])
  expect(await waitOf(60_000, 32_767)).toEqual([10, 60, 'no answer'])
})

test('a deleted provider is purged once, after its retention, and gives its account free', async () => {
  const { id } = await connect({ account_id: 'loft', isDeleted: true })
  const claim = (deletedForMs: number) =>
    db.transaction(async (run) => (await claimPurges(run, deletedForMs, 100)).filter((row) => row.id === id))
  expect(await claim(60_000)).toEqual([])
  expect(await claim(-60_000)).toMatchObject([{ id, kind, revision: 1 }])
  await purgeProvider(db.run, id, Buffer.from('none'))
  expect(await claim(-60_000)).toEqual([])
  const [row] = await db.run(build.selectFrom('providers').selectAll().where('id', '=', id))
  expect(row).toMatchObject({ revision: 2, account_id: null, credentials: Buffer.from('none') })
})

test('a user whose data cannot be decrypted fails alone: those of other tenants, looked up at the same moment, are found', async () => {
  const ringOf = (id: string, fill: number) => parseKeyRing(`${id}:${Buffer.alloc(32, fill).toString('base64')}`)
  const known = ringOf('known', 1)
  const save = async (user_id: string, keyRing = known) => {
    const { tenant_id, application_id, mode } = newKeyPrincipal()
    const [owner, index] = [{ tenant_id, application_id, mode }, `index of ${user_id}`]
    const id = recipientId(owner, index)
    const content = sealRecipient(keyRing, { user_id }, tenant_id, id)
    const none = { email_index: null, phone_index: null, has_quiet_hours: false }
    await saveRecipient(db.run, { id, ...owner, user_index: index, ...none, content })
    return id
  }
  const ids = [await save('ada'), await save('bob', ringOf('lost', 2)), await save('eve'), 'unknown']
  const found = await Promise.allSettled(ids.map(createRecipientDirectory(db, known).find))
  expect(found).toEqual([
    { status: 'fulfilled', value: { user_id: 'ada' } },
    { status: 'rejected', reason: expect.any(Error) },
    { status: 'fulfilled', value: { user_id: 'eve' } },
    { status: 'fulfilled', value: undefined },
  ])
})
