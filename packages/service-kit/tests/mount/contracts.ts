import {
  anyone,
  apiKey,
  apiKeyOrOperator,
  besideTranslations,
  carrier,
  defineRoute,
  NoContent,
  newId,
  operator,
  type Principal,
} from '@notify/contracts'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { z } from 'zod'

const Echo = z.object({ value: z.unknown() })
export const echo = defineRoute({
  name: 'echo',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/echo',
  summary: 'Says what it was told',
  auth: anyone,
  body: z.unknown(),
  responses: { 201: Echo },
  errors: [],
})
export const crowded = defineRoute({ ...echo, name: 'crowded', path: '/api/v1/crowds', maxValues: 20_000 })
export const translated = defineRoute({
  ...echo,
  name: 'translated',
  path: '/api/v1/translated',
  ...besideTranslations,
})
export const raw = defineRoute({
  ...echo,
  name: 'raw',
  path: '/api/v1/raw',
  auth: carrier,
  body: undefined,
  bodyType: 'raw',
  maxBodyBytes: 10,
  responses: { 200: Echo },
})
export const spoken = defineRoute({
  ...raw,
  name: 'spoken',
  path: '/api/v1/spoken',
  responseType: 'text/xml',
  responses: { 200: z.string() },
})
export const send = defineRoute({ ...echo, name: 'send', path: '/api/v1/sends', auth: apiKey('notifications:send') })
export const steer = defineRoute({ ...send, name: 'steer', path: '/api/v1/steers', auth: operator('domains:manage') })
export const either = defineRoute({
  ...send,
  name: 'either',
  path: '/api/v1/eithers',
  auth: apiKeyOrOperator('notifications:read', 'domains:manage'),
})
export const remove = defineRoute({
  ...echo,
  name: 'remove',
  method: 'DELETE',
  path: '/api/v1/things',
  body: undefined,
  responses: { 204: NoContent },
})
export const bare = defineRoute({ ...remove, name: 'bare', method: 'POST', path: '/api/v1/bare' })
export const passed = defineRoute({
  ...send,
  name: 'passed',
  path: '/api/v1/passed',
  body: z.strictObject({ name: z.string() }),
})
export const item = defineRoute({
  ...echo,
  name: 'item',
  method: 'GET',
  path: '/api/v1/items/:id',
  body: undefined,
  params: z.object({ id: z.string() }),
  query: z.strictObject({ limit: z.string().regex(/^\d+$/).optional(), name: z.string().optional() }),
  responses: { 200: Echo },
})

export const principal = newKeyPrincipal()
export const callers: Record<string, Principal> = {
  sender: principal,
  reader: { ...principal, permissions: ['notifications:read'] },
  operator: { kind: 'operator', subject: 'ada', tenant_id: newId('ten'), permissions: [] },
  manager: { kind: 'operator', subject: 'eve', tenant_id: newId('ten'), permissions: ['domains:manage'] },
}
