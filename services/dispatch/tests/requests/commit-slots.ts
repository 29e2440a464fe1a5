import { expect, test } from '@jest/globals'
import { type ApiResponse, eventually } from '@notify/dev-env'
import { expectProblem, post, postUntilTaken, stateOf } from '@notify/test-kit/api'
import { addTenant } from '@notify/test-kit/callers'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshUser } from '@notify/test-kit/inbox'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { addTopic, choose, toUser } from './choices.ts'
import { env } from './stack.ts'

const inAppTo = (recipient: string) => ({ channel: 'in_app', recipient, title: 'News', body: 'Something new' })

/** Holds a lock of tables of dispatch, as a transaction of another process does. */
async function whileHeld<T>(lock: string, values: string[], work: () => Promise<T>): Promise<T> {
  const client = await env.admin.connect()
  try {
    await client.query('begin')
    await client.query(lock, values)
    return await work()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('while the inbox of one user is held, all others are accepted, and the messages to this one as soon as it is free', async () => {
  const neighbour = await addTenant(env)
  const lock = 'select from dispatch.hand_off_tails where recipient_index = $1 for update'
  // The others have three seconds, as those that wait have. If a busy machine took longer, all is repeated.
  await eventually(async () => {
    const user = freshUser()
    const first = await post(env, inAppTo(user))
    expect(first.status).toBe(202)
    const { rows } = await env.admin.query('select recipient_index from dispatch.hand_off_tails where last_id = $1', [
      first.body.notification_id,
    ])
    const waiting: Promise<ApiResponse>[] = []
    await whileHeld(lock, [rows[0].recipient_index], async () => {
      // Each in a commit of its own.
      for (let i = 0; i < 3; i++) {
        waiting.push(post(env, inAppTo(user)))
        await stateOf(env, first.body.notification_id)
      }
      waiting.push(...Array.from({ length: 5 }, () => post(env, inAppTo(user))))
      const others = await Promise.all([
        ...Array.from({ length: 3 }, () => post(env, inAppTo(freshUser()), { key: neighbour.apiKey })),
        post(env, smsTo(freshPhone()), { key: neighbour.apiKey }),
        post(env, inAppTo(freshUser())),
      ])
      expect(others.map(({ status }) => status)).toEqual(Array(5).fill(202))
    })
    // They wait for three seconds, in which the others may have taken their time.
    for (const { status } of await Promise.all(waiting)) expect([202, 503]).toContain(status)
    expect((await post(env, inAppTo(user))).status).toBe(202)
  })
})

test('a message that is refused while its inbox is held gets the reason as its answer', async () => {
  const topic = await addTopic({ channels: ['in_app'] })
  const lock = 'select from dispatch.hand_off_tails where recipient_index = $1 for update'
  // A message waits for three seconds. If the choice came later, all is repeated.
  await eventually(async () => {
    const user = freshUser()
    const first = await post(env, inAppTo(user))
    const { rows } = await env.admin.query('select recipient_index from dispatch.hand_off_tails where last_id = $1', [
      first.body.notification_id,
    ])
    const refused = await whileHeld(lock, [rows[0].recipient_index], async () => {
      const waiting = post(env, toUser(user, topic))
      // Inboxes take one commit at a time, so the first try has found the inbox held.
      for (let i = 0; i < 2; i++) expect((await post(env, inAppTo(freshUser()))).status).toBe(202)
      await choose(user, { topic, channel: 'in_app', state: 'off' })
      return waiting
    })
    expectProblem(refused, 422, 'recipient_opted_out')
  })
})

test('messages without files are accepted while those with files are being written', async () => {
  const accepted = await post(env, smsTo(freshPhone()))
  const file = { filename: 'a.txt', content_type: 'text/plain', content: 'YQ==' }
  const withFile = () => post(env, emailTo(freshAddress(), { attachments: [file] }))
  const writing: Promise<ApiResponse>[] = []
  const waiting = async () => {
    const { rows } = await env.admin.query(
      `select virtualtransaction from pg_locks join pg_database d on d.oid = database and d.datname = current_database()
        where not granted and relation = 'dispatch.attachments'::regclass order by 1`,
    )
    return rows
  }
  await whileHeld('lock table dispatch.attachments in exclusive mode', [], () =>
    // A statement waits for two seconds. If one ended before the others were accepted, all is repeated.
    eventually(async () => {
      writing.push(withFile())
      const both = await waiting()
      expect(both).toHaveLength(2)
      writing.push(withFile(), withFile())
      await stateOf(env, accepted.body.notification_id)
      const others = await Promise.all([smsTo(freshPhone()), inAppTo(freshUser())].map((one) => post(env, one)))
      expect(others.map(({ status }) => status)).toEqual([202, 202])
      expect(await waiting()).toEqual(both)
    }),
  )
  await Promise.all(writing)
  const mail = emailTo(freshAddress(), { attachments: [file] })
  expect((await postUntilTaken(env, '/api/v1/notifications', mail)).status).toBe(202)
})
