import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { FindAccounts, Received, ReceivingAccount } from '../receiver.ts'
import { openStatus } from './status.ts'

const accountSid = `AC${'0'.repeat(32)}`

const publicUrl = 'https://api.example.com'
const [notification_id, attempt_id] = [newId('notif'), newId('att')]
const account: ReceivingAccount = {
  id: newId('prov'),
  tenantId: newId('ten'),
  secret: 'token-of-the-account',
  sender: null,
  topicArns: [],
}
const twin: ReceivingAccount = { ...account, id: newId('prov'), tenantId: newId('ten') }

/** Receives a status callback that the account signed. */
async function receive(status: object, accounts = [account], named = account, find?: FindAccounts): Promise<Received> {
  const fields: Record<string, string> = { AccountSid: accountSid, MessageSid: 'SM1', ...status }
  const query = new URLSearchParams({ notification_id, attempt_id, provider_id: named.id })
  const url = `/api/v1/callbacks/smsprovider/sms?${query}`
  const text = Object.keys(fields)
    .sort()
    .reduce((sum, name) => sum + name + fields[name], publicUrl + url)
  const signature = createHmac('sha1', 'token-of-the-account').update(text).digest('base64')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  const claim = openStatus(
    { publicUrl },
    { url, headers, params: {}, body: Buffer.from(new URLSearchParams(fields).toString()) },
  )
  expect(claim.of).toEqual({ accountId: accountSid, addressId: named.id })
  return claim.receive(accounts, find)
}

test.each<[object, object]>([
  [{ MessageStatus: 'delivered' }, { status: 'delivered', error_code: null }],
  [
    { MessageStatus: 'undelivered', ErrorCode: '30003' },
    { error_code: '30003', reason: '30003 Unreachable destination handset', retryable: true },
  ],
  [
    { MessageStatus: 'failed', ErrorCode: '30007' },
    { reason: '30007 Message filtered', retryable: false },
  ],
  [{ MessageStatus: 'undelivered' }, { reason: 'The carrier gave no reason', retryable: true }],
  [
    { MessageStatus: 'failed', ErrorCode: '21610' },
    { reason: '21610 The recipient has unsubscribed', retryable: false, suppress: 'stop' },
  ],
])('%j is a receipt that explains itself without a table of codes', async (status, expected) => {
  const { reports, answer } = await receive(status)
  expect(reports).toEqual([
    expect.objectContaining({ type: 'receipt', account, notification_id, attempt_id, ...expected }),
  ])
  expect(answer).toEqual({ status: 'recorded' })
})

test('only a failure has a reason', async () => {
  const { reports } = await receive({ MessageStatus: 'sent', ErrorCode: '30003' })
  expect(reports[0]).not.toHaveProperty('reason')
  expect(reports[0]).not.toHaveProperty('retryable')
})

test('a status without a change of state gives no report', async () => {
  expect(await receive({ MessageStatus: 'queued' })).toEqual({ reports: [], answer: { status: 'ignored' } })
})

test('of accounts that share the token, the one in the URL gets the receipt', async () => {
  const { reports } = await receive({ MessageStatus: 'sent' }, [account, twin], twin)
  expect(reports).toMatchObject([{ account: { id: twin.id } }])
})

/** The provider that gets a receipt for one that is not among the accounts, the first of which is of another tenant. */
async function receiverOf(named: ReceivingAccount): Promise<string | undefined> {
  const { reports } = await receive({ MessageStatus: 'sent' }, [twin, account], named, async () => [named])
  return reports[0]?.account.id
}

test('a receipt of a provider that its tenant has replaced stays with the tenant, also if the token was replaced, too', async () => {
  const replaced = { ...account, id: newId('prov'), accountId: accountSid }
  expect(await receiverOf(replaced)).toBe(replaced.id)
  expect(await receiverOf({ ...replaced, secret: 'token-of-the-past' })).toBe(account.id)
})

test('the id of a provider that did not sign, or of another account, gives its tenant no receipt', async () => {
  const stranger = { ...account, id: newId('prov'), tenantId: newId('ten') }
  expect(await receiverOf({ ...stranger, accountId: accountSid, secret: 'token-of-a-stranger' })).toBe(twin.id)
  expect(await receiverOf({ ...stranger, accountId: `AC${'1'.repeat(32)}` })).toBe(twin.id)
})
