import type { TestEnv } from '@notify/dev-env'

/** Types whose values cannot hold a text: numbers, times, truth values. */
const wordless = '^(bool|int|float|numeric|timestamp|date|time|interval|oid|xid)'

interface Searched {
  /** `schema.table.column: secret` */
  found: string[]
  /** Every column that was looked into and had a value, as `schema.table.column`. */
  columns: string[]
}

/** Looks for secrets in every value of every column of every table of these schemas, whatever its type. */
export async function searchColumns(
  admin: TestEnv['admin'],
  schemas: readonly string[],
  secrets: readonly string[],
): Promise<Searched> {
  const { rows: columns } = await admin.query(
    `select table_schema as schema, table_name as table, column_name as column, udt_name as type
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = any($1) and table_type = 'BASE TABLE' and udt_name !~ $2
     order by table_schema, table_name, ordinal_position`,
    [schemas, wordless],
  )
  const searched: Searched = { found: [], columns: [] }
  for (const { schema, table, column, type } of columns) {
    // Bytes as the characters that they may be: a text that somebody stored without encrypting it is readable so.
    const value = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`
    const { rows } = await admin.query(
      `select ${value} as value from "${schema}"."${table}" where "${column}" is not null`,
    )
    if (rows.length === 0) continue
    const name = `${schema}.${table}.${column}`
    searched.columns.push(name)
    const text = rows.map((row) => (type === 'bytea' ? unescapeBytes(row.value) : row.value)).join('\n')
    searched.found.push(...writtenSecrets(text, secrets).map((secret) => `${name}: ${secret}`))
  }
  return searched
}

/** The secrets that a text contains as they are, or as JSON, a form, an address, base64 or hexadecimal digits write them. */
export function writtenSecrets(text: string, secrets: readonly string[]): string[] {
  const lower = text.toLowerCase()
  return secrets.filter(
    (secret) => waysToWrite(secret).some((way) => text.includes(way)) || lower.includes(hexOf(secret)),
  )
}

const hexOf = (secret: string) => Buffer.from(secret).toString('hex')

function waysToWrite(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [
    secret,
    json,
    ascii,
    ascii.replaceAll('\\', '\\\\'),
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString().slice('secret='.length),
    ...inBase64(secret),
  ]
}

/** Fewer digits stand in any long base64 text by chance. */
const tellingDigits = 8

/** The digits that are the same wherever in a base64 text the secret begins. */
function inBase64(secret: string): string[] {
  const digits = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const whole = bytes.subarray(0, Math.floor(bytes.length / 3) * 3)
    return (['base64', 'base64url'] as const).map((kind) => whole.toString(kind).slice(before === 0 ? 0 : 4))
  })
  return digits.filter(({ length }) => length >= tellingDigits)
}

/** Postgres's `escape` form of bytes, read back as UTF-8. */
function unescapeBytes(escaped: string): string {
  const bytes = escaped.replace(/\\(\\|\d{3})/g, (_all, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
