import type { Named } from '../../edits/compare-texts.ts'
import type { Application } from './queries.ts'

/** The values of the settings form. */
export interface SettingsValues {
  name: string
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

export const valuesOf = ({ name, allowed_origins, otp }: Application): SettingsValues => ({
  name,
  origins: allowed_origins.join('\n'),
  countries: otp.allowed_countries?.join('\n') ?? '',
  autofillHost: otp.autofill_host ?? '',
  sendsPerMinute: otp.sends_per_minute?.toString() ?? '',
})

/** The changed settings. An empty field removes its setting, which gets its default. */
export function requestOf({ name, origins, countries, autofillHost, sendsPerMinute }: SettingsValues) {
  const allowed_countries = lines(countries)
  return {
    name,
    allowed_origins: lines(origins),
    otp: {
      allowed_countries: allowed_countries.length > 0 ? allowed_countries : null,
      autofill_host: autofillHost.trim() || null,
      sends_per_minute: sendsPerMinute.trim() ? numberOf(sendsPerMinute) : null,
    },
  }
}

/** Every field with its label. */
export const textsOf = ({ name, origins, countries, autofillHost, sendsPerMinute }: SettingsValues): Named[] => [
  ['Name', name],
  ['Origins of the inbox', origins],
  ['Numbers that codes may go to', countries],
  ['Host that asks for the code', autofillHost],
  ['Codes a minute, at most', sendsPerMinute],
]
