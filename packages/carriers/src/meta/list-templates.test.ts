import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { listTemplates } from './list-templates.ts'

test('all templates of an account are listed, also if 200 of them are larger than an answer may be', async () => {
  const text = 'a'.repeat(6 * 1024)
  const names = Array.from({ length: 200 }, (_, at) => `template_${at}`)
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost')
    const start = Number(searchParams.get('after') ?? 0)
    const end = start + Number(searchParams.get('limit'))
    const data = names.slice(start, end).map((name) => ({
      ...{ name, language: 'en_US', status: 'APPROVED', category: 'UTILITY' },
      components: [{ type: 'CAROUSEL', cards: [{ text }] }],
    }))
    const next = end < names.length ? { next: 'https://graph.example/next' } : {}
    response.end(JSON.stringify({ data, paging: { cursors: { after: String(end) }, ...next } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const credentials = { phone_number_id: '1', business_account_id: '2', access_token: 'EAAtoken1' }
    const environment = { META_API_URL: `http://127.0.0.1:${port}`, META_API_VERSION: 'v23.0' }
    const listed = await listTemplates(credentials, { timeoutMs: 60_000, environment })
    expect(listed.map(({ name }) => name)).toEqual(names)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
