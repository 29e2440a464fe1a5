import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, postUntilTaken, untilAvailable } from '@notify/test-kit/api'
import { act, call, create, env, listPath, of, record, save, send, sms, textOf } from './stack.ts'

/** What a preview tells of a short SMS. */
const inGsm = {
  locales: { sms: null },
  sms_segments: { encoding: 'GSM-7', segments: 1, outside: [] },
  whatsapp_message: null,
}

test('the whole record is taken: published at once, and sent', async () => {
  const whole = record({ status: 'published', version: 1 })
  const { status, body } = await call('POST', listPath(), { body: whole })
  expect([status, body]).toEqual([
    201,
    {
      ...whole,
      application_id: env.applicationId,
      topic: null,
      digest: null,
      translations: {},
      draft: null,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: expect.stringMatching(/\.\d{3}Z$/),
    },
  ])
  expect((await call('GET', of(whole.event_key))).body).toEqual(body)
  expect(await textOf(whole.event_key)).toBe('First Ada')
})

test('a draft is never sent: publishing makes a version of it, which takes effect within about a second', async () => {
  const { event_key: key, ...made } = await create()
  expect(made).toMatchObject({ status: 'draft', version: 1, draft: null })
  expectProblem(await send(key), 404, 'event_not_found')
  expect(await act(key, 'publish')).toMatchObject({ status: 'published', version: 1 })
  await eventually(async () => expect(await textOf(key)).toBe('First Ada'))
  const changed = await save(key, sms('Second {{ name }}'))
  expect(changed.body).toMatchObject({
    status: 'published',
    version: 1,
    templates: sms('First {{ name }}'),
    draft: { name: 'Order', allowed_channels: ['sms'], templates: sms('Second {{ name }}'), translations: {} },
  })
  expect(await textOf(key)).toBe('First Ada')
  expect(await act(key, 'publish')).toMatchObject({ version: 2, draft: null, templates: sms('Second {{ name }}') })
  await eventually(async () => expect(await textOf(key)).toBe('Second Ada'))
})

test('publishing again without changes makes no version', async () => {
  const { event_key: key } = await create({ status: 'published' })
  expect(await act(key, 'publish')).toMatchObject({ status: 'published', version: 1 })
  expect((await call('GET', of(key, '/versions'))).body.items).toHaveLength(1)
})

test('an inactive event is refused until it is published again, as it was', async () => {
  const { event_key: key } = await create({ status: 'published' })
  expect(await act(key, 'deactivate')).toMatchObject({ status: 'inactive', version: 1 })
  await eventually(async () => expectProblem(await send(key), 404, 'event_not_found'))
  expect(await act(key, 'deactivate')).toMatchObject({ status: 'inactive' })
  expect(await act(key, 'publish')).toMatchObject({ status: 'published', version: 1 })
  await eventually(async () => expect((await send(key)).status).toBe(202))
  const { event_key: draft } = await create()
  expectProblem(await call('POST', of(draft, '/deactivate')), 409, 'event_not_published')
})

test('versions are kept unchanged; rolling back publishes an earlier one again and keeps the draft', async () => {
  const { event_key: key } = await create({ status: 'published' })
  await save(key, sms('Second {{ name }}'))
  await act(key, 'publish')
  await save(key, sms('Third {{ name }}'))
  const restored = await act(key, 'versions/1/restore')
  expect(restored).toMatchObject({ version: 3, templates: sms('First {{ name }}') })
  expect(restored.draft.templates).toEqual(sms('Third {{ name }}'))
  await eventually(async () => expect(await textOf(key)).toBe('First Ada'))
  const { items } = (await call('GET', of(key, '/versions'))).body
  expect(items.map(({ version, is_current }: never) => [version, is_current])).toEqual([
    [3, true],
    [2, false],
    [1, false],
  ])
  expect(items[0]).toMatchObject({ published_by: expect.any(String), published_at: expect.any(String) })
  expect((await call('GET', of(key, '/versions/2'))).body).toMatchObject({
    version: 2,
    templates: sms('Second {{ name }}'),
    is_current: false,
  })
  const first = (await call('GET', of(key, '/versions?limit=2'))).body
  const rest = (await call('GET', of(key, `/versions?limit=2&cursor=${first.next_cursor}`))).body
  expect([first.items.length, rest.items.length, rest.next_cursor]).toEqual([2, 1, null])
  for (const version of ['0', '99', 'x', '1e3', '%00', '99999999999'])
    expectProblem(await call('GET', of(key, `/versions/${version}`)), 404, 'not_found')
})

