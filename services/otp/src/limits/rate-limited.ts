import { Problem } from '@notify/service-kit'

/** @param waitMs milliseconds after which another request may succeed */
export function rateLimited(detail: string, waitMs: number): Problem {
  return new Problem('otp_rate_limited', `${detail}; wait and try again`, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  })
}
