import type pg from 'pg'

/** The extension that reads WAL, which `readWalByRelation` needs. */
export const createWalReader = 'create extension if not exists pg_walinspect'

export async function readWalPosition(database: pg.Pool): Promise<string> {
  const { rows } = await database.query('select pg_current_wal_insert_lsn()::text as lsn')
  return rows[0].lsn
}

/** Bytes of WAL by table or index, largest first; a record of several pages counts for its first. Page images are listed apart. */
export async function readWalByRelation(database: pg.Pool, from: string): Promise<Record<string, number>> {
  const { rows } = await database.query(
    `select coalesce(c.oid::regclass::text, 'other') as name, sum(b.record_length - b.fpi_length)::float8 as bytes,
       sum(b.fpi_length)::float8 as images
     from (select start_lsn, min(record_length) as record_length, sum(coalesce(block_fpi_length, 0)) as fpi_length,
         (array_agg(relfilenode order by block_id))[1] as relfilenode
       from pg_get_wal_block_info($1::pg_lsn, pg_current_wal_flush_lsn(), false) group by start_lsn) as b
     left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
     group by 1 order by 2 desc`,
    [from],
  )
  const images = rows.reduce((sum, row) => sum + row.images, 0)
  return { ...Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes])), 'page images': images }
}
