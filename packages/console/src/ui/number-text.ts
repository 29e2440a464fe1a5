const numbers = new Intl.NumberFormat('en')

/** @returns a number with thousands separators: `12,345` */
export const numberText = (value: number): string => numbers.format(value)
