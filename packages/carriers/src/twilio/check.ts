import { z } from 'zod'
import { type AccountCheck, checkFailed, checkPassed, checkSilent } from '../account-check.ts'
import { createHttpClient } from '../http-client.ts'
import type { CheckOptions } from '../sender.ts'
import type { TwilioCredentials } from './credentials.ts'
import type { TwilioEnvironment } from './environment.ts'

const Account = z.object({ status: z.string(), friendly_name: z.string().optional(), type: z.string().optional() })
const Refused = z.object({ code: z.union([z.int(), z.string()]), message: z.string() })

/**
 * Reads the account. Never throws.
 * @see https://www.twilio.com/docs/iam/api/account#fetch-an-account-resource
 */
export async function checkAccount(
  { account_sid, auth_token }: TwilioCredentials,
  { timeoutMs, environment }: CheckOptions<TwilioEnvironment>,
): Promise<AccountCheck> {
  const client = createHttpClient({ timeoutMs, maxConnections: 1 })
  const url = `${environment.TWILIO_API_URL.replace(/\/$/, '')}/2010-04-01/Accounts/${account_sid}.json`
  const authorization = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString('base64')}`
  try {
    const { status, body } = await client.call({ method: 'GET', url, headers: { authorization } })
    return judge(status, body)
  } catch (error) {
    return checkSilent(error)
  } finally {
    client.close()
  }
}

function judge(status: number, body: unknown): AccountCheck {
  const account = Account.safeParse(body)
  if (status === 200 && account.success) {
    const { status: state, type, friendly_name: name } = account.data
    const details = { status: state, type, name }
    if (state === 'active') return checkPassed('The account is active', details)
    return checkFailed(state, `The account is ${state}`, details)
  }
  const refused = Refused.safeParse(body)
  if (refused.success) return checkFailed(String(refused.data.code), refused.data.message)
  return checkFailed(`http_${status}`, `The carrier answered ${status}`)
}
