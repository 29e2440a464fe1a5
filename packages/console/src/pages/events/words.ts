import type { Tone } from '../../ui/badge.tsx'
import type { EventStatus } from './queries.ts'

export const statuses: Record<EventStatus, { name: string; tone: Tone }> = {
  draft: { name: 'Draft', tone: 'quiet' },
  published: { name: 'Published', tone: 'good' },
  inactive: { name: 'Inactive', tone: 'warn' },
}
