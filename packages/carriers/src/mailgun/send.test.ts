import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { senderAt } from '../../tests/sender-at.ts'
import { mailgunSender } from './send.ts'

test('an inline image keeps the ending of its name, and the HTML shows it by the name', async () => {
  let form = ''
  const { sender, ids, stop } = await senderAt(mailgunSender, async (request, response) => {
    form = Buffer.concat(await request.toArray()).toString()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"<1@mg.example.com>"}')
  })
  const credentials = { api_key: 'key', domain: 'mg.example.com', region: 'us', from: 'shop@example.com' }
  const file = (filename: string, content_id?: string) => ({
    ...{ filename, content_type: 'image/png', content: Buffer.from(filename) },
    ...(content_id && { content_id }),
  })
  const message = {
    ...{ to: 'ada@example.com', subject: 'Hi', text: 'Hi', mode: 'live', ...ids, traceparent: undefined },
    html: '<img src="cid:logo"><img src="cid:a"><img src="cid:b.png"><img src=\'cid:other\'> cid:logo2',
    attachments: [
      file('Logo.PNG', 'logo'),
      file('x.png', 'a'),
      file('y.png', 'a.png'),
      file('b.png', 'b.png'),
      file('c.png'),
    ],
  }
  await sender.send({ id: newId('prov'), revision: 1, credentials } as never, message as never)
  stop()
  const names = [...form.matchAll(/name="(inline|attachment)"; filename="([^"]+)"/g)].map(([, field, name]) => [
    field,
    name,
  ])
  expect(names).toEqual([
    ['inline', 'logo.PNG'],
    ['inline', 'a'],
    ['inline', 'a.png'],
    ['inline', 'b.png'],
    ['attachment', 'c.png'],
  ])
  expect(form).toContain(
    '<img src="cid:logo.PNG"><img src="cid:a"><img src="cid:b.png"><img src=\'cid:other\'> cid:logo2',
  )
})

test.each([
  [404, 'Domain not found', {}],
  [403, 'Domain mg.example.com is not allowed to send: it is disabled', {}],
  [400, 'Domain mg.example.com is not allowed to send: it is disabled', {}],
  [403, 'Domain shop.example is not allowed to send: the account is disabled', { verified_domain: 'mg.example.com' }],
])(
  '%i for the account or its domain is its fault, whatever sender the message has',
  async (status, message, domain) => {
    const paths: unknown[] = []
    const { sender, ids, stop } = await senderAt(mailgunSender, (request, response) => {
      paths.push(request.url)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
    })
    const credentials = { api_key: 'key', domain: 'mg.example.com', region: 'us', from: 'shop@example.com' }
    const own = { from: 'news@shop.example', ...domain }
    const email = { to: 'ada@example.com', ...own, subject: 'Hi', text: 'Hi', mode: 'live', ...ids }
    const answer = await sender.send({ id: newId('prov'), revision: 1, credentials } as never, email as never)
    stop()
    expect(answer).toMatchObject({ outcome: 'rejected_retryable', providerDown: true })
    expect(paths).toEqual(['/mailgun/v3/mg.example.com/messages'])
  },
)
