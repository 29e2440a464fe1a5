/** How the filters for numbers, times and lists write. */
export interface Format {
  /** Canonical BCP 47. */
  locale: string
  /** A time zone of the IANA database. */
  timeZone: string
}

export const defaultFormat: Format = { locale: 'en', timeZone: 'UTC' }

/** Where a render finds its format; no template can name a symbol. */
export const formatKey = Symbol('format')
