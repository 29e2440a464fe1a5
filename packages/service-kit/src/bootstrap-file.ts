import { readFile } from 'node:fs/promises'
import { BootstrapDocument } from '@notify/contracts'
import { readShape } from './require-shape.ts'

const mostFaults = 10

/**
 * Reads the document of BOOTSTRAP_FILE.
 * @throws Error naming the file and each invalid field by its path
 */
export async function readBootstrapFile(file: string): Promise<BootstrapDocument> {
  let document: unknown
  try {
    document = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new Error(`BOOTSTRAP_FILE ${file} cannot be read as JSON: ${(error as Error).message}`, { cause: error })
  }
  const { value, errors } = readShape(BootstrapDocument, document)
  if (!errors) return value
  const faults = errors.slice(0, mostFaults).map(({ path, message }) => `${path || 'it'} ${message}`)
  throw new Error(`BOOTSTRAP_FILE ${file} is not valid: ${faults.join('; ')}`)
}
