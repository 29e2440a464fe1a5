import type { components } from '@notify/sdk'
import type { Tone } from '../../ui/badge.tsx'
import { languageName } from '../../ui/language-name.ts'

export type ActivityItem = components['schemas']['ActivityItem']
export type ActivityList = components['schemas']['ActivityList']
export type ActivityDetail = components['schemas']['ActivityDetail']
export type ActivityAttempt = components['schemas']['ActivityAttempt']
export type Status = ActivityItem['status']

export const statuses: Record<Status, { name: string; tone: Tone }> = {
  scheduled: { name: 'Scheduled', tone: 'quiet' },
  queued: { name: 'Queued', tone: 'busy' },
  sent: { name: 'Sent', tone: 'busy' },
  delivered: { name: 'Delivered', tone: 'good' },
  undelivered: { name: 'Undelivered', tone: 'bad' },
  failed: { name: 'Failed', tone: 'bad' },
  cancelled: { name: 'Cancelled', tone: 'quiet' },
  verified: { name: 'Verified', tone: 'good' },
  expired: { name: 'Expired', tone: 'warn' },
}

const open: readonly Status[] = ['scheduled', 'queued', 'sent']
const lastOfCode: readonly Status[] = ['verified', 'expired', 'failed', 'cancelled']

/** Whether an item may change by itself: a delivered code is verified or expires. */
export const mayChange = ({ status, otp }: Pick<ActivityDetail, 'status' | 'otp'>): boolean =>
  otp ? !lastOfCode.includes(status) : open.includes(status)

export const outcomes: Record<NonNullable<ActivityAttempt['outcome']>, { name: string; tone: Tone }> = {
  accepted: { name: 'Accepted by the carrier', tone: 'good' },
  rejected_permanent: { name: 'Rejected permanently', tone: 'bad' },
  rejected_retryable: { name: 'Rejected for now', tone: 'warn' },
  unknown: { name: 'No clear answer', tone: 'warn' },
}

/** The language of the text, and the requested one where it is another: `German (de), requested: German (Austria) (de-AT)`. */
export function languageOf({ locale, requested_locale }: Pick<ActivityItem, 'locale' | 'requested_locale'>): string {
  const used = locale === null ? 'Not known' : languageName(locale)
  const isOther = requested_locale !== null && requested_locale !== locale
  return isOther ? `${used}, requested: ${languageName(requested_locale)}` : used
}
