import { parse } from 'node:querystring'
import { errors, type TwilioError } from './errors.ts'

/** What a create request asks for. */
export interface CreateRequest {
  to: string
  body: string
  /** The sender's number; absent when a messaging service picks one. */
  from: string | undefined
  messagingServiceSid: string | undefined
  statusCallback: string | undefined
  /** Every parameter as received, decoded. */
  parameters: Record<string, string | string[] | undefined>
}

/** In UTF-16 code units. */
const longestBody = 1600
const longestValidityPeriodSeconds = 36_000
const phoneNumber = /^\+?\d{4,15}$/

/**
 * Reads the form of a create request, and refuses what Twilio refuses, with its error number.
 * @see https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource
 */
export function readCreateRequest(form: string): CreateRequest | { error: TwilioError } {
  const parameters = parse(form)
  const field = (name: string) => [parameters[name]].flat()[0] || undefined
  const to = field('To')
  const body = field('Body')
  const from = field('From')
  const messagingServiceSid = field('MessagingServiceSid')
  const statusCallback = field('StatusCallback')
  if (!to) return { error: errors.toRequired() }
  if (!from && !messagingServiceSid) return { error: errors.fromRequired() }
  if (!body) return { error: errors.bodyRequired() }
  if (body.length > longestBody) return { error: errors.bodyTooLong() }
  if (!phoneNumber.test(to)) return { error: errors.invalidTo(to) }
  if (statusCallback && !isWebUrl(statusCallback)) return { error: errors.invalidStatusCallback() }
  if (!isValidityPeriod(field('ValidityPeriod'))) return { error: errors.invalidValidityPeriod() }
  return { to, body, from, messagingServiceSid, statusCallback, parameters: { ...parameters } }
}

function isWebUrl(text: string): boolean {
  const protocol = URL.parse(text)?.protocol
  return protocol === 'http:' || protocol === 'https:'
}

function isValidityPeriod(text: string | undefined): boolean {
  if (text === undefined) return true
  return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= longestValidityPeriodSeconds
}
