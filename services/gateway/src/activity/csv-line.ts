/** The characters that spreadsheets interpret as the start of a formula (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r]/

/** One line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula starts with an apostrophe instead. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  const safe = typeof value === 'string' && formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
