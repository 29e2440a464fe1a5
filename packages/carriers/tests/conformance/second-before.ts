/** A Unix time that is not the signed one, and within every window. */
export const secondBefore = (signed: unknown): string => String(Number(signed) - 1)
