/** Why a template cannot be rendered, for people. */
export class TemplateFault extends Error {
  /** The missing variable. */
  readonly missing: string | undefined

  constructor(message: string, missing?: string) {
    super(message)
    this.missing = missing
  }
}

export function variableMissing(name: string): TemplateFault {
  return new TemplateFault(`the variable ${name} is missing`, name)
}

const longestSource = 80

/** A fault of one placeholder or tag. @param source its text in the template */
export function faultAt(message: string, source: string): TemplateFault {
  const shown = source.slice(0, longestSource).toWellFormed().replace(/\s+/g, ' ')
  return new TemplateFault(`${message} in ${shown}`)
}

export const createsTooMuch = 'it creates too much text or too many items'
export const takesTooLong = 'it takes too long to render'
