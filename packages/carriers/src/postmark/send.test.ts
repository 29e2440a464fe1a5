import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { senderAt } from '../../tests/sender-at.ts'
import { postmarkSender } from './send.ts'

const to = 'ada@example.com'

/** What a send makes of an answer with this sentence. */
async function answerTo(Message: string) {
  const { sender, ids, stop } = await senderAt(postmarkSender, (_request, response) => {
    response.end(JSON.stringify({ ErrorCode: 0, Message, MessageID: 'message-1', To: `"Lovelace, Ada" <${to}>` }))
  })
  const credentials = { server_token: 'token', from: 'shop@example.com', message_stream: 'outbound' }
  const copies = { cc: [{ address: 'Grace@example.com' }], bcc: [{ address: 'alan@example.com' }] }
  const message = { to, ...copies, subject: 'Hi', text: 'Hi', mode: 'live', ...ids, traceparent: undefined }
  const answer = await sender.send({ id: newId('prov'), revision: 1, credentials } as never, message as never)
  stop()
  return answer
}
const outcomeOf = async (Message: string) => (await answerTo(Message)).outcome
const partly = 'Message OK, but will not deliver to these inactive addresses:'

test('a message that Postmark takes for its copies alone is refused for its recipient', async () => {
  expect(await outcomeOf('OK')).toBe('accepted')
  expect(await outcomeOf(`${partly} grace@example.com`)).toBe('accepted')
  expect(await outcomeOf(`${partly} grace@example.com, Ada@example.com`)).toBe('rejected_permanent')
  const meaning =
    'Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.'
  expect(await outcomeOf(`${partly} grace@example.com. ${meaning}`)).toBe('accepted')
  expect(await outcomeOf(`${partly} grace@example.com, ada@example.com. ${meaning} `)).toBe('rejected_permanent')
})

test('the copies that Postmark leaves out are refused, and no others', async () => {
  const reason = `406 ${partly} [address]`
  expect(await answerTo(`${partly} grace@example.com`)).toMatchObject({
    outcome: 'accepted',
    refusedCopies: [{ to: 'Grace@example.com', reason }],
  })
  expect(await answerTo(`${partly} ${to}, grace@example.com, alan@example.com`)).toMatchObject({
    outcome: 'rejected_permanent',
    refusedCopies: [{ to: 'Grace@example.com' }, { to: 'alan@example.com' }],
  })
  expect(await answerTo('OK')).not.toHaveProperty('refusedCopies')
})
