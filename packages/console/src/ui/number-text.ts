const numbers = new Intl.NumberFormat('en')

/** @returns a number with thousands separators: `12,345` */
export const numberText = (value: number): string => numbers.format(value)

/** The number in a field. Other text is sent unchanged, so that the service refuses it at its field. */
export const numberOf = (text: string): number => {
  const trimmed = text.trim()
  return trimmed === '' || Number.isNaN(Number(trimmed)) ? (trimmed as unknown as number) : Number(trimmed)
}
