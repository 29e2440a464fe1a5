const names = new Intl.DisplayNames(['en'], { type: 'language' })

/** @param locale canonical BCP 47 @returns for example `Brazilian Portuguese (pt-BR)` */
export function languageName(locale: string): string {
  const name = nameOf(locale)
  return name === undefined || name === locale ? locale : `${name} (${locale})`
}

function nameOf(locale: string): string | undefined {
  try {
    const name = names.of(locale)
    // The name of languages that are agreed on in private, such as x-shop.
    return name === 'root' ? undefined : name
  } catch {
    return undefined
  }
}
