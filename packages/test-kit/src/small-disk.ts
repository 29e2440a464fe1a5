import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestEnv } from '@notify/dev-env'

/** A disk of a few MiB that holds a table of a test's database. */
export interface SmallDisk extends AsyncDisposable {
  /** Takes all its free space. */
  fill(): void
  /** Makes the space free again, as when an operator adds disk. */
  clear(): void
}

const bytes = 16 * 1024 * 1024

/** Whether this user may mount a file system of its own. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'notify-disk-'))
  const mounted = mount(folder)
  if (mounted) unmount(folder)
  rmSync(folder, { recursive: true })
  return mounted
}

/** Moves a table to a small disk of its own. At the end of its scope the table is moved back and the disk removed. */
export async function moveToSmallDisk({ admin }: TestEnv, table: string): Promise<SmallDisk> {
  const folder = mkdtempSync(join(tmpdir(), 'notify-disk-'))
  if (!mount(folder)) throw new Error(`no file system can be mounted at ${folder}`)
  const { rows } = await admin.query(`select current_setting('data_directory') as data`)
  const { uid, gid } = statSync(rows[0].data)
  chownSync(folder, uid, gid)
  chmodSync(folder, 0o700)
  const space = `small_${process.pid}_${Date.now()}`
  await admin.query(`create tablespace ${space} location '${folder}'`)
  await admin.query(`alter table ${table} set tablespace ${space}`)
  const filler = join(folder, 'filler')
  return {
    fill: () => writeUntilFull(filler),
    clear: () => rmSync(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      rmSync(filler, { force: true })
      await admin.query(`alter table ${table} set tablespace pg_default`)
      // Files of the moved table are removed at the next checkpoint.
      await admin.query('checkpoint')
      await admin.query(`drop tablespace ${space}`)
      unmount(folder)
      rmSync(folder, { recursive: true })
    },
  }
}

function mount(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]).status === 0
}

function unmount(folder: string): void {
  // Postgres keeps files open for a moment.
  spawnSync('umount', ['--lazy', folder])
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}
