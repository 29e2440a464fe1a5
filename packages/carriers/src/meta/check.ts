import { z } from 'zod'
import { type AccountCheck, checkFailed, checkPassed, checkSilent } from '../account-check.ts'
import { createHttpClient, type HttpAnswer, type HttpCall } from '../http-client.ts'
import type { CheckOptions } from '../sender.ts'
import type { MetaCredentials } from './credentials.ts'
import type { MetaEnvironment } from './environment.ts'

const PhoneNumber = z.object({
  verified_name: z.string().optional(),
  quality_rating: z.string().optional(),
  code_verification_status: z.string().optional(),
})
const Refused = z.object({ error: z.object({ code: z.int(), message: z.string().default('') }) })
const Apps = z.object({ data: z.array(z.unknown()) })
const Numbers = z.object({
  data: z.array(z.object({ id: z.string() })),
  paging: z.object({ next: z.string().optional() }).optional(),
})

/** Accounts with more numbers are rare, and their further pages are not read. */
const mostNumbers = 100

type Options = CheckOptions<MetaEnvironment>

/** Reads the phone number, and whether its webhooks arrive. Never throws. */
export async function checkAccount(credentials: MetaCredentials, options: Options): Promise<AccountCheck> {
  const endsAt = performance.now() + options.timeoutMs
  const check = await checkNumber(credentials, options)
  if (!check.ok) return check
  const timeoutMs = Math.max(1, Math.round(endsAt - performance.now()))
  return (await findFault(credentials, { ...options, timeoutMs })) ?? check
}

/** @see https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status/ */
async function checkNumber(credentials: MetaCredentials, options: Options): Promise<AccountCheck> {
  const client = createHttpClient({ timeoutMs: options.timeoutMs, maxConnections: 1 })
  const fields = Object.keys(PhoneNumber.shape).join(',')
  const call = callOf(`${credentials.phone_number_id}?fields=${fields}`, credentials, options)
  try {
    return judge(await client.call(call))
  } catch (error) {
    return checkSilent(error)
  } finally {
    client.close()
  }
}

function callOf(path: string, { access_token }: MetaCredentials, { environment }: Options): HttpCall {
  const url = `${environment.META_API_URL}/${environment.META_API_VERSION}/${path}`
  return { method: 'GET', url, headers: { authorization: `Bearer ${access_token}` } }
}

function judge({ status, body }: HttpAnswer): AccountCheck {
  const refused = Refused.safeParse(body)
  if (refused.success) return checkFailed(String(refused.data.error.code), refused.data.error.message)
  const number = PhoneNumber.safeParse(body)
  if (status !== 200 || !number.success) return checkFailed(`http_${status}`, `The carrier answered ${status}`)
  return checkPassed('The access token may use the phone number', number.data)
}

/**
 * Why the webhooks of a number do not arrive; undefined also if Meta does not say, because the token may lack the permission.
 * @see https://developers.facebook.com/documentation/business-messaging/whatsapp/solution-providers/manage-webhooks
 */
async function findFault(credentials: MetaCredentials, options: Options): Promise<AccountCheck | undefined> {
  const { phone_number_id, business_account_id: account } = credentials
  const client = createHttpClient({ timeoutMs: options.timeoutMs, maxConnections: 2 })
  const paths = [`${account}/subscribed_apps`, `${account}/phone_numbers?fields=id&limit=${mostNumbers}`]
  const reads = await Promise.allSettled(paths.map((path) => client.call(callOf(path, credentials, options))))
  client.close()
  const [apps, numbers] = reads.map((read) =>
    read.status === 'fulfilled' && read.value.status === 200 ? read.value.body : undefined,
  )
  if (Apps.safeParse(apps).data?.data.length === 0) return checkFailed('no_subscribed_app', notSubscribed)
  const { data: page } = Numbers.safeParse(numbers)
  if (!page || page.paging?.next !== undefined || page.data.some(({ id }) => id === phone_number_id)) return undefined
  return checkFailed('other_business_account', notItsNumber)
}

const notSubscribed =
  'No app is subscribed to the business account, so receipts and STOPs do not arrive: call POST /{business_account_id}/subscribed_apps of the Graph API with an access token of the app'
const notItsNumber =
  'The business account does not have the phone number, so its receipts and STOPs do not count: set business_account_id to the account that has it'
