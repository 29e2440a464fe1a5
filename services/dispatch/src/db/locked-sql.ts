interface Wanted {
  /** SQL: selects true from the row, if it exists. */
  found: string
  /** SQL: the name of the row, which no other row has. */
  name: string
  /** SQL: whether to wait for the row later instead. */
  waits: string
}

/**
 * SQL: `locked` when another transaction holds a row, unless the caller `waits`; else null, and the row is held until the commit.
 * One that does not exist yet is held by its name: a row that another transaction inserts cannot be seen, only waited for.
 */
export const lockedSql = ({ found, name, waits }: Wanted): string =>
  `case when (${found}) is null then case when not pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) and not ${waits} then 'locked' end
      when not ${waits} and (${found} for no key update skip locked) is null then 'locked' end`
