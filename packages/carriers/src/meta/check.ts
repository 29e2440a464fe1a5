import { z } from 'zod'
import { type AccountCheck, checkFailed, checkPassed, checkSilent } from '../account-check.ts'
import { createHttpClient, type HttpAnswer } from '../http-client.ts'
import type { CheckOptions } from '../sender.ts'
import type { MetaCredentials } from './credentials.ts'
import type { MetaEnvironment } from './environment.ts'

const PhoneNumber = z.object({
  verified_name: z.string().optional(),
  quality_rating: z.string().optional(),
  code_verification_status: z.string().optional(),
})
const Refused = z.object({ error: z.object({ code: z.int(), message: z.string().default('') }) })

/**
 * Reads the phone number. Never throws.
 * @see https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status/
 */
export async function checkAccount(
  { phone_number_id, access_token }: MetaCredentials,
  { timeoutMs, environment }: CheckOptions<MetaEnvironment>,
): Promise<AccountCheck> {
  const client = createHttpClient({ timeoutMs, maxConnections: 1 })
  const fields = Object.keys(PhoneNumber.shape).join(',')
  const url = `${environment.META_API_URL}/${environment.META_API_VERSION}/${phone_number_id}?fields=${fields}`
  try {
    return judge(await client.call({ method: 'GET', url, headers: { authorization: `Bearer ${access_token}` } }))
  } catch (error) {
    return checkSilent(error)
  } finally {
    client.close()
  }
}

function judge({ status, body }: HttpAnswer): AccountCheck {
  const refused = Refused.safeParse(body)
  if (refused.success) return checkFailed(String(refused.data.error.code), refused.data.error.message)
  const number = PhoneNumber.safeParse(body)
  if (status !== 200 || !number.success) return checkFailed(`http_${status}`, `The carrier answered ${status}`)
  return checkPassed('The access token may use the phone number', number.data)
}
