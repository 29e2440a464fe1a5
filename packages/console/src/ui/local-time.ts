const minuteMs = 60_000

/** @returns a moment as `datetime-local` shows it, in the zone of the browser; empty when it is none */
export function localText(moment: string | undefined): string {
  const ms = moment ? Date.parse(moment) : Number.NaN
  if (Number.isNaN(ms)) return ''
  return new Date(ms - new Date(ms).getTimezoneOffset() * minuteMs).toISOString().slice(0, 16)
}

/** @returns the moment of a `datetime-local` value, in UTC; empty when it is none */
export function utcText(local: string): string {
  const ms = Date.parse(local)
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString()
}

const zoneText = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })

/** @returns the zone of the browser at a moment, for example `CEST` or `GMT-3`; at present when it is none */
export function zoneOf(moment: string | undefined): string {
  const ms = moment ? Date.parse(moment) : Number.NaN
  const parts = zoneText.formatToParts(Number.isNaN(ms) ? Date.now() : ms)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}
