import type { Named } from '../../edits/compare-texts.ts'
import { numberOf } from '../../ui/number-text.ts'
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
  /** `yes` or `no`. */
  bulkRequiresTopic: string
  color: string
  logo: string
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export const valuesOf = ({
  name,
  default_locale,
  default_time_zone,
  allowed_origins,
  otp,
  bulk_requires_topic,
  brand,
}: Application): SettingsValues => ({
  name,
  locale: default_locale ?? '',
  timeZone: default_time_zone ?? '',
  origins: allowed_origins.join('\n'),
  countries: otp.allowed_countries?.join('\n') ?? '',
  autofillHost: otp.autofill_host ?? '',
  sendsPerMinute: otp.sends_per_minute?.toString() ?? '',
  bulkRequiresTopic: bulk_requires_topic ? 'yes' : 'no',
  color: brand.color ?? '',
  logo: brand.logo_url ?? '',
})

/** The changed settings. An empty field removes its setting, which gets its default. */
export function requestOf(values: SettingsValues) {
  const { name, locale, timeZone, origins, countries, autofillHost, sendsPerMinute } = values
  const [color, logo_url] = [values.color.trim(), values.logo.trim()]
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
    bulk_requires_topic: values.bulkRequiresTopic === 'yes',
    brand: { ...(color ? { color } : {}), ...(logo_url ? { logo_url } : {}) },
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
  ['Bulk messages without a topic', values.bulkRequiresTopic],
  ['Color', values.color],
  ['Logo', values.logo],
]
