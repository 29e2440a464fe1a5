import { expect, test } from '@jest/globals'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { call, create, listPath, of, record, save, sms } from './stack.ts'

test('a change that is based on an older state is refused, until it names the present one', async () => {
  const { event_key: key, updated_at: first } = await create({ status: 'published' })
  const based = (on: string, text: string) =>
    call('PUT', of(key, `?expected_updated_at=${on}`), {
      body: { name: 'Order', allowed_channels: ['sms'], templates: sms(text) },
    })
  const mine = await based(first, 'Mine {{ name }}')
  expect(mine.status).toBe(200)
  const theirs = await based(first, 'Theirs {{ name }}')
  expectProblem(theirs, 409, 'edit_conflict')
  for (const action of ['publish', 'versions/1/restore'])
    expectProblem(await call('POST', of(key, `/${action}?expected_updated_at=${first}`)), 409, 'edit_conflict')
  expect((await call('GET', of(key))).body).toEqual(mine.body)
  expect((await based(mine.body.updated_at, 'Theirs {{ name }}')).status).toBe(200)
  expectProblem(await based('yesterday', 'x'), 422, 'validation_failed')
})

test('of many who change one state at the same moment, one succeeds; each state has a time of its own', async () => {
  const { event_key: key, ...made } = await create()
  let present: string = made.updated_at
  const seen = new Set([present])
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, editor) =>
        untilAvailable(() =>
          call('PUT', of(key, `?expected_updated_at=${present}`), {
            body: { name: `Order ${round}/${editor}`, allowed_channels: ['sms'], templates: sms('First') },
          }),
        ),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    present = answers.find(({ status }) => status === 200)!.body.updated_at
    seen.add(present)
  }
  expect(seen.size).toBe(6)
})

test('a key exists once; with one Idempotency-Key an event is made once, and published once', async () => {
  const made = record()
  const headers = { 'idempotency-key': 'event-1' }
  const make = () => call('POST', listPath(), { body: made, headers })
  const answers = await Promise.all(Array.from({ length: 4 }, () => untilAvailable(make)))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expectProblem(await call('POST', listPath(), { body: made }), 409, 'event_exists')
  const publish = () => call('POST', of(made.event_key, '/publish'), { headers })
  const first = await publish()
  await save(made.event_key, sms('Second'))
  expect((await publish()).text).toBe(first.text)
  expect((await call('GET', of(made.event_key))).body.draft).not.toBeNull()
})
