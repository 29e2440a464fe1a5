/** The last lines of a process, errors first, made readable. */
export function lastWords(lines: readonly string[]): string {
  const telling = lines.findLast(
    (line) => /"level":(50|60)|\b(error|fatal|panic|err|ftl)\b/i.test(line) && !/^\s+at /.test(line),
  )
  return readable(telling ?? lines.at(-1) ?? 'it printed nothing')
}

/** A log line as a person reads it: the message of a JSON line, or the line itself. */
export function readable(line: string): string {
  try {
    const { msg, err, error } = JSON.parse(line) as { msg?: string; err?: { message?: string }; error?: unknown }
    const cause =
      err?.message ?? (typeof error === 'string' ? error : (error as { message?: string } | undefined)?.message)
    const text = [msg, cause].filter((part, i) => part && !(i > 0 && msg?.includes(part))).join(': ')
    if (text) return text
  } catch {
    // Not JSON: a server's own format.
  }
  return line.replace(serverStamp, '').trim()
}

/** Time and process id as Postgres, NATS and Redis put them before a line. */
const serverStamp =
  /^(\[\d+\] )?(\d{4}[/-]\d\d[/-]\d\d \d\d:\d\d:\d\d(\.\d+)?( [A-Z]+)? (\[\d+\] )?|\d+:\w \d\d \w{3} \d{4} [\d:.]+ [*#.-] )/
