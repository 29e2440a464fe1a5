import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import type { NewNotification } from '../src/accept/accept-item.ts'
import { commitBatch } from '../src/accept/commit-batch.ts'
import { suppressRecipient } from '../src/catalogue/suppressions/suppress-recipient.ts'
import { channels } from '../src/channels/registry.ts'
import { eraseNotifications } from '../src/upkeep/erasure-store.ts'
import { countNotifications } from '../src/upkeep/notifications-of-person.ts'
import { createEndedDeletion } from '../src/upkeep/retention-store.ts'
import { addProviders } from './own-notifications.ts'
import { db } from './own-schema.ts'

const principal = newKeyPrincipal()
const { tenant_id: tenantId } = principal
const providerId = newId('prov')
beforeAll(() => addProviders(db, tenantId, providerId))

/** An email with files, to one person and a copy to another. */
function email(fields: Partial<NewNotification> = {}): NewNotification {
  const copy = { recipient_masked: 'c***@b.example', suppressed: null, mark: `mark-${newId('att')}` }
  return {
    candidate: {
      notificationId: newId('notif'),
      principal,
      request: { channel: 'email', recipient: 'a@b.example', body: 'Hi', priority: 'transactional' },
      traceparent: null,
      isAwaited: () => true,
      idempotency: undefined,
    },
    channel: 'email',
    lane: 'transactional',
    recipientMasked: 'a***@b.example',
    recipientIndex: newId('att'),
    payload: Buffer.from('sealed'),
    copies: [{ field: 'cc', recipient_index: newId('att'), ...copy }],
    files: Buffer.alloc(100_000, 1),
    metadata: undefined,
    sendAt: undefined,
    credits: 0,
    category: null,
    response: '{}',
    ...fields,
  }
}
const idOf = ({ candidate }: NewNotification) => candidate.notificationId
const commit = (...batch: NewNotification[]) => db.withConnection((run) => commitBatch(run, channels, batch))
const parts = async (one: NewNotification) =>
  (
    await db.run<{ files: number; copies: number }>(
      `select (select count(*)::int from attachments where id = $1) as files,
         (select count(*)::int from copies where notification_id = $1) as copies`,
      [idOf(one)],
    )
  )[0]

test('a mail is committed with its copies and files, or with nothing of them', async () => {
  const [one, plain] = [email(), email()]
  delete plain.copies
  delete plain.files
  expect((await commit(one, plain)).size).toBe(0)
  expect([await parts(one), await parts(plain)]).toEqual([
    { files: 1, copies: 1 },
    { files: 0, copies: 0 },
  ])
  // A call that is repeated after a lost answer adds nothing.
  const other = email()
  expect([...(await commit(one, other)).values()]).toEqual(['committed'])
  expect([await parts(one), await parts(other)]).toEqual([
    { files: 1, copies: 1 },
    { files: 1, copies: 1 },
  ])
})

test('changes of state write neither files nor copies again', async () => {
  const one = email()
  await commit(one)
  const place = async () =>
    (await db.run<{ at: string }>('select ctid::text as at from attachments where id = $1', [idOf(one)]))[0]!.at
  const before = await place()
  for (const status of ['sent', 'delivered'])
    await db.run('update notifications set status = $2, updated_at = now() where id = $1', [idOf(one), status])
  expect(await place()).toBe(before)
})

test('files go with the content of a message, whatever erases it', async () => {
  const one = email()
  await commit(one)
  await db.run('update notifications set payload = null where id = $1', [idOf(one)])
  expect(await parts(one)).toEqual({ files: 0, copies: 1 })
})

test('the retention deletes files and copies together with their message', async () => {
  const one = email()
  await commit(one)
  await db.run(`update notifications set status = 'delivered' where id = $1`, [idOf(one)])
  const deleteEnded = createEndedDeletion(db)
  while ((await deleteEnded(new Date(Date.now() + 60_000))).more);
  expect(await parts(one)).toEqual({ files: 0, copies: 0 })
})

test('a person who received a copy is erased with the content, and the recipient stays', async () => {
  const one = email()
  await commit(one)
  const person = { tenantId, index: one.copies![0]!.recipient_index } as Parameters<typeof countNotifications>[1]
  expect([await countNotifications(db, person), await eraseNotifications(db, person)]).toEqual([1, 1])
  expect([await countNotifications(db, person), await parts(one)]).toEqual([0, { files: 0, copies: 0 }])
  const [row] = await db.run<object>(
    'select status, failure_reason, recipient_index, payload from notifications where id = $1',
    [idOf(one)],
  )
  expect(row).toEqual({
    status: 'failed',
    failure_reason: 'recipient_erased',
    recipient_index: one.recipientIndex,
    payload: null,
  })
})

test('a receipt suppresses whom it is about, and only for the tenant whose account signed it', async () => {
  const one = email()
  await commit(one)
  const [copy] = one.copies!
  const receipt = {
    channel: 'email',
    provider_message_id: 'm',
    notification_id: idOf(one),
    attempt_id: newId('att'),
    status: 'undelivered',
    error_code: null,
    suppress: 'bounce',
    copy: copy!.mark,
    received_at: new Date().toISOString(),
  } as const
  const context = { db, log: { info() {} } } as unknown as Parameters<typeof suppressRecipient>[0]
  const suppressed = () =>
    db.run('select recipient_index from suppressions where recipient_index = any($1)', [
      [copy!.recipient_index, one.recipientIndex],
    ])
  await suppressRecipient(context, { ...receipt, provider_id: newId('prov') })
  expect(await suppressed()).toEqual([])
  await suppressRecipient(context, { ...receipt, provider_id: providerId })
  expect(await suppressed()).toEqual([{ recipient_index: copy!.recipient_index }])
})
