import type {
  IdentityReport,
  MessageReport,
  PreferenceReport,
  ReceiptReport,
  ReceivingAccount,
  Report,
  TemplateReport,
} from '@notify/carriers/receiving'
import {
  type Channel,
  contactIdentified,
  type Id,
  messageReceived,
  preferenceChanged,
  type Receipt,
  receiptReceived,
  templateChanged,
} from '@notify/contracts'
import { sealEvent } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import type { Span } from '@notify/service-kit'
import { callbackOf, identified, type NewCallback, suppressing } from '../records/callback-store.ts'

interface Source<R extends Report> {
  channel: Channel
  report: R
}

/** The record of a report and its event. */
export function callbackOfReport(keyRing: KeyRing, { report, ...source }: Source<Report>, span: Span): NewCallback {
  switch (report.type) {
    case 'receipt':
      return callbackOfReceipt({ ...source, report }, span)
    case 'message':
      return callbackOfMessage(keyRing, { ...source, report }, span)
    case 'preference':
      return callbackOfPreference(keyRing, { ...source, report }, span)
    case 'identity':
      return callbackOfIdentity(keyRing, { ...source, report }, span)
    case 'template':
      return callbackOfTemplate({ ...source, report }, span)
  }
}

function callbackOfReceipt({ channel, report }: Source<ReceiptReport>, span: Span): NewCallback {
  // The carrier's own trace is ignored; the event belongs to the trace of the message.
  const { type: _, account, callbackId, traceparent = span.traceparent, ...reported } = report
  const receipt: Receipt = {
    channel,
    tenant_id: account.tenantId as Id<'ten'>,
    provider_id: account.id,
    ...reported,
    received_at: new Date().toISOString(),
  }
  span.set({
    'receipt.status': receipt.status,
    ...(receipt.notification_id ? { 'notification.id': receipt.notification_id } : {}),
  })
  const id = callbackId ?? receipt.provider_message_id
  // A hard bounce after a soft one has the same status, and is no repetition of it.
  const identity = { ...receipt, provider_message_id: receipt.suppress ? id + suppressing : id }
  return callbackOf(identity, receiptReceived, receipt, traceparent)
}

function callbackOfMessage(keyRing: KeyRing, { channel, report }: Source<MessageReport>, span: Span): NewCallback {
  const { account, provider_message_id, content } = report
  const payload = { ...envelopeOf(channel, account, report.occurredAt), provider_message_id }
  const message = sealEvent(keyRing, messageReceived, payload, content)
  const identity = { provider_id: account.id, provider_message_id, status: 'received' }
  return callbackOf(identity, messageReceived, message, span.traceparent)
}

function callbackOfPreference(
  keyRing: KeyRing,
  { channel, report }: Source<PreferenceReport>,
  span: Span,
): NewCallback {
  const { account, callbackId, content } = report
  const payload = { ...envelopeOf(channel, account, report.occurredAt), provider_message_id: callbackId }
  const change = sealEvent(keyRing, preferenceChanged, payload, content)
  const identity = { provider_id: account.id, provider_message_id: callbackId, status: `marketing ${content.choice}` }
  return callbackOf(identity, preferenceChanged, change, span.traceparent)
}

function callbackOfIdentity(keyRing: KeyRing, { channel, report }: Source<IdentityReport>, span: Span): NewCallback {
  const { account, callbackId, content } = report
  const event = sealEvent(keyRing, contactIdentified, envelopeOf(channel, account), content)
  const identity = { provider_id: account.id, provider_message_id: callbackId, status: identified }
  return callbackOf(identity, contactIdentified, event, span.traceparent)
}

function callbackOfTemplate({ channel, report }: Source<TemplateReport>, span: Span): NewCallback {
  const { type: _, account, callbackId, ...said } = report
  const change = { ...envelopeOf(channel, account), ...said }
  const identity = { provider_id: account.id, provider_message_id: callbackId, status: 'template' }
  return callbackOf(identity, templateChanged, change, span.traceparent)
}

/** The fields of every event but a receipt. */
function envelopeOf(channel: Channel, { id, tenantId }: ReceivingAccount, occurredAt?: Date) {
  return {
    ...{ provider_id: id, tenant_id: tenantId, channel, received_at: new Date().toISOString() },
    ...(occurredAt && { occurred_at: occurredAt.toISOString() }),
  }
}
