import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { senderAt } from '../../tests/sender-at.ts'
import { sendgridSender } from './send.ts'

test('names of recipients that SendGrid would split are quoted, and no others', async () => {
  let body: Record<string, unknown> = {}
  const { sender, ids, stop } = await senderAt(sendgridSender, async (request, response) => {
    body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    response.writeHead(202, { 'x-message-id': 'message-1' }).end()
  })
  const credentials = { api_key: 'SG.key', from: 'shop@example.com', from_name: 'Shop, Inc' }
  const email = {
    ...{ to: 'ada@example.com', to_name: 'Lovelace, Ada', subject: 'Hi', text: 'Hi', mode: 'live', ...ids },
    cc: [
      { address: 'grace@example.com', name: 'Grace "Amazing" Hopper' },
      { address: 'kate@example.com', name: 'Łukasz J. O’Hara' },
    ],
    bcc: [{ address: 'audit@example.com' }, { address: 'log@example.com', name: 'Log [EU]; \\o/' }],
    reply_to: [{ address: 'help@example.com', name: 'Shop: help' }],
  }
  await sender.send({ id: newId('prov'), revision: 1, credentials } as never, email as never)
  stop()
  expect(body).toMatchObject({
    personalizations: [
      {
        to: [{ email: 'ada@example.com', name: '"Lovelace, Ada"' }],
        cc: [
          { email: 'grace@example.com', name: '"Grace \\"Amazing\\" Hopper"' },
          { email: 'kate@example.com', name: 'Łukasz J. O’Hara' },
        ],
        bcc: [{ email: 'audit@example.com' }, { email: 'log@example.com', name: '"Log [EU]; \\\\o/"' }],
      },
    ],
    from: { name: 'Shop, Inc' },
    reply_to_list: [{ name: 'Shop: help' }],
  })
})
