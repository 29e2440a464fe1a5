import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { cloudCallback, newId, sharedCloudCallback } from '@notify/contracts'
import type { FindAccounts, ReceivingAccount } from '../receiver.ts'
import { metaReceiver } from './receive.ts'

const account: ReceivingAccount = {
  id: newId('prov'),
  tenantId: newId('ten'),
  accountId: '106540352242922',
  parentId: '102290129340398',
  secret: 'secret-of-the-app',
  sender: null,
  topicArns: [],
}
const second = { ...account, id: newId('prov'), accountId: '106540352242923' }

/** A STOP to a number of the business account, signed by an app. */
function stopTo(number: string, secret: string) {
  const preference = { wa_id: '16505551234', category: 'marketing_messages', value: 'stop', timestamp: 1731705721 }
  const value = { metadata: { phone_number_id: number }, user_preferences: [preference] }
  const entry = [{ id: account.parentId, changes: [{ field: 'user_preferences', value }] }]
  const body = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry }))
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  return { body, headers: { 'x-hub-signature-256': `sha256=${signature}` } }
}

/** Receives a STOP at the address of the account. */
async function receive(number: string, find: FindAccounts, secret = account.secret!) {
  const { open } = metaReceiver.endpoints.find(({ contract }) => contract === cloudCallback)!
  const claim = open(undefined as never, { ...stopTo(number, secret), url: '', params: { provider_id: account.id } })
  const { reports } = await claim.receive([account], find)
  return reports.map((report) => report.account.id)
}

test('a post at the address of a provider counts for the other numbers of the same tenant and app, and for no others', async () => {
  const strangers = [
    { ...second, tenantId: newId('ten') },
    { ...second, secret: 'secret-of-another-app' },
    { ...second, secret: null },
  ]
  for (const stranger of strangers) expect(await receive(second.accountId, async () => [account, stranger])).toEqual([])
  expect(await receive(second.accountId, async () => [account, second, ...strangers])).toEqual([second.id])
})

test('of two providers with the number, the one of the address counts', async () => {
  const again = { ...account, id: newId('prov') }
  expect(await receive(account.accountId!, async () => [again, account])).toEqual([account.id])
})

test('accounts are looked up only for a post that the app has signed', async () => {
  const looked: unknown[] = []
  const find: FindAccounts = async (of) => {
    looked.push(of)
    return []
  }
  await expect(receive(second.accountId, find, 'guess')).rejects.toMatchObject({ code: 'invalid_signature' })
  expect(looked).toEqual([])
  await receive(second.accountId, find)
  expect(looked).toEqual([{ accountIds: [second.accountId], parentIds: [account.parentId] }])
})

test('a post at the shared address counts if the shared app of any cell has signed it, with the same id in each cell', async () => {
  const { open } = metaReceiver.endpoints.find(({ contract }) => contract === sharedCloudCallback)!
  const shared = { ...account, secret: null }
  const receiveIn = async (SERVICE_CLOUD_APP_SECRET: string, secret: string) => {
    const environment = { SERVICE_CLOUD_APP_SECRET, SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN: undefined }
    const state = metaReceiver.start({ publicUrl: '', environment: environment as never, log: undefined as never })
    const claim = open(state as never, { ...stopTo(account.accountId!, secret), url: '', params: {} })
    const { reports } = await claim.receive([shared])
    return reports.map((report) => report.type === 'preference' && report.callbackId)
  }
  const ofOld = await receiveIn('app-of-old', 'app-of-old')
  expect(ofOld).toHaveLength(1)
  expect(await receiveIn('app-of-new, app-of-old', 'app-of-old')).toEqual(ofOld)
  await expect(receiveIn('app-of-new, app-of-old', 'guess')).rejects.toMatchObject({ code: 'invalid_signature' })
})
