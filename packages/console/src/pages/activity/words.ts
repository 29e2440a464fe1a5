import type { components } from '@notify/sdk'
import type { Tone } from '../../ui/badge.tsx'

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

export const outcomes: Record<NonNullable<ActivityAttempt['outcome']>, { name: string; tone: Tone }> = {
  accepted: { name: 'Accepted by the carrier', tone: 'good' },
  rejected_permanent: { name: 'Rejected permanently', tone: 'bad' },
  rejected_retryable: { name: 'Rejected for now', tone: 'warn' },
  unknown: { name: 'No clear answer', tone: 'warn' },
}