test('many who publish one draft at the same moment make one version', async () => {
  const { event_key: key } = await create({ status: 'published' })
  await save(key, sms('Second {{ name }}'))
  const publish = () => untilAvailable(() => call('POST', of(key, '/publish')))
  const answers = await Promise.all(Array.from({ length: 12 }, publish))
  expect(answers.map(({ status, body }) => [status, body.version])).toEqual(answers.map(() => [200, 2]))
  expect((await call('GET', of(key, '/versions'))).body.items).toHaveLength(2)
})

test('while versions are published one after the other, each message is one of them whole', async () => {
  const whole = (n: number) => ({ email: { subject: `S${n}`, body: `B${n} {{ name }}` } })
  const email = { allowed_channels: ['email'] }
  const { event_key: key } = await create({ ...email, status: 'published', templates: whole(0) })
  const recipient = `ada+${key}@mailbox.example`
  const publishing = (async () => {
    for (let n = 1; n <= 8; n++) {
      await save(key, whole(n), email)
      expect((await untilAvailable(() => call('POST', of(key, '/publish')))).status).toBe(200)
    }
  })()
  const sending = Array.from({ length: 40 }, () =>
    postUntilTaken(env, '/api/v1/notifications', {
      channel: 'email',
      recipient,
      event_key: key,
      data: { name: 'Ada' },
    }),
  )
  await publishing
  expect((await Promise.all(sending)).map(({ status }) => status)).toEqual(sending.map(() => 202))
  await eventually(async () => {
    const messages = await env.messages({ to: recipient })
    expect(messages).toHaveLength(40)
    for (const { subject, text } of messages as { subject?: string; text: string }[])
      expect(text.trim()).toBe(`B${subject?.slice(1)} Ada`)
  })
})

test('a preview shows the draft, or the version that is asked for, and names the variable that is missing', async () => {
  const { event_key: key } = await create({ status: 'published' })
  const preview = (body: object) => call('POST', of(key, '/preview'), { body })
  const data = { name: 'Ada' }
  expect((await preview({ data })).body).toEqual({
    event_key: key,
    version: 1,
    rendered: sms('First Ada'),
    ...inGsm,
  })
  await save(key, { ...sms('Second {{ name }}'), email: { subject: 'Hi {{ name }}', body: 'Text' } })
  expect((await preview({ data })).body).toEqual({
    event_key: key,
    version: null,
    rendered: { ...sms('Second Ada'), email: { subject: 'Hi Ada', body: 'Text' } },
    ...inGsm,
    locales: { sms: null, email: null },
  })
  expect((await preview({ data, version: 1, channel: 'sms' })).body.rendered).toEqual(sms('First Ada'))
  for (const channel of ['sms', 'email']) {
    const missing = await preview({ channel })
    expectProblem(missing, 422, 'template_variable_missing')
    expect(missing.body.errors).toEqual([expect.objectContaining({ path: 'data.name' })])
  }
  const unsaved = { ...sms('Third {{ name }}'), in_app: { title: 'Hi', body: 'Text' } }
  expect((await preview({ data, templates: unsaved, channel: 'sms' })).body).toEqual({
    event_key: key,
    version: null,
    rendered: sms('Third Ada'),
    ...inGsm,
  })
  const broken = await preview({ data, templates: sms('{{ name') })
  expectProblem(broken, 422, 'validation_failed')
  expect(broken.body.errors).toEqual([expect.objectContaining({ path: 'templates.sms.body' })])
  expectProblem(await preview({ data, templates: unsaved, version: 1 }), 422, 'validation_failed')
  expectProblem(await preview({ data, version: 7 }), 404, 'not_found')
  expectProblem(await preview({ data, channel: 'webhook' }), 422, 'validation_failed')
  expectProblem(await preview({ template_data: data }), 422, 'validation_failed')
})
