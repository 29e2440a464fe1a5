const minuteMs = 60_000

/** @returns a moment in the form of `datetime-local`, in the zone of the browser; empty for an invalid one */
export function localText(moment: string | undefined): string {
  const ms = moment ? Date.parse(moment) : Number.NaN
  if (Number.isNaN(ms)) return ''
  return new Date(ms - new Date(ms).getTimezoneOffset() * minuteMs).toISOString().slice(0, 16)
}

/** @returns the moment of a `datetime-local` value, in UTC; empty for an invalid one */
export function utcText(local: string): string {
  const ms = Date.parse(local)
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString()
}

const zoneText = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })

/** @returns the zone of the browser at a moment, for example `CEST` or `GMT-3`; the current one for an invalid moment */
export function zoneOf(moment: string | undefined): string {
  const ms = moment ? Date.parse(moment) : Number.NaN
  const parts = zoneText.formatToParts(Number.isNaN(ms) ? Date.now() : ms)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}
