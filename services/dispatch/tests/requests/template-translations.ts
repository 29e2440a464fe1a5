import { expect, test } from '@jest/globals'
import { type ApiRequest, type ApiResponse, eventually } from '@notify/dev-env'
import { asOperator, expectProblem, post } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const call = (method: string, url: string, request: ApiRequest = {}) => asOperator(env, method, url, request)
const sms = (body: string) => ({ sms: { body } })

test('a stored template is translated in the same way, at once', async () => {
  const made = await call('POST', '/api/v1/templates', { body: { name: 'Orders', templates: sms('{{ n }} orders') } })
  const path = `/api/v1/templates/${made.body.template_id}/translations`
  expect((await call('PUT', `${path}/de`, { body: { texts: { 'sms.body': '{{ n }} Bestellungen' } } })).status).toBe(
    200,
  )
  expect((await call('GET', path)).body.translations).toMatchObject([{ locale: 'de', channels: ['sms'] }])
  const read = await call('GET', `/api/v1/templates/${made.body.template_id}`)
  expect(read.body).toMatchObject({ version: 2, translations: { de: sms('{{ n }} Bestellungen') } })
  const phone = freshPhone()
  const body = { channel: 'sms', recipient: phone, template_id: made.body.template_id, template_data: { n: 2 } }
  expect((await post(env, { ...body, locale: 'de' })).status).toBe(202)
  await eventually(async () => expect((await env.messages({ to: phone }))[0]?.text).toBe('2 Bestellungen'))
  // The kept translation uses a variable that the new template lacks.
  const replaced = await call('PUT', `/api/v1/templates/${made.body.template_id}`, {
    body: { name: 'Orders', templates: sms('Orders') },
  })
  expectProblem(replaced, 422, 'translation_variable_unknown')
})

/** Saves while another transaction, which is then committed, changes a column of the template. @returns the answer */
async function whileChanged(
  id: string,
  column: 'templates' | 'translations',
  value: object,
  save: () => Promise<ApiResponse>,
) {
  const client = await env.admin.connect()
  try {
    await client.query('begin')
    await client.query(`update dispatch.templates set ${column} = $2, version = version + 1 where id = $1`, [id, value])
    const saving = save()
    await eventually(async () => {
      const { rows } = await env.admin.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%"templates"%'`,
      )
      expect(rows).toHaveLength(1)
    })
    await client.query('commit')
    return await saving
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('a translation is not saved for a template that is replaced after the check', async () => {
  const made = await call('POST', '/api/v1/templates', { body: { name: 'Orders', templates: sms('{{ n }} orders') } })
  const path = `/api/v1/templates/${made.body.template_id}/translations/de`
  const save = () => call('PUT', path, { body: { texts: { 'sms.body': '{{ n }} Bestellungen' } } })
  expectProblem(await whileChanged(made.body.template_id, 'templates', sms('Orders'), save), 409, 'edit_conflict')
  expectProblem(await call('GET', path), 404, 'not_found')
})

test('a template is not replaced when its first translation is saved after the check', async () => {
  const made = await call('POST', '/api/v1/templates', { body: { name: 'Orders', templates: sms('{{ n }} orders') } })
  const path = `/api/v1/templates/${made.body.template_id}`
  const save = () => call('PUT', path, { body: { name: 'Orders', templates: sms('Orders') } })
  const translations = { de: sms('{{ n }} Bestellungen') }
  expectProblem(await whileChanged(made.body.template_id, 'translations', translations, save), 409, 'edit_conflict')
  expect((await call('GET', path)).body).toMatchObject({ templates: sms('{{ n }} orders'), translations })
})
