import { expect, test } from '@jest/globals'
import { expectProblem } from '@notify/test-kit/api'
import { act, call, create, listPath, of, record, save, sms } from './stack.ts'

const digest = { window: { seconds: 3600 } }
const whole = { ...digest, sliding: false, first: 'wait', show: 10 }

test('a digest belongs to the version: a draft changes nothing that is published, and a rollback brings it back', async () => {
  const { event_key: key, ...made } = await create({ digest, status: 'published' })
  expect(made.digest).toEqual(whole)
  expect((await save(key, sms('Second {{ total }}'))).body.draft.digest).toEqual(whole)
  expect((await save(key, sms('Second {{ total }}'), { digest: null })).body).toMatchObject({
    digest: whole,
    draft: { digest: null },
  })
  expect(await act(key, 'publish')).toMatchObject({ version: 2, digest: null })
  expect((await call('GET', of(key, '/versions/1'))).body.digest).toEqual(whole)
  expect(await act(key, 'versions/1/restore')).toMatchObject({ version: 3, digest: whole })
})

test('a digest that cannot be is refused where it is saved, naming the field', async () => {
  const { event_key: key } = await create()
  const refused: [object, string][] = [
    [{ window: {} }, 'digest.window'],
    [{ window: { seconds: 0 } }, 'digest.window.seconds'],
    [{ window: { seconds: 604_801 } }, 'digest.window.seconds'],
    [{ window: { daily: '24:00' } }, 'digest.window.daily'],
    [{ window: { weekly: { day: 'monday' } } }, 'digest.window.weekly.at'],
    [{ window: { weekly: { day: 'someday', at: '09:00' } } }, 'digest.window.weekly.day'],
    [{ window: { daily: '09:00', seconds: 60 } }, 'digest.window.daily'],
    [{ window: { hourly: true } }, 'digest.window.hourly'],
    [{ ...digest, sliding: true }, 'digest.max_wait'],
    [{ ...digest, sliding: true, max_wait: 60 }, 'digest.max_wait'],
    [{ ...digest, max_wait: 7200 }, 'digest.max_wait'],
    [{ window: { daily: '09:00' }, sliding: true, max_wait: 7200 }, 'digest.sliding'],
    [{ ...digest, key: 'post.id' }, 'digest.key'],
    [{ ...digest, show: 101 }, 'digest.show'],
    [{ ...digest, first: 'later' }, 'digest.first'],
    [{}, 'digest.window'],
  ]
  for (const [bad, path] of refused)
    for (const answer of [
      await save(key, sms('x'), { digest: bad }),
      await call('POST', listPath(), { body: record({ digest: bad }) }),
    ]) {
      expectProblem(answer, 422, 'validation_failed')
      expect(answer.body.errors[0].path).toBe(path)
    }
  expect((await call('GET', of(key))).body.digest).toBeNull()
})

test('one-time codes cannot be digested', async () => {
  const templates = sms('{{ code }}')
  const answer = await call('POST', listPath(), {
    body: record({ event_key: 'otp.digested', templates, digest, status: 'published' }),
  })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors).toMatchObject([{ path: 'digest' }])
})

const list = '{{ name }}: {{ total }}{% for one in items %}, {{ one.name }}{% endfor %} and {{ more }} more'

test('a preview shows a digest of sample items, or of the given ones', async () => {
  const { event_key: key } = await create({ templates: sms(list), digest: { ...digest, show: 2 } })
  const preview = async (data: object) => {
    const answer = await call('POST', of(key, '/preview'), { body: { data } })
    return answer.body.rendered.sms.body
  }
  expect(await preview({ name: 'Ada' })).toBe('Ada: 3, Ada, Ada and 1 more')
  expect(await preview({ name: 'Ada', items: [{ name: 'Bob' }], total: 8, more: 7 })).toBe('Ada: 8, Bob and 7 more')
})

test('a translation of a digest may use its variables, and no others that the template lacks', async () => {
  const translated = (text: string) => ({ de: sms(text) })
  const { event_key: key } = await create({ digest, translations: translated('{{ name }}: {{ total }} {{ more }}') })
  expect(await act(key, 'publish')).toMatchObject({ status: 'published' })
  await save(key, sms('{{ name }}'), { digest: null, translations: translated('{{ name }}: {{ total }}') })
  expectProblem(await call('POST', of(key, '/publish')), 422, 'translation_variable_unknown')
})
