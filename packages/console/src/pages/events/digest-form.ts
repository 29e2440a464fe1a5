import { numberOf } from '../../ui/number-text.ts'
import type { EventContent } from './queries.ts'

export type Digest = NonNullable<EventContent['digest']>
type Weekly = NonNullable<Digest['window']['weekly']>

/** The form of an event's digest. Values of windows that are not chosen are kept while the operator decides. */
export interface DigestForm {
  /** `none`: each message is sent alone. */
  window: 'none' | 'seconds' | 'daily' | 'weekly'
  seconds: string
  at: string
  day: Weekly['day']
  sliding: boolean
  max_wait: string
  first: Digest['first']
  key: string
  show: string
}

const emptyForm: DigestForm = {
  ...{ window: 'none', seconds: '3600', at: '09:00', day: 'monday' },
  ...{ sliding: false, max_wait: '14400', first: 'wait', key: '', show: '10' },
}

export function digestFormOf(digest: Digest | null): DigestForm {
  if (!digest) return emptyForm
  const { key = '', window, sliding, max_wait, first, show } = digest
  const { seconds, daily, weekly } = window
  return {
    ...emptyForm,
    window: weekly ? 'weekly' : daily === undefined ? 'seconds' : 'daily',
    ...(seconds !== undefined && { seconds: String(seconds) }),
    ...(daily !== undefined && { at: daily }),
    ...weekly,
    sliding,
    ...(max_wait !== undefined && { max_wait: String(max_wait) }),
    ...{ first, key, show: String(show) },
  }
}

/** What is not valid is sent as it is, so that the service refuses it at its field. */
export function digestOf({ window: kind, seconds, at, day, max_wait, ...form }: DigestForm): Digest | null {
  if (kind === 'none') return null
  const key = form.key.trim()
  const windows = {
    seconds: { seconds: numberOf(seconds) },
    daily: { daily: at.trim() },
    weekly: { weekly: { day, at: at.trim() } },
  }
  const sliding = form.sliding && kind === 'seconds'
  return {
    ...(key !== '' && { key }),
    window: windows[kind],
    sliding,
    ...(sliding && { max_wait: numberOf(max_wait) }),
    first: form.first,
    show: numberOf(form.show),
  }
}
