import { expect, test } from '@jest/globals'
import { expectProblem } from '@notify/test-kit/api'
import { act, call, create, listPath, of, record, save, sms } from './stack.ts'

test('a template of one-time codes without the code cannot be published', async () => {
  const allowed_channels = ['sms', 'email']
  const texts = (sms: string, html_body: string) => ({
    sms: { body: sms },
    email: { subject: 'Code', body: '{{code}}', html_body },
  })
  for (const key of ['otp', 'otp.de']) {
    await create({ event_key: key, allowed_channels, templates: texts('Your code, {{minutes}} min', '<b>code</b>') })
    const refused = await call('POST', of(key, '/publish'))
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'templates.sms.body',
      'templates.email.html_body',
    ])
    await save(key, texts('{{ code }} for {{minutes}} min', '<b>{{code}}</b>'), { allowed_channels })
    expect(await act(key, 'publish')).toMatchObject({ status: 'published' })
  }
})

test('a template of one-time codes with a variable that codes do not have cannot be published', async () => {
  const message = 'requires the variable brand, which codes do not have; they have code, minutes, autofill'
  const fault = { path: 'templates.sms.body', message }
  const published = { event_key: 'otp.es', templates: sms('{{ brand.name }}: {{ code }}'), status: 'published' }
  const created = await call('POST', listPath(), { body: record(published) })
  expectProblem(created, 422, 'validation_failed')
  expect(created.body.errors).toEqual([fault])
  const { event_key: key } = await create({ ...published, status: 'draft' })
  expect((await call('POST', of(key, '/publish'))).body.errors).toEqual([fault])
  const whole =
    '{{ shop | default: "Shop" }}: {{ code }}, {{ minutes }} min{% if autofill != "" %} {{ autofill }}{% endif %} {{ preferences_url }}'
  await save(key, sms(whole), { translations: { 'es-MX': sms('{{ brand }}: {{ code }}') } })
  expectProblem(await call('POST', of(key, '/publish')), 422, 'translation_variable_unknown')
  await save(key, sms(whole), { translations: { 'es-MX': sms('{{ code }}') } })
  expect(await act(key, 'publish')).toMatchObject({ status: 'published' })
})

test('a WhatsApp template of one-time codes must print the code, and one for authentication in its body', async () => {
  const allowed = { allowed_channels: ['whatsapp'] }
  const own = (fields: object) => ({
    whatsapp: { template_name: 'login', language: 'fr', category: 'authentication', ...fields },
  })
  const [minutes, buttons] = [['{{minutes}}'], [{ index: 0, type: 'url', value: '{{code}}' }]]
  const { event_key: key } = await create({ event_key: 'otp.fr', ...allowed, templates: own({ parameters: minutes }) })
  for (const fields of [
    { parameters: minutes },
    { parameters: [] },
    { parameters: { minutes: '{{minutes}}' } },
    { parameters: minutes, buttons },
    { parameters: minutes, category: 'utility' },
  ]) {
    expect((await save(key, own(fields), allowed)).status).toBe(200)
    const refused = await call('POST', of(key, '/publish'))
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors).toEqual([
      { path: 'templates.whatsapp.parameters', message: expect.stringContaining('{{code}}') },
    ])
  }
  for (const fields of [
    { parameters: ['{{code}}', '{{minutes}}'] },
    { parameters: { code: '{{ code }}' } },
    { parameters: minutes, buttons, category: 'utility' },
  ]) {
    expect((await save(key, own(fields), allowed)).status).toBe(200)
    expect(await act(key, 'publish')).toMatchObject({ status: 'published' })
  }
})
