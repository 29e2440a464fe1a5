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

export const createsTooMuch = 'it creates too much text or too many items'
export const takesTooLong = 'it takes too long to render'
