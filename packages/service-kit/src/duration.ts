const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Parses a duration such as `250ms`, `5s`, `2m`, `72h` or `7d`.
 * @returns whole milliseconds
 * @throws Error when the text is not a duration
 */
export function parseDurationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim())
  if (!match) throw new Error(`"${text}" is not a duration such as 250ms, 5s, 2m, 72h or 7d`)
  return Math.round(Number(match[1]) * unitMs[match[2] as keyof typeof unitMs])
}
