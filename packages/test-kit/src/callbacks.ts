import { createHmac } from 'node:crypto'
import type { ApiResponse, TestEnv } from '@notify/dev-env'

export interface Account {
  sid: string
  authToken: string
  providerId: string
}

/** The demo tenant's account with the SMS provider. */
export function demoAccount({ stack: { state } }: TestEnv): Account {
  return {
    sid: state.twilio_account_sid,
    authToken: state.twilio_auth_token,
    providerId: state.twilio_provider_id,
  }
}

/** The attempt that a callback reports on, taken from the callback's URL. */
export interface Correlation {
  notificationId: string
  attemptId: string
}

const callbackPath = '/api/v1/callbacks/smsprovider/sms'

/** The address that the provider was given for an attempt, as path and query. Carriers may drop the ids of the attempt. */
export function callbackAddress(correlation: Correlation | null, { providerId }: Account): string {
  if (!correlation) return `${callbackPath}?${new URLSearchParams({ provider_id: providerId })}`
  const { notificationId, attemptId } = correlation
  return `${callbackPath}?${new URLSearchParams({ notification_id: notificationId, attempt_id: attemptId, provider_id: providerId })}`
}

/** `X-Twilio-Signature`: HMAC-SHA1 over the public address and the sorted fields. */
export function signature(authToken: string, url: string, fields: Record<string, string>): string {
  const signed = Object.keys(fields)
    .sort()
    .reduce((text, name) => text + name + fields[name], url)
  return createHmac('sha1', authToken).update(signed).digest('base64')
}

/** A status callback's fields; every call is about its own message unless `MessageSid` is given. */
export function statusFields({ sid }: Account, status: string, fields: Record<string, string> = {}) {
  return {
    AccountSid: sid,
    MessageSid: `SM${crypto.randomUUID().replaceAll('-', '')}`,
    MessageStatus: status,
    ApiVersion: '2010-04-01',
    From: '+15005550006',
    ...fields,
  }
}

interface Posted {
  fields: Record<string, string>
  address: string
  /** Default: made with the account's token. */
  signed?: string | undefined
  headers?: Record<string, string>
}

/** Posts a form as the SMS provider does, to the public door. */
export function postForm(env: TestEnv, { fields, address, signed, headers = {} }: Posted): Promise<ApiResponse> {
  return env.api('POST', address, {
    key: null,
    raw: new URLSearchParams(fields).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(signed === undefined ? {} : { 'x-twilio-signature': signed }),
      ...headers,
    },
  })
}

/** Reports a status of an attempt, signed by the account. */
export function report(
  env: TestEnv,
  correlation: Correlation | null,
  status: string,
  {
    account = demoAccount(env),
    fields = {},
    headers = {},
  }: { account?: Account; fields?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<ApiResponse> {
  const address = callbackAddress(correlation, account)
  const form = statusFields(account, status, fields)
  return postForm(env, {
    fields: form,
    address,
    signed: signature(account.authToken, env.stack.url('gateway') + address, form),
    headers,
  })
}
