import type { createUserToken as contract } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'

export const createUserToken = idempotentAnswer<Context, typeof contract>(async ({ tokens }, { principal, body }) => {
  const { tenant_id, application_id, mode } = principal
  const { user_id, ttl_seconds } = body
  // Tokens expire at whole seconds, so the answer gives whole seconds too.
  const expiresAtMs = (Math.floor(Date.now() / 1000) + ttl_seconds) * 1000
  const token = await tokens.issue({ tenant_id, application_id, mode, user_id }, expiresAtMs)
  return new Reply(201, JSON.stringify({ token, expires_at: new Date(expiresAtMs).toISOString(), user_id }))
})
