import { readFile } from 'node:fs/promises'
import { BootstrapDocument } from '@notify/contracts'
import { readShape } from './require-shape.ts'

const mostFaults = 10

/**
 * Reads the document of BOOTSTRAP_FILE.
 * @throws Error naming the file and each invalid field by its path
 */
export async function readBootstrapFile(file: string): Promise<BootstrapDocument> {
  const { value, errors } = readShape(BootstrapDocument, await readJson(file))
  if (!errors) return value
  const faults = errors.slice(0, mostFaults).map(({ path, message }) => `${path || 'it'} ${message}`)
  throw new Error(`BOOTSTRAP_FILE ${file} is not valid: ${faults.join('; ')}`)
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`BOOTSTRAP_FILE ${file} cannot be read: ${error.message}`, { cause: error })
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    // The parser's message repeats text beside the fault, which may be a credential: only its place is kept.
    const place = /line \d+ column \d+/.exec((error as Error).message)?.[0]
    throw new Error(`BOOTSTRAP_FILE ${file} is not valid JSON${place ? `, ${place}` : ''}`)
  }
}
