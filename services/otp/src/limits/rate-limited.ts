import { Problem } from '@notify/service-kit'

/**
 * @param waitMs milliseconds after which another request may succeed
 * @param remedy what the caller can do
 */
export function rateLimited(detail: string, waitMs: number, remedy = 'wait and try again'): Problem {
  return new Problem('otp_rate_limited', `${detail}; ${remedy}`, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
}
