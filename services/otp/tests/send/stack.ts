import { expect } from '@jest/globals'
import { applicationChanged, newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { openBus } from '@notify/test-kit/bus'
import { addKey } from '@notify/test-kit/callers'

/** The stack of all tests of sending codes. */
export let env: TestEnv
/** It sends codes to two countries, and browsers fill them in. */
export const limitedId = 'app_01jd3x8qk5w9t2m4v6b8n0p2r4'
export let limitedKey: string

export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'otp', 'callbacks'], {
    env: { otp: { SENDS_PER_COUNTRY: '100' } },
  })
  await env.admin.query(`insert into gateway.applications (id, tenant_id, name) values ($1, $2, 'Limited')`, [
    limitedId,
    env.tenantId,
  ])
  const own = { tenantId: env.tenantId, applicationId: limitedId }
  const otp = { allowed_countries: ['+1', '+4915'], autofill_host: 'shop.example', sends_per_minute: 4 }
  await publishApplication({ application_id: limitedId, revision: 2, otp })
  await eventually(async () => expect(await settingsOf(limitedId)).toEqual({ revision: 2, settings: otp }))
  limitedKey = (await addKey(env, own, { permissions: ['otp:send', 'otp:verify'] })).apiKey
}

/** The gateway publishes an application. */
export async function publishApplication(fields: object): Promise<void> {
  await using bus = await openBus(env)
  const event = { tenant_id: env.tenantId, allowed_origins: [], status: 'active', ...fields }
  await bus.js.publish(applicationChanged.subject, JSON.stringify([{ event }]), { msgID: newId('msg') })
}

export const settingsOf = async (id: string) =>
  (await env.sql('otp').query('select revision, settings from applications where id = $1', [id])).rows[0]
