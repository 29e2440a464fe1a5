import { closeSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file as a whole, readable by `user` alone, and returns once it is on disk. Only root gives files to others. */
export function writeWhole(file: string, text: string, user?: number): void {
  const next = `${file}.next`
  // One that a start left behind belongs to its reader already, and cannot be opened.
  rmSync(next, { force: true })
  const handle = openSync(next, 'wx', 0o400)
  try {
    writeFileSync(handle, text)
    if (user !== undefined && process.getuid?.() === 0) fchownSync(handle, user, user)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(next, file)
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
