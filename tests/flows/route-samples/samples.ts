import type { Route } from '@notify/contracts'
import type { ApiRequest, TestEnv } from '@notify/dev-env'
import { untilAvailable } from '@notify/test-kit/api'
import type { StandInSns } from '@notify/test-kit/ses'
import { callbackSamples } from './callbacks.ts'
import { consentSamples } from './consent.ts'
import { dispatchSamples } from './dispatch.ts'
import { gatewaySamples } from './gateway.ts'
import { inboxSamples } from './inbox-stream.ts'
import { notificationSamples } from './notifications.ts'
import { otpSamples } from './otp.ts'
import { exampleBody, type Sample, type Samples } from './sample.ts'
import { timelineSamples } from './timelines.ts'
import { webhookSamples } from './webhook-delivery.ts'

export type { Samples } from './sample.ts'

/** A request for each route. A new route needs a line in the file of its service. */
export function samplesOf(env: TestEnv, sns: StandInSns): Samples {
  return {
    ...gatewaySamples(env),
    ...notificationSamples(env),
    ...dispatchSamples(env),
    ...consentSamples(env),
    ...otpSamples(env),
    ...inboxSamples(env),
    ...webhookSamples(env),
    ...callbackSamples(env, sns),
    ...timelineSamples(env),
  }
}

/** Calls a route of the public API as the caller that it is for. */
export function callRoute(
  env: TestEnv,
  route: Route,
  sample: Sample,
  { headers = {}, search = '' }: { headers?: Record<string, string>; search?: string } = {},
) {
  if (sample.call) return sample.call()
  const path =
    route.path.replace(/:(\w+)/g, (_, name: string) => sample.params?.[name] ?? 'missing') +
    (search || (sample.search ?? ''))
  const { token = route.auth.caller === 'operator' ? env.operatorToken : undefined } = sample
  const caller: ApiRequest = token === undefined ? { key: env.apiKey } : { token }
  const { body = exampleBody(route.name, sample.fresh) } = sample
  return env.api(route.method, path, { ...caller, ...(body === undefined ? {} : { body }), headers })
}

/** The same, repeated while the answer is 503: a POST under one Idempotency-Key. */
export function callWhenAvailable(...[env, route, sample, more = {}]: Parameters<typeof callRoute>) {
  const key: Record<string, string> = route.method === 'POST' ? { 'idempotency-key': crypto.randomUUID() } : {}
  const headers = { ...key, ...more.headers }
  return untilAvailable(() => callRoute(env, route, sample, { ...more, headers }))
}
