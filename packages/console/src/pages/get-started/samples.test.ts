import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { canRun, runSample } from '../../../tests/harness/run-sample.ts'
import { languageKeys, sampleOf } from './samples.ts'

const received: { authorization: string | undefined; type: string | undefined; body: string }[] = []
let server: Server
let origin = ''

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { authorization, 'content-type': type } = request.headers
    received.push({ authorization, type, body: Buffer.concat(await request.toArray()).toString() })
    response.writeHead(202).end('taken')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const request = {
  channel: 'sms' as const,
  event_key: 'order.shipped',
  recipient: { phone: '+14155550100' },
  data: { name: `O'Brien "$HOME" \\n \`id\` \${x} """ ?>`, empty: '' },
}
/** Would end the comment that names the key, if it stood there as it is. */
const keyName = 'Shop\nrm -rf x ?> */ "#'

test.each(languageKeys)(
  'the sample in %s sends the request as it is meant, whatever the texts hold',
  async (language) => {
    const code = sampleOf(language, { origin, request, keyName })
    expect(code).toContain('API key "Shop_rm -rf x __ __ __"')
    // Not every machine has Go or PHP.
    if (!canRun(language)) return
    const output = await runSample(language, code, 'sk_test_1')
    expect(output).toContain('taken')
    const { authorization, type, body } = received.pop()!
    expect([authorization, type, JSON.parse(body)]).toEqual(['Bearer sk_test_1', 'application/json', request])
  },
)
