import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import type { OtpChannel } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import { createInternalClient } from '@notify/service-kit'
import { createHandOver } from './hand-over.ts'
import { requestAad } from './message-store.ts'

const keyRing = parseKeyRing(`k:${Buffer.alloc(32, 1).toString('base64')}`)

/** Takes messages, except for those of WhatsApp, which it never answers: as dispatch while consent does not answer it. */
async function startDispatch() {
  let silent = 0
  const server = createServer(async (request, response) => {
    const { items } = (await json(request)) as { items: { request: { channel: OtpChannel } }[] }
    if (items.some((one) => one.request.channel === 'whatsapp')) silent++
    else
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ results: items.map(() => ({ body: '' })) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    silent: () => silent,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const tenants = (count: number) => Array.from({ length: count }, (_, at) => `ten_${at}`)

test.each([
  { whose: 'its tenant', busy: tenants(1) },
  { whose: 'sixteen tenants', busy: tenants(16) },
])('a code by SMS does not wait for those by WhatsApp of $whose, which dispatch does not answer', async ({ busy }) => {
  using dispatch = await startDispatch()
  const handOver = createHandOver(() => createInternalClient(dispatch.url), {
    signPrincipal: async () => 'signed',
    keyRing,
  })
  const send = (tenant_id: string, channel: OtpChannel) => {
    const notification_id = `notif_${channel}`
    const request = keyRing.encrypt(JSON.stringify([{ channel }]), requestAad(tenant_id, notification_id))
    const message = { notification_id, tenant_id, request, traceparent: null, earlier: [], expires_at: new Date() }
    return handOver(message as unknown as Parameters<typeof handOver>[0], {})
  }
  const unanswered: Promise<unknown>[] = []
  for (let round = 1; round <= 4; round++) {
    unanswered.push(...busy.map((tenant) => send(tenant, 'whatsapp').catch((error: unknown) => error)))
    await eventually(() => expect(dispatch.silent()).toBe(round * busy.length), { intervalMs: 5 })
  }
  expect(await send(busy[0]!, 'sms')).toBeUndefined()
  for (const error of await Promise.all(unanswered)) expect(error).toMatchObject({ code: 'service_unavailable' })
})
