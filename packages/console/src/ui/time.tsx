import { type PointerEvent, useSyncExternalStore } from 'react'

const tickMs = 10_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void) {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const tell of listeners) tell()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The exact time with the zone of the browser. */
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

/** A moment of the past as its age, with the exact time as its hint. */
export function Time({ at, className = '' }: { at: string; className?: string }) {
  const present = useSyncExternalStore(subscribe, () => now)
  return (
    // Formatted on demand: a hundred rows would format a hundred hints that are not shown.
    <time dateTime={at} onPointerEnter={showExact} className={`time ${className}`}>
      {age(Date.parse(at), Math.max(present, now))}
    </time>
  )
}

const showExact = ({ currentTarget }: PointerEvent<HTMLTimeElement>) => {
  currentTarget.title = exact.format(new Date(currentTarget.dateTime))
}

/** A moment in full, with its zone. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at} className="time">
      {exact.format(new Date(at))}
    </time>
  )
}

/** @returns for example `12 s ago`; the date if it is in the future or more than a day ago */
export function age(atMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - atMs) / 1000)
  if (seconds < -60 || seconds >= 24 * 3600) return day.format(atMs)
  if (seconds < 5) return 'now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  return `${Math.floor(seconds / 3600)} h ago`
}

/** @returns a duration such as `340 ms` or `2.4 s` */
export function duration(fromText: string, toText: string): string {
  const ms = Date.parse(toText) - Date.parse(fromText)
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}
