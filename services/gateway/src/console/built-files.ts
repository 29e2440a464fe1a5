import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const builtFolder = new URL('../../../../packages/console/dist/', import.meta.url)

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** A file of the built console, compressed. */
export interface Asset {
  type: string
  compressed: Buffer
}

export type BuiltFiles = ReturnType<typeof createBuiltFiles>

/** Reads the built console. Assets are named by their content, so they are kept once read; the index may change. */
export function createBuiltFiles(folder: URL = builtFolder) {
  const assets = new Map<string, Promise<Asset | undefined>>()
  return {
    /** The index page; undefined when the console is not built. */
    readIndex: () => readIfThere(folder, 'index.html'),
    /** A file below `assets/` by its name, without folders. */
    readAsset(name: string): Promise<Asset | undefined> {
      const type = types[extname(name)]
      if (!type || !/^[\w.-]+$/.test(name)) return Promise.resolve(undefined)
      const kept = assets.get(name)
      if (kept) return kept
      const read = compress(folder, name, type)
      assets.set(name, read)
      // An absent file is not cached, because it may be built later.
      void read.then(
        (asset) => asset ?? assets.delete(name),
        () => assets.delete(name),
      )
      return read
    },
  }
}

async function compress(folder: URL, name: string, type: string): Promise<Asset | undefined> {
  const bytes = await readIfThere(folder, `assets/${name}`)
  return bytes && { type, compressed: await promisify(gzip)(bytes, { level: 9 }) }
}

async function readIfThere(folder: URL, path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(new URL(path, folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
