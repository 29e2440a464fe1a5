import type pg from 'pg'

/** A column of a statement's result, as Postgres describes it. */
export interface ResultColumn {
  name: string
  type: string
  /** Undefined for an expression: Postgres does not tell. */
  isNullable: boolean | undefined
}

interface Field {
  name: string
  tableID: number
  columnID: number
  dataTypeID: number
}

/** Has Postgres parse a statement and describe its result, without running it. @throws the server's error */
export async function describeStatement(client: pg.Client, text: string): Promise<ResultColumn[]> {
  const fields = await fieldsOf(client, text)
  const { rows } = await client.query<{ type: string; not_null: boolean | null }>(
    `select format_type(field.type, null) as type, attnotnull as not_null
     from unnest($1::oid[], $2::oid[], $3::int[]) with ordinality as field (type, relation, number, at)
     left join pg_attribute on attrelid = relation and attnum = number and relation <> 0 order by at`,
    [fields.map((one) => one.dataTypeID), fields.map((one) => one.tableID), fields.map((one) => one.columnID)],
  )
  return rows.map(({ type, not_null }, at) => ({
    name: fields[at]!.name,
    type,
    isNullable: not_null === null ? undefined : !not_null,
  }))
}

/** The driver's interface of a query that speaks the protocol itself. */
interface Protocol {
  parse(message: { name: string; text: string }): void
  describe(message: { type: 'S'; name: string }): void
  sync(): void
}

function fieldsOf(client: pg.Client, text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = []
    const query = {
      submit(connection: Protocol) {
        connection.parse({ name: '', text })
        connection.describe({ type: 'S', name: '' })
        connection.sync()
      },
      handleRowDescription: (message: { fields: Field[] }) => {
        fields = message.fields
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    }
    client.query(query as unknown as pg.Submittable)
  })
}
