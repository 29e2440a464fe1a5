import { readFile } from 'node:fs/promises'
import { BootstrapDocument } from '@notify/contracts'
import { describeIssue } from './describe-issue.ts'

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
  const { data, error } = BootstrapDocument.safeParse(document, { error: describeIssue })
  if (data) return data
  const faults = error.issues.slice(0, mostFaults).map(({ path, message }) => `${path.join('.') || 'it'} ${message}`)
  throw new Error(`BOOTSTRAP_FILE ${file} is not valid: ${faults.join('; ')}`)
}
