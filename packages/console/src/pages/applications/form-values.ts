import type { Named } from '../../edits/compare-texts.ts'
import type { Application } from './queries.ts'

/** The values of the settings form. */
export interface SettingsValues {
  name: string
  locale: string
  timeZone: string
  origins: string
  countries: string
  autofillHost: string
  sendsPerMinute: string
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The number in a field. Other text is sent unchanged, so that the service refuses it at its field. */
export const numberOf = (text: string): number => {
  const trimmed = text.trim()
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? (trimmed as unknown as number) : Number(trimmed)
}

export const valuesOf = ({
  name,
  default_locale,
  default_time_zone,
  allowed_origins,
  otp,
}: Application): SettingsValues => ({
  name,
  locale: default_locale ?? '',
  timeZone: default_time_zone ?? '',
  origins: allowed_origins.join('\n'),
  countries: otp.allowed_countries?.join('\n') ?? '',
  autofillHost: otp.autofill_host ?? '',
  sendsPerMinute: otp.sends_per_minute?.toString() ?? '',
})

/** The changed settings. An empty field removes its setting, which gets its default. */
export function requestOf(values: SettingsValues) {
  const { name, locale, timeZone, origins, countries, autofillHost, sendsPerMinute } = values
  const allowed_countries = lines(countries)
  return {
    name,
    default_locale: locale.trim() || null,
    default_time_zone: timeZone.trim() || null,
    allowed_origins: lines(origins),
    otp: {
      allowed_countries: allowed_countries.length > 0 ? allowed_countries : null,
      autofill_host: autofillHost.trim() || null,
      sends_per_minute: sendsPerMinute.trim() ? numberOf(sendsPerMinute) : null,
    },
  }
}

/** Every field with its label. */
export const textsOf = (values: SettingsValues): Named[] => [
  ['Name', values.name],
  ['Default language', values.locale],
  ['Default time zone', values.timeZone],
  ['Origins of the inbox', values.origins],
  ['Countries that one-time codes are sent to', values.countries],
  ['Host that asks for the code', values.autofillHost],
  ['Codes a minute, at most', values.sendsPerMinute],
]
