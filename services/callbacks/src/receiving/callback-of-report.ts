import type {
  IdentityReport,
  MessageReport,
  PreferenceReport,
  ReceiptReport,
  Report,
  TemplateReport,
} from '@notify/carriers/receiving'
import {
  type Channel,
  contactIdentified,
  messageReceived,
  preferenceChanged,
  type Receipt,
  receiptReceived,
  templateChanged,
} from '@notify/contracts'
import { sealEvent } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import type { Span } from '@notify/service-kit'
import { callbackOf, type NewCallback } from '../records/callback-store.ts'

interface Source<R extends Report> {
  kind: string
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

function callbackOfReceipt({ kind, channel, report }: Source<ReceiptReport>, span: Span): NewCallback {
  // The carrier's own trace does not count; what follows belongs to the trace of the message.
  const { type: _, account, callbackId, traceparent = span.traceparent, ...reported } = report
  const receipt: Receipt = {
    channel,
    provider_id: account.id,
    kind,
    ...reported,
    received_at: new Date().toISOString(),
  }
  span.set({
    'receipt.status': receipt.status,
    ...(receipt.notification_id ? { 'notification.id': receipt.notification_id } : {}),
  })
  const identity = { ...receipt, provider_message_id: callbackId ?? receipt.provider_message_id }
  return callbackOf(identity, receiptReceived, receipt, traceparent)
}

function callbackOfMessage(keyRing: KeyRing, { channel, report }: Source<MessageReport>, span: Span): NewCallback {
  const { account, provider_message_id, content } = report
  const payload = {
    provider_id: account.id,
    tenant_id: account.tenantId,
    channel,
    provider_message_id,
    received_at: new Date().toISOString(),
  }
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
  const payload = {
    provider_id: account.id,
    tenant_id: account.tenantId,
    channel,
    provider_message_id: callbackId,
    received_at: new Date().toISOString(),
  }
  const change = sealEvent(keyRing, preferenceChanged, payload, content)
  const identity = { provider_id: account.id, provider_message_id: callbackId, status: `marketing ${content.choice}` }
  return callbackOf(identity, preferenceChanged, change, span.traceparent)
}

function callbackOfIdentity(keyRing: KeyRing, { channel, report }: Source<IdentityReport>, span: Span): NewCallback {
  const { account, callbackId, content } = report
  const payload = {
    provider_id: account.id,
    tenant_id: account.tenantId,
    channel,
    received_at: new Date().toISOString(),
  }
  const identified = sealEvent(keyRing, contactIdentified, payload, content)
  const identity = { provider_id: account.id, provider_message_id: callbackId, status: 'identified' }
  return callbackOf(identity, contactIdentified, identified, span.traceparent)
}

function callbackOfTemplate({ channel, report }: Source<TemplateReport>, span: Span): NewCallback {
  const { type: _, account, callbackId, ...said } = report
  const change = {
    provider_id: account.id,
    tenant_id: account.tenantId,
    channel,
    ...said,
    received_at: new Date().toISOString(),
  }
  const identity = { provider_id: account.id, provider_message_id: callbackId, status: 'template' }
  return callbackOf(identity, templateChanged, change, span.traceparent)
}
